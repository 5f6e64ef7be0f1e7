/// An object of one of the classes: its values in the order of the schema.
public struct Object: Sendable, Hashable {
    /// Its class.
    public let className: ClassName
    /// One value a field, in the order of `className.schema.fields`.
    public var values: [Value]

    /// An object of the class; `values` must have one value a field.
    public init(_ className: ClassName, _ values: [Value]) {
        precondition(
            values.count == className.schema.fields.count,
            "\(className.name) has \(className.schema.fields.count) fields, not \(values.count)")
        self.className = className
        self.values = values
    }

    /// The value of the field at that place.
    @inlinable public subscript(place: Int) -> Value {
        get { values[place] }
        set { values[place] = newValue }
    }

    /// The primary key.
    public var key: String { text(0) }

    /// The text at that place; the schema guarantees that the field is a string that is not null.
    public func text(_ place: Int) -> String {
        guard case .string(let value) = values[place] else {
            preconditionFailure("\(className.name).\(className.schema.fields[place].name) is not a text")
        }
        return value
    }

    /// About how many bytes the object has on the wire: its texts and what stands around them.
    public var approximateBytes: Int {
        values.reduce(32) { sum, value in
            switch value {
            case .string(let text): sum + text.utf8.count + 20
            case .json(let text): sum + text.utf8.count + 20
            case .strings(let texts): texts.reduce(sum + 20) { $0 + $1.utf8.count + 3 }
            default: sum + 24
            }
        }
    }

    /// The id of the project whose rights decide over this object: its own for a project, `nil` for a user.
    public var projectId: String? {
        switch className {
        case .project: text(ProjectField.projectId)
        case .item: text(ItemField.projectId)
        case .permission: text(PermissionField.projectId)
        case .presence: text(PresenceField.projectId)
        case .user: nil
        }
    }
}

/// What a commit did to one object.
public struct Change: Sendable, Hashable {
    /// The object's class.
    public let className: ClassName
    /// The object's primary key.
    public let key: String
    /// The object before, `nil` where it was created.
    public let before: Object?
    /// The object after, `nil` where it was deleted.
    public let after: Object?

    /// A change of the object with that key.
    public init(_ className: ClassName, key: String, before: Object?, after: Object?) {
        self.className = className
        self.key = key
        self.before = before
        self.after = after
    }
}

/// Names one object of the store.
public struct ObjectID: Sendable, Hashable {
    /// The object's class.
    public let className: ClassName
    /// The object's primary key.
    public let key: String

    /// The object of that class with that key.
    public init(_ className: ClassName, _ key: String) {
        self.className = className
        self.key = key
    }
}

/// The rule for ids: 1–64 characters out of `A–Z a–z 0–9 _ -`.
public enum Identifier {
    /// Whether the text may be an id.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
