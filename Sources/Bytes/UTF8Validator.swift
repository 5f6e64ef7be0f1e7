/// Checks UTF-8 (RFC 3629) that arrives in pieces: no overlong forms, no surrogates, nothing above U+10FFFF.
///
/// A fault is reported with the first byte that no well-formed continuation could repair, so a peer that sends half
/// a character and then nonsense is caught at the nonsense. Two bytes of state.
public struct UTF8Validator: Sendable {
    /// Continuation bytes still to come; their next one must lie in `low...high`.
    @usableFromInline var pending: UInt8 = 0
    @usableFromInline var low: UInt8 = 0x80
    @usableFromInline var high: UInt8 = 0xBF

    /// A validator at the beginning of a text.
    @inlinable public init() {}

    /// Whether the text could end here: no character is incomplete.
    @inlinable public var isComplete: Bool { pending == 0 }

    /// Takes the next piece. Returns false if the text can't be UTF-8 any more, however it goes on; the validator is of no use then.
    @inlinable public mutating func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
        firstFault(bytes) == nil
    }

    /// Whether `bytes` are well-formed as a whole.
    @inlinable public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var validator = UTF8Validator()
        return validator.update(bytes) && validator.isComplete
    }

    /// As `update`, but returns the index of the byte at which the text became hopeless, or nil.
    @usableFromInline mutating func firstFault(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = bytes.count
        var at = 0
        while at < count {
            if pending == 0 {
                while at + 8 <= count, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 { at += 8 }
                if at == count { break }
                let lead = bytes[at]
                // Most text is of characters that are here as a whole: two- and three-byte forms without special cases.
                if lead >= 0xC2 && lead < 0xE0 && at + 1 < count && bytes[at + 1] & 0xC0 == 0x80 {
                    at += 2
                    continue
                }
                if lead > 0xE0 && lead < 0xED && at + 2 < count && bytes[at + 1] & 0xC0 == 0x80 && bytes[at + 2] & 0xC0 == 0x80 {
                    at += 3
                    continue
                }
                if !begin(lead) { return at }
            } else {
                let byte = bytes[at]
                if byte < low || byte > high { return at }
                pending -= 1
                low = 0x80
                high = 0xBF
            }
            at += 1
        }
        return nil
    }

    /// Takes the first byte of a character; false if no character begins so.
    @inline(__always) private mutating func begin(_ lead: UInt8) -> Bool {
        if lead < 0x80 { return true }
        switch lead {
        case 0xC2...0xDF: pending = 1
        case 0xE0...0xEF:
            pending = 2
            if lead == 0xE0 { low = 0xA0 }
            if lead == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            pending = 3
            if lead == 0xF0 { low = 0x90 }
            if lead == 0xF4 { high = 0x8F }
        default: return false
        }
        return true
    }
}
