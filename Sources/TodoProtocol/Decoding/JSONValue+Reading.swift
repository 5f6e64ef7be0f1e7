internal import Bytes
internal import Todo

/// Typed reading with the protocol's errors. None of them has a path: each level on the way out puts its own in front.
extension JSONValue {
    /// A string's text up to the length that an error message may repeat.
    var shortenedText: String {
        guard let utf8 else { return "" }
        // Cut bytes before they become text; four bytes a character are room enough.
        return Quotation.shortened(String(decoding: utf8.prefix(Quotation.lengthMax * 4 + 4), as: UTF8.self))
    }

    /// A string without NUL whose length in UTF-8 bytes lies in the range.
    func text(bytes: ClosedRange<Int>) throws(ErrorResponse) -> String {
        guard let utf8 else { throw wrongType("a string") }
        guard !containsNUL else { throw .nul }
        guard utf8.count >= bytes.lowerBound else {
            throw .invalid(.tooShort, "The text needs \(bytes.lowerBound) bytes in UTF-8 at the least, and this has \(utf8.count).")
        }
        guard utf8.count <= bytes.upperBound else {
            throw .invalid(.tooLong, "At most \(bytes.upperBound) bytes in UTF-8 are taken here, not \(utf8.count).")
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// An id.
    func identifier() throws(ErrorResponse) -> String {
        let text = try text(bytes: 0...Int.max)
        guard Identifier.isValid(text) else { throw .invalid(.invalidId, "\(FieldType.id.expectation.capitalizedFirst) belongs here.") }
        return text
    }

    /// A whole number in the range.
    func integer(in range: ClosedRange<Int64>) throws(ErrorResponse) -> Int64 {
        let expectation = FieldType.integer(range).expectation
        if let number = int64 {
            guard range.contains(number) else { throw outOfRange(expectation, "\(number)") }
            return number
        }
        guard let wide = wideWhole else { throw wrongType("a whole number") }
        // A number that no counter reaches is like the largest: where that is taken, so is this.
        let bound = wide < 0 ? Int64.min : Int64.max
        guard range.contains(bound) else { throw outOfRange(expectation, "\(wide)") }
        return bound
    }

    private func outOfRange(_ expectation: String, _ found: String) -> ErrorResponse {
        .invalid(.outOfRange, "\(expectation.capitalizedFirst) belongs here, not \(found).")
    }

    /// A whole number that 64 bits don't hold; `nil` for all else.
    private var wideWhole: Double? {
        guard kind == .number, int64 == nil, let double, double.isWhole else { return nil }
        return double
    }

    /// A boolean.
    func flag() throws(ErrorResponse) -> Bool {
        guard let bool else { throw wrongType("true or false") }
        return bool
    }

    /// A class of the schema.
    func className() throws(ErrorResponse) -> ClassName {
        let name = try text(bytes: 0...Int.max)
        if let found = ClassName(name: name), found.name.hasSameBytes(as: name) { return found }
        let names = ClassName.allCases.map(\.name)
        let near = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        let hint = near ?? "there are \(names.joined(separator: ", "))."
        throw .invalid(.unknownClass, "There is no class '\(Quotation.shortened(name))': \(hint)")
    }

    /// A value that one field could hold or one argument be, by the kind of the JSON; a date is still a string.
    func scalar() throws(ErrorResponse) -> Value {
        switch kind {
        case .null: return .null
        case .bool: return .boolean(bool == true)
        case .number:
            if let whole = int64 { return .integer(whole) }
            return .double(double ?? 0)
        case .string: return .string(try text(bytes: 0...Int.max))
        case .array, .object: throw wrongType("null, a boolean, a number or a string")
        }
    }

    /// The error for a value of another kind.
    func wrongType(_ expected: String) -> ErrorResponse {
        let found =
            switch kind {
            case .null: "null"
            case .bool: "a boolean"
            case .number: int64 == nil && wideWhole == nil ? "a number that is not whole" : "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        return .invalid(.wrongType, "\(expected.capitalizedFirst) belongs here, not \(found).")
    }
}

extension ErrorResponse {
    /// A string holds NUL.
    static let nul = ErrorResponse.invalid(.nul, "A string can't hold the character NUL (U+0000).")
}

extension String {
    /// The text with its first letter large, to begin a sentence.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
