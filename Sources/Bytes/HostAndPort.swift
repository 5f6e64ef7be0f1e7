internal import Glibc

/// A host with a port or without one, as URLs and headers write them: `todo.example`, `192.0.2.1:80`, `[2001:db8::1]:80` (RFC 3986 §3.2.2).
public struct HostAndPort: Hashable, Sendable {
    /// Name or numeric address, an IPv6 address without its brackets. A name is as it was written, percent-encoding included.
    public let host: String
    /// The port, 0–65,535; nil where there is none.
    public let port: Int?
    /// Whether the host stood in brackets, as an IPv6 address must: where it ends and the port begins could not be told otherwise.
    public let isBracketed: Bool

    /// Takes `text` apart; nil where it has another form.
    public init?(_ text: some StringProtocol) {
        let end: String.Index
        isBracketed = text.hasPrefix("[")
        if isBracketed {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<bracket])
            guard Self.isIPv6(host) else { return nil }
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
            guard Self.isName(host) else { return nil }
        }
        if end == text.endIndex {
            port = nil
        } else {
            guard text[end] == ":", let number = Self.port(text[text.index(after: end)...]) else { return nil }
            port = number
        }
    }

    /// Digits alone: `Int` takes a sign as well.
    private static func port(_ digits: some StringProtocol) -> Int? {
        guard digits.utf8.allSatisfy(isDigit), let number = Int(digits) else { return nil }
        return number <= 65_535 ? number : nil
    }

    private static func isIPv6(_ text: String) -> Bool {
        // inet_pton reads up to a NUL.
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }

    /// Whether the text is a `reg-name`, of which an IPv4 address is one: not empty, each percent sign with its two digits. A comma, which separates hosts
    /// in lists, and an empty label, which no name has, are left out; a name may end with a dot.
    private static func isName(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        var last = UInt8(ascii: ".")
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = bytes.popFirst(), let low = bytes.popFirst(), isHexadecimal(high), isHexadecimal(low) else { return false }
            case UInt8(ascii: "."):
                if last == byte { return false }
            default:
                guard isNameByte(byte) else { return false }
            }
            last = byte
        }
        return !text.isEmpty
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit(byte) || "-_~!$&'()*+;=".utf8.contains(byte)
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
