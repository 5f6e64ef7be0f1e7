/// Masks or unmasks bytes in place (RFC 6455 §5.3), eight at a time.
///
/// `key` holds the four key bytes as they stand on the wire, the first in the lowest byte, turned so that its lowest
/// byte belongs to the first of `bytes`.
@inlinable func applyMask(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    guard key != 0, let start = bytes.baseAddress else { return }
    let wide = UInt64(key) << 32 | UInt64(key)
    let count = bytes.count
    var at = 0
    while at + 8 <= count {
        let word = UInt64(littleEndian: (start + at).loadUnaligned(as: UInt64.self)) ^ wide
        (start + at).storeBytes(of: word.littleEndian, as: UInt64.self)
        at += 8
    }
    var rest = wide
    while at < count {
        let byte = start.load(fromByteOffset: at, as: UInt8.self)
        start.storeBytes(of: byte ^ UInt8(truncatingIfNeeded: rest), toByteOffset: at, as: UInt8.self)
        rest >>= 8
        at += 1
    }
}

/// The key for what follows `count` masked bytes.
@inlinable func turnMask(_ key: UInt32, by count: Int) -> UInt32 {
    let bits = UInt32(truncatingIfNeeded: count & 3) * 8
    return key >> bits | key << ((32 - bits) & 31)
}

/// Unpredictable masking keys (RFC 6455 §10.3), drawn from the system in batches: a system call each would cost more than the frame.
struct MaskKeys: ~Copyable {
    private var keys: [UInt32] = []

    mutating func next() -> UInt32 {
        if let key = keys.popLast() { return key }
        var random = SystemRandomNumberGenerator()
        keys.reserveCapacity(256)
        for _ in 0..<128 {
            let pair = random.next()
            keys.append(UInt32(truncatingIfNeeded: pair))
            keys.append(UInt32(truncatingIfNeeded: pair >> 32))
        }
        return keys.removeLast()
    }
}
