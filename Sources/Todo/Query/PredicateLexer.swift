/// A word of a predicate's text and where it stands.
struct PredicateToken: Equatable {
    enum Kind: Equatable {
        /// A keyword, a field or a path of fields such as `project.name` and `items.@count`.
        case word(String)
        /// A number, whole where it can be.
        case number(Value)
        /// A quoted text without its quotes and escapes.
        case text(String)
        /// `$0`, `$1` …: the digits.
        case numberedPlace(String)
        /// `%@`.
        case nextPlace
        /// `$user`.
        case user
        /// An operator or a mark of punctuation.
        case symbol(Symbol)
        /// Behind the last one.
        case end
        /// A value that is not well formed further on. Where no value can stand, that it stands here is the first fault.
        case malformedValue(Refusal)
        /// The same of a word.
        case malformedWord(Refusal)
    }

    enum Symbol: String {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case not = "!"
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
    }

    let kind: Kind
    /// The first byte, counted in UTF-8 from 0.
    let position: Int
}

/// Cuts a predicate's text into words.
struct PredicateLexer {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() throws(Refusal) -> PredicateToken {
        while let byte = peek, byte == 0x20 || (0x09...0x0D).contains(byte) { index += 1 }
        let start = index
        guard let byte = peek else { return PredicateToken(kind: .end, position: start) }
        let kind: PredicateToken.Kind
        switch byte {
        case _ where byte.startsWord: kind = word()
        case _ where byte.isDigit, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "'"), UInt8(ascii: "\""),
            UInt8(ascii: "$"), UInt8(ascii: "%"):
            kind = value(byte)
        default: kind = try symbol(byte)
        }
        return PredicateToken(kind: kind, position: start)
    }

    private mutating func word() -> PredicateToken.Kind {
        do throws(Refusal) { return .word(try path()) } catch { return .malformedWord(error) }
    }

    private mutating func value(_ first: UInt8) -> PredicateToken.Kind {
        do throws(Refusal) {
            switch first {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): return .text(try text(quote: first))
            case UInt8(ascii: "$"): return try dollar()
            case UInt8(ascii: "%"):
                guard peek(1) == UInt8(ascii: "@") else { throw fault("%@", "% begins the place %@ and nothing else", at: index) }
                index += 2
                return .nextPlace
            default: return .number(try number())
            }
        } catch {
            return .malformedValue(error)
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func peek(_ distance: Int) -> UInt8? { index + distance < bytes.count ? bytes[index + distance] : nil }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = peek, belongs(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private func fault(_ expected: String, _ message: String, at position: Int) -> Refusal {
        .syntax(message, at: position, expected: expected)
    }

    /// A word, with further ones behind dots.
    private mutating func path() throws(Refusal) -> String {
        var path = take(while: \.continuesWord)
        while peek == UInt8(ascii: ".") {
            index += 1
            path += "."
            if peek == UInt8(ascii: "@") {
                index += 1
                path += "@"
            }
            guard let byte = peek, byte.startsWord else {
                throw fault("a field", "A field's name is missing behind the dot", at: index)
            }
            path += take(while: \.continuesWord)
        }
        return path
    }

    private mutating func number() throws(Refusal) -> Value {
        let start = index
        if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { index += 1 }
        var digits = take(while: \.isDigit).utf8.count
        var isWhole = true
        if peek == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            digits += take(while: \.isDigit).utf8.count
        }
        guard digits > 0 else { throw fault("a digit", "A number needs digits", at: index) }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isWhole = false
            index += 1
            if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { index += 1 }
            guard !take(while: \.isDigit).isEmpty else { throw fault("a digit", "The number's exponent has no digits", at: index) }
        }
        if let byte = peek, byte.continuesWord || byte == UInt8(ascii: ".") {
            throw fault("the end of the number", "The number is not well formed", at: index)
        }
        let spelling = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let whole = Int64(spelling) { return .integer(whole) }
        guard let value = Double(spelling), value.isFinite else {
            throw fault("a smaller number", "The number \(Quotation.shortened(spelling)) is beyond what a double holds", at: start)
        }
        return .double(value)
    }

    private mutating func dollar() throws(Refusal) -> PredicateToken.Kind {
        let start = index
        index += 1
        let word = take(while: \.continuesWord)
        if word.lowercased() == "user" { return .user }
        guard !word.isEmpty, word.utf8.allSatisfy(\.isDigit) else {
            throw fault("$user or $ and a number", "There is no $\(Quotation.shortened(word))", at: start)
        }
        return .numberedPlace(word)
    }

    private mutating func symbol(_ byte: UInt8) throws(Refusal) -> PredicateToken.Kind {
        func two(_ second: Character) -> Bool { peek(1) == second.asciiValue }
        let (symbol, length): (PredicateToken.Symbol, Int)
        switch byte {
        case UInt8(ascii: "="): (symbol, length) = (.equal, two("=") ? 2 : 1)
        case UInt8(ascii: "!"): (symbol, length) = two("=") ? (.notEqual, 2) : (.not, 1)
        case UInt8(ascii: "<"):
            (symbol, length) = two("=") ? (.lessOrEqual, 2) : two(">") ? (.notEqual, 2) : (.less, 1)
        case UInt8(ascii: ">"): (symbol, length) = two("=") ? (.greaterOrEqual, 2) : (.greater, 1)
        case UInt8(ascii: "&"):
            guard two("&") else { throw fault("&&", "One & is no operator", at: index) }
            (symbol, length) = (.and, 2)
        case UInt8(ascii: "|"):
            guard two("|") else { throw fault("||", "One | is no operator", at: index) }
            (symbol, length) = (.or, 2)
        default:
            guard let found = PredicateToken.Symbol(rawValue: String(UnicodeScalar(byte))), byte < 0x80 else {
                throw fault("a field, a value, an operator or a parenthesis", "\(character()) has no meaning here", at: index)
            }
            (symbol, length) = (found, 1)
        }
        index += length
        return .symbol(symbol)
    }

    /// The character at the index, for a message.
    private func character() -> String {
        var decoder = UTF8()
        var rest = bytes[index...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return "This byte" }
        let code = String(scalar.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        return scalar.properties.isWhitespace || scalar.value < 0x20 ? name : "“\(scalar)” (\(name))"
    }
}

