internal import Bytes

/// The header lines of a message head, in the order they came; names compare without case.
public struct HTTPHeaders: Sendable {
    /// Where one header line's name and value stand in the head.
    struct Field: Sendable {
        var nameBegin, nameEnd, valueBegin, valueEnd: Int32
    }

    let head: SharedBytes
    let fields: [Field]

    init(head: SharedBytes, fields: [Field]) {
        self.head = head
        self.fields = fields
    }

    /// How many header lines there are.
    public var count: Int { fields.count }

    /// Whether there is a line of that name.
    public func contains(_ name: StaticString) -> Bool {
        fields.contains { matches($0, name) }
    }

    /// How many lines of that name there are.
    public func count(of name: StaticString) -> Int {
        fields.count { matches($0, name) }
    }

    /// The value of the first line of that name, without white space around it.
    public func first(_ name: StaticString) -> String? {
        fields.first { matches($0, name) }.map(value)
    }

    /// The values of all lines of that name.
    public func all(_ name: StaticString) -> [String] {
        fields.filter { matches($0, name) }.map(value)
    }

    /// All lines of that name as one list, as RFC 9110 §5.3 joins them: split at commas, trimmed, empty elements left out.
    /// For values that hold no quoted commas.
    public func list(_ name: StaticString) -> [String] {
        all(name).flatMap { $0.split(separator: ",").map { trimmed($0) } }.filter { !$0.isEmpty }
    }

    /// Whether the list of that name holds `token`, compared without case. `token` is in lower case.
    public func list(_ name: StaticString, contains token: String) -> Bool {
        list(name).contains { $0.lowercased() == token }
    }

    /// Every line as name and value.
    public var lines: [(name: String, value: String)] {
        fields.map { (text(Int($0.nameBegin), Int($0.nameEnd)), value($0)) }
    }

    private func matches(_ field: Field, _ name: StaticString) -> Bool {
        let count = Int(field.nameEnd - field.nameBegin)
        guard count == name.utf8CodeUnitCount else { return false }
        return head.withUnsafeBytes { head in
            for index in 0..<count where lowercased(head[Int(field.nameBegin) + index]) != lowercased(name.utf8Start[index]) {
                return false
            }
            return true
        }
    }

    private func value(_ field: Field) -> String { text(Int(field.valueBegin), Int(field.valueEnd)) }

    private func text(_ begin: Int, _ end: Int) -> String {
        head.withUnsafeBytes { String(decoding: $0[begin..<end], as: UTF8.self) }
    }
}

/// The byte in lower case if it is an ASCII letter.
func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

/// The text without spaces and tabs at its ends.
func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(text[first...last])
}

/// Whether the byte may stand in a token (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
        UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
        UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}

/// Whether the text is a token: not empty, and token bytes only.
func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
}
