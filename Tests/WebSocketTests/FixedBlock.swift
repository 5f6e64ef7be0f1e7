/// Compressed data in a block of fixed Huffman codes (RFC 1951 §3.2.6), written symbol by symbol, so that a test knows in which byte each one ends.
struct FixedBlock {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    /// An open block that is not the last one.
    init() {
        append(bits: 0b010, count: 3)
    }

    /// A literal byte.
    mutating func literal(_ byte: UInt8) {
        if byte < 144 { append(code: 0x30 + UInt(byte), count: 8) } else { append(code: 0x190 + UInt(byte) - 144, count: 9) }
    }

    mutating func literals(_ text: [UInt8]) {
        for byte in text { literal(byte) }
    }

    /// The last byte another 258 times.
    mutating func run() {
        append(code: 0xC5, count: 8)
        append(code: 0, count: 5)
    }

    /// Ends the block and begins one of the kind that there is not.
    mutating func badBlock() {
        append(code: 0, count: 7)
        append(bits: 0b110, count: 3)
    }

    /// Ends the block as a sender's flush does, without the four bytes that are left out (RFC 7692 §7.2.1).
    mutating func flush() {
        append(code: 0, count: 7)
        append(bits: 0, count: 3)
    }

    /// A Huffman code: its highest bit comes first.
    private mutating func append(code: UInt, count: Int) {
        for place in stride(from: count - 1, through: 0, by: -1) { append(bits: code >> UInt(place) & 1, count: 1) }
    }

    private mutating func append(bits: UInt, count: Int) {
        for place in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(bits >> UInt(place) & 1) << UInt8(bitCount % 8)
            bitCount += 1
        }
    }
}
