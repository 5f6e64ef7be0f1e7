/// The classes that clients subscribe to and write.
public enum ClassName: UInt8, CaseIterable, Sendable, Hashable {
    /// A to-do list.
    case project
    /// A task in a project.
    case item
    /// What a user may do in a project.
    case permission
    /// A person or program that logs in.
    case user
    /// What a session is doing in a project right now. Volatile: it lives as long as its session and is in no store.
    case presence

    /// The classes whose objects a store keeps.
    public static let stored: [ClassName] = allCases.filter { !$0.isVolatile }

    /// Whether its objects live in memory only, without versions and history.
    public var isVolatile: Bool { self == .presence }

    /// The class's table of fields.
    @inlinable public var schema: ClassSchema {
        switch self {
        case .project: Schema.project
        case .item: Schema.item
        case .permission: Schema.permission
        case .user: Schema.user
        case .presence: Schema.presence
        }
    }

    /// The name on the wire, such as `Project`.
    public var name: String { schema.name }

    /// The class of that name, exactly as written on the wire.
    public init?(name: String) {
        guard let found = ClassName.allCases.first(where: { $0.schema.name == name }) else { return nil }
        self = found
    }
}

/// A class's fields in their fixed order; the first is the primary key.
public struct ClassSchema: Sendable {
    /// The name on the wire.
    public let name: String
    /// The name as it stands in a sentence, such as `an Item`.
    public var nameInSentence: String { ("AEIO".contains(name.prefix(1)) ? "an " : "a ") + name }
    /// The fields; an object's values stand in the same order. Hidden ones come last.
    public let fields: [Field]
    /// How many of the fields clients see: `fields[..<shownCount]`.
    public let shownCount: Int
    private let places: [String: Int]

    init(_ name: String, _ fields: [Field]) {
        self.name = name
        self.fields = fields
        shownCount = fields.count { $0.keeper != .hidden }
        precondition(fields.prefix(shownCount).allSatisfy { $0.keeper != .hidden }, "the hidden fields of \(name) must come last")
        places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    }

    /// The place of the field of that name, `nil` for one that clients don't see.
    public func place(of name: String) -> Int? {
        guard let place = places[name], place < shownCount else { return nil }
        return place
    }

    func required(_ name: String) -> Int {
        guard let place = places[name] else { preconditionFailure("\(self.name) has no field \(name)") }
        return place
    }
}

/// The one table that validation, storage, queries and diffs all read.
///
/// A new field is one line here and one migration of the store.
public enum Schema {
    /// A to-do list.
    public static let project = ClassSchema(
        "Project",
        [
            Field("projectId", .id, keeper: .creator),
            Field("owner", .id, keeper: .server),
            Field("name", .string(bytes: 1...500)),
            Field("timestamp", .date, keeper: .server),
            Field("itemCount", .integer(0...Int64.max), keeper: .server),
            Field("openCount", .integer(0...Int64.max), keeper: .server),
            Field("access", .word(Access.allCases.map(\.rawValue))),
            Field("creator", .id, keeper: .hidden),
        ])

    /// A task in a project.
    public static let item = ClassSchema(
        "Item",
        [
            Field("itemId", .id, keeper: .creator),
            Field("projectId", .id),
            Field("body", .string(bytes: 0...10_000)),
            Field("isDone", .boolean, initial: .boolean(false)),
            Field("completedAt", .date, optional: true, keeper: .server),
            Field("timestamp", .date, keeper: .server),
            Field("dueDate", .date, optional: true),
            Field("notes", .string(bytes: 0...100_000), initial: .string("")),
            Field("priority", .integer(0...3), initial: .integer(0)),
            Field("position", .string(bytes: 1...1024), keeper: .server),
            Field("createdBy", .id, keeper: .server),
            Field("assignee", .id, optional: true),
            Field("attachments", .strings, keeper: .server, initial: .strings([])),
        ])

    /// What a user may do in a project.
    public static let permission = ClassSchema(
        "Permission",
        [
            Field("permissionId", .permissionId, keeper: .server),
            Field("projectId", .id, keeper: .creator),
            Field("userId", .id, keeper: .creator),
            Field("role", .word(Role.allCases.map(\.name))),
        ])

    /// A person or program that logs in.
    public static let user = ClassSchema(
        "User",
        [
            Field("userId", .id, keeper: .server),
            Field("name", .string(bytes: 1...256), keeper: .server),
            Field("isAdmin", .boolean, keeper: .server, initial: .boolean(false)),
        ])

    /// What a session is doing in a project right now.
    public static let presence = ClassSchema(
        "Presence",
        [
            Field("presenceId", .id, keeper: .creator),
            Field("projectId", .id, keeper: .creator),
            Field("userId", .id, keeper: .server),
            Field("state", .json(bytesMax: 1024), optional: true),
            Field("session", .id, keeper: .hidden),
        ])
}

/// The places of a project's fields.
package enum ProjectField {
    package static let projectId = Schema.project.required("projectId")
    package static let owner = Schema.project.required("owner")
    package static let name = Schema.project.required("name")
    package static let timestamp = Schema.project.required("timestamp")
    package static let itemCount = Schema.project.required("itemCount")
    package static let openCount = Schema.project.required("openCount")
    package static let access = Schema.project.required("access")
    package static let creator = Schema.project.required("creator")
}

/// The places of an item's fields.
package enum ItemField {
    package static let itemId = Schema.item.required("itemId")
    package static let projectId = Schema.item.required("projectId")
    package static let body = Schema.item.required("body")
    package static let isDone = Schema.item.required("isDone")
    package static let completedAt = Schema.item.required("completedAt")
    package static let timestamp = Schema.item.required("timestamp")
    package static let position = Schema.item.required("position")
    package static let createdBy = Schema.item.required("createdBy")
    package static let assignee = Schema.item.required("assignee")
}

/// The places of a permission's fields.
package enum PermissionField {
    package static let permissionId = Schema.permission.required("permissionId")
    package static let projectId = Schema.permission.required("projectId")
    package static let userId = Schema.permission.required("userId")
    package static let role = Schema.permission.required("role")
}

/// The places of a presence's fields.
package enum PresenceField {
    package static let presenceId = Schema.presence.required("presenceId")
    package static let projectId = Schema.presence.required("projectId")
    package static let userId = Schema.presence.required("userId")
    package static let session = Schema.presence.required("session")
}

/// The places of a user's fields.
package enum UserField {
    package static let userId = Schema.user.required("userId")
    package static let name = Schema.user.required("name")
    package static let isAdmin = Schema.user.required("isAdmin")
}
