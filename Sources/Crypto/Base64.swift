/// Base64 (RFC 4648 §4) and its form for URLs and tokens (§5).
public enum Base64 {
    /// Encodes with the standard alphabet.
    public static func encode(_ bytes: [UInt8], padded: Bool = true) -> String {
        encode(bytes, standard, padded)
    }

    /// Encodes with `-` and `_`, without padding.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes, url, false)
    }

    /// Decodes the standard alphabet. Padding may be left out, but not be wrong; anything else that is not the one
    /// canonical text of its bytes (white space, stray bits) gives nil.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text, UInt8(ascii: "+"), UInt8(ascii: "/"))
    }

    /// Decodes the URL alphabet, as strictly as `decode`.
    public static func decodeURL(_ text: String) -> [UInt8]? {
        decode(text, UInt8(ascii: "-"), UInt8(ascii: "_"))
    }

    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], _ padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var at = 0
        while at < bytes.count {
            let left = min(3, bytes.count - at)
            var group = UInt32(bytes[at]) << 16
            if left > 1 { group |= UInt32(bytes[at + 1]) << 8 }
            if left > 2 { group |= UInt32(bytes[at + 2]) }
            for place in 0...left { text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]) }
            if padded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - left)) }
            at += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func decode(_ text: String, _ digit62: UInt8, _ digit63: UInt8) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.last == UInt8(ascii: "=") {
            guard digits.count % 4 == 0 else { return nil }
            digits.removeLast()
            if digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits = 0
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
            case digit62: value = 62
            case digit63: value = 63
            default: return nil
            }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= 1 << UInt32(bits) - 1
            }
        }
        return group == 0 ? bytes : nil
    }
}
