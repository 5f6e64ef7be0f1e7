internal import COpenSSL

/// Bytes from OpenSSL's cryptographic random generator.
public enum RandomBytes {
    /// `count` unpredictable bytes. Fails when the system gives no entropy; there is no weaker fallback.
    public static func make(_ count: Int) throws(CryptoError) -> [UInt8] {
        precondition(count >= 0 && count <= Int32.max, "can't make \(count) random bytes")
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw CryptoError("random bytes") }
        return bytes
    }
}
