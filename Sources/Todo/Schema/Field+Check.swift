extension Field {
    /// Why the field does not take the value, `nil` where it does: kind, range, length, id rule, words.
    ///
    /// The refusal has no path; whoever knows where the value stood adds it with `under(_:)`. Who may give the value
    /// (`keeper`) is not looked at.
    public func check(_ value: Value) -> Refusal? {
        checkKind(value) ?? checkContent(value)
    }

    /// Why a value of this kind can never be the field's, `nil` where it can: the check for a condition (`if`), where a
    /// value outside the range is no mistake but simply does not match.
    public func checkKind(_ value: Value) -> Refusal? {
        let fits =
            switch (type, value) {
            case (_, .null): isOptional
            case (.string, .string), (.id, .string), (.permissionId, .string), (.word, .string): true
            case (.integer, .double(let number)): number.isWhole
            case (.boolean, .boolean), (.integer, .integer), (.date, .date), (.strings, .strings), (.json, .json): true
            default: false
            }
        if fits { return nil }
        let found = value.isNull ? "it can't be null" : "not \(value.kindDescription)"
        return Refusal(.invalid, "wrongType", "\(name) takes \(type.expectation); \(found).")
    }

    private func checkContent(_ value: Value) -> Refusal? {
        switch (type, value) {
        case (.string(let bytes), .string(let text)): check(text, bytes: bytes)
        case (.id, .string(let text)):
            Identifier.isValid(text) ? nil : Refusal(.invalid, "invalidId", "\(name) takes \(type.expectation).")
        case (.permissionId, .string(let text)):
            Identifier.isPermissionId(text) ? nil : Refusal(.invalid, "invalidId", "\(name) takes \(type.expectation).")
        case (.word(let words), .string(let text)):
            words.contains { $0.hasSameBytes(as: text) }
                ? nil : Refusal(.invalid, "unknownWord", "\(name) takes \(type.expectation).")
        case (.integer(let range), .integer(let number)):
            range.contains(number) ? nil : Refusal(.invalid, "outOfRange", "\(name) takes \(type.expectation), not \(number).")
        case (.integer, .double(let number)): Refusal(.invalid, "outOfRange", "\(name) takes \(type.expectation), not \(number).")
        case (.date, .date(let moment)):
            moment >= .earliest && moment <= .latest
                ? nil : Refusal(.invalid, "invalidDate", "\(name) takes a date of the years 0001 to 9999.")
        case (.strings, .strings(let texts)):
            texts.contains { $0.utf8.contains(0) } ? Refusal(.invalid, "nul", "\(name) can't hold the character NUL.") : nil
        case (.json(let bytesMax), .json(let text)):
            text.utf8.count <= bytesMax
                ? nil : Refusal(.invalid, "tooLong", "\(name) takes at most \(bytesMax) bytes of JSON, not \(text.utf8.count).")
        default: nil
        }
    }

    private func check(_ text: String, bytes: ClosedRange<Int>) -> Refusal? {
        let count = text.utf8.count
        if count > bytes.upperBound {
            return Refusal(.invalid, "tooLong", "\(name) takes at most \(bytes.upperBound) bytes in UTF-8, not \(count).")
        }
        if count < bytes.lowerBound {
            return Refusal(.invalid, "tooShort", "\(name) takes at least \(bytes.lowerBound) bytes in UTF-8, not \(count).")
        }
        return text.utf8.contains(0) ? Refusal(.invalid, "nul", "\(name) can't hold the character NUL.") : nil
    }
}

extension FieldType {
    /// What the type takes, as the object of a sentence: "a whole number from 0 to 3".
    public var expectation: String {
        switch self {
        case .string(let bytes): "a string of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
        case .id: "an id of 1 to 64 characters out of A–Z a–z 0–9 _ -"
        case .permissionId: "a permission's id, 'projectId:userId'"
        case .boolean: "true or false"
        case .integer(let range) where range.upperBound == Int64.max: "a whole number from \(range.lowerBound) on"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .date: "a date in RFC 3339, such as '2026-11-30T01:02:03.123Z'"
        case .word(let words): "one of " + words.map { "'\($0)'" }.joined(separator: ", ")
        case .strings: "an array of strings"
        case .json(let bytesMax): "any JSON of at most \(bytesMax) bytes"
        }
    }
}

extension Value {
    /// The kind of the value, as the object of a sentence: "a string".
    public var kindDescription: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "a whole number"
        case .double(let number): number.isWhole ? "a whole number" : "a number that is not whole"
        case .string: "a string"
        case .date: "a date"
        case .strings: "an array of strings"
        case .json: "JSON"
        }
    }
}

extension Double {
    /// Whether it has no fraction.
    package var isWhole: Bool { rounded(.towardZero) == self }
}

extension Identifier {
    /// Whether the text may be a permission's key: two ids with a colon between them.
    public static func isPermissionId(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { isValid(String($0)) }
    }
}

extension ClassName {
    /// The places of the fields that must be given to create an object.
    ///
    /// Not among them: what the server keeps or hides, what has a default, a key that the server chooses where it is not given,
    /// and `Project.access`, whose default comes from the server's configuration.
    public var placesNeededToCreate: [Int] {
        switch self {
        case .project: NeededToCreate.project
        case .item: NeededToCreate.item
        case .permission: NeededToCreate.permission
        case .user: NeededToCreate.user
        case .presence: NeededToCreate.presence
        }
    }

    /// The first field that must be given to create an object and is not among the values.
    public func missingField(in values: FieldValues) -> Field? {
        for place in placesNeededToCreate where !values.contains(where: { $0.place == place }) {
            return schema.fields[place]
        }
        return nil
    }
}

private enum NeededToCreate {
    static let project = places(Schema.project, except: [ProjectField.projectId, ProjectField.access])
    static let item = places(Schema.item, except: [ItemField.itemId])
    static let permission = places(Schema.permission, except: [PermissionField.permissionId])
    static let user = places(Schema.user, except: [])
    static let presence = places(Schema.presence, except: [PresenceField.presenceId])

    private static func places(_ schema: ClassSchema, except left: Set<Int>) -> [Int] {
        schema.fields.indices.filter { place in
            let field = schema.fields[place]
            return (field.keeper == .client || field.keeper == .creator) && field.initial == nil && !left.contains(place)
        }
    }
}
