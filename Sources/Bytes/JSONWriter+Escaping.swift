extension JSONWriter {
    /// Appends the inside of a JSON string. Only quote, backslash and the control characters below U+0020 are escaped
    /// (RFC 8259 §7); runs without them are copied as a whole.
    @usableFromInline mutating func appendEscaped(_ utf8: UnsafeRawBufferPointer) {
        guard let start = utf8.baseAddress else { return }
        bytes.reserve(utf8.count + 2)
        var run = 0
        var at = firstToEscape(utf8, from: 0)
        while at < utf8.count {
            bytes.append(start + run, count: at - run)
            appendEscape(utf8[at])
            run = at + 1
            at = firstToEscape(utf8, from: run)
        }
        bytes.append(start + run, count: utf8.count - run)
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append("u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(hexadecimalDigit(byte & 15))
        }
    }

    private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// Index of the first byte from `start` on that a JSON string must escape, or the count. Looks at eight bytes at a time.
private func firstToEscape(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones << 7
    var at = start
    while at + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        // A byte below n borrows into its high bit; bytes with the high bit set are never escaped. Borrows can only
        // spoil bytes above the first hit, and the lowest hit is the one that counts.
        let hits = ((word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones)) & ~word & highs
        if hits != 0 { return at + hits.trailingZeroBitCount / 8 }
        at += 8
    }
    while at < bytes.count {
        let byte = bytes[at]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
        at += 1
    }
    return at
}
