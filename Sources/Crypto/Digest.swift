internal import COpenSSL

/// SHA-1 (FIPS 180-4): broken as a signature, and still what RFC 6455 §4.2.2 builds `Sec-WebSocket-Accept` from.
public enum SHA1 {
    /// Length of a digest in bytes.
    public static let count = 20

    /// The digest of `bytes`, 20 bytes.
    public static func hash(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        try digest(bytes.baseAddress, bytes.count, EVP_sha1(), count: count, "SHA-1")
    }

    /// The digest of a text's UTF-8 bytes, 20 bytes.
    public static func hash(utf8 text: String) throws(CryptoError) -> [UInt8] {
        try hash(Array(text.utf8))
    }

    /// The digest of `bytes`, 20 bytes.
    public static func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(bytes, bytes.count, EVP_sha1(), count: count, "SHA-1")
    }
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Length of a digest in bytes.
    public static let count = 32

    /// The digest of `bytes`, 32 bytes.
    public static func hash(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        try digest(bytes.baseAddress, bytes.count, EVP_sha256(), count: count, "SHA-256")
    }

    /// The digest of a text's UTF-8 bytes, 32 bytes.
    public static func hash(utf8 text: String) throws(CryptoError) -> [UInt8] {
        try hash(Array(text.utf8))
    }

    /// The digest of `bytes`, 32 bytes.
    public static func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(bytes, bytes.count, EVP_sha256(), count: count, "SHA-256")
    }
}

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// The code of `message` under `key`, 32 bytes. Compare it with `constantTimeEqual`.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.count)
        var size = 0
        let done = EVP_Q_mac(nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, &code, code.count, &size)
        guard done != nil, size == code.count else { throw CryptoError("HMAC-SHA-256") }
        return code
    }
}

private func digest(
    _ bytes: UnsafeRawPointer?, _ byteCount: Int, _ algorithm: OpaquePointer?, count: Int, _ name: String
) throws(CryptoError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var size: UInt32 = 0
    guard EVP_Digest(bytes, byteCount, &result, &size, algorithm, nil) == 1, size == count else { throw CryptoError(name) }
    return result
}
