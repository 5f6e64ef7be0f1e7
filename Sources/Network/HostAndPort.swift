/// A host with a port or without one, as URLs and headers write them: `todo.example`, `192.0.2.1:80`, `[2001:db8::1]:80`.
public struct HostAndPort: Hashable, Sendable {
    /// Name or numeric address, an IPv6 address without its brackets.
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
            guard host.contains(":"), IPAddress(host) != nil else { return nil }
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
        }
        guard !host.isEmpty else { return nil }
        if end == text.endIndex {
            port = nil
        } else {
            guard text[end] == ":", let number = Self.port(text[text.index(after: end)...]) else { return nil }
            port = number
        }
    }

    /// Digits alone: `Int` takes a sign as well.
    private static func port(_ digits: some StringProtocol) -> Int? {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(digits) else { return nil }
        return number <= 65_535 ? number : nil
    }
}