extension PredicateLexer {
    /// A quoted text with JSON's escapes (RFC 8259 §7) and `\'`.
    private mutating func text(quote: UInt8) throws(Refusal) -> String {
        index += 1
        var content: [UInt8] = []
        while let byte = peek {
            if byte == quote {
                index += 1
                return String(decoding: content, as: UTF8.self)
            }
            if byte == 0 { throw fault("a text without NUL", "A text can't hold NUL", at: index) }
            if byte == UInt8(ascii: "\\") {
                content.append(contentsOf: try escape())
            } else {
                content.append(byte)
                index += 1
            }
        }
        let mark = quote == UInt8(ascii: "'") ? "'" : "\""
        throw fault("a closing \(mark)", "The quoted text has no end", at: index)
    }

    private mutating func escape() throws(Refusal) -> [UInt8] {
        let start = index
        index += 1
        guard let byte = peek else { throw fault("an escaped character", "The text ends inside an escape", at: index) }
        index += 1
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default:
            throw fault(
                #"one of \' \" \\ \/ \b \f \n \r \t \uXXXX"#, "The text has an unknown escape; a backslash itself is written twice",
                at: start)
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(Refusal) -> [UInt8] {
        var code = try fourHexDigits()
        if (0xD800...0xDBFF).contains(code), peek == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
            index += 2
            let low = try fourHexDigits()
            guard (0xDC00...0xDFFF).contains(low) else {
                throw fault("a pair of surrogates", "The escape is half of a surrogate pair", at: start)
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw fault("a pair of surrogates", "The escape is half of a surrogate pair", at: start)
        }
        if code == 0 { throw fault("a text without NUL", "A text can't hold NUL", at: start) }
        return Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func fourHexDigits() throws(Refusal) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits", "The escape is not complete", at: index)
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var startsWord: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x5F }
    fileprivate var continuesWord: Bool { startsWord || isDigit }
}

extension Refusal {
    static func syntax(_ message: String, at position: Int, expected: String) -> Refusal {
        Refusal(
            .invalid, "filterSyntax", "\(message); at byte \(position) of the filter \(expected) was expected.", path: "filter",
            position: position, expected: expected)
    }
}
