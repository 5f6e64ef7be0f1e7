/// What a user may do in a project; each role includes the ones below it.
public enum Role: Int, CaseIterable, Comparable, Sendable {
    /// Sees the project and its items.
    case viewer
    /// Also creates, changes, moves and deletes items, and renames the project.
    case editor
    /// Also deletes the project, changes its access and its permissions.
    case owner

    /// The word on the wire.
    public var name: String {
        switch self {
        case .viewer: "viewer"
        case .editor: "editor"
        case .owner: "owner"
        }
    }

    /// The role of that word.
    public init?(name: String) {
        guard let found = Role.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Orders by what is allowed.
    public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}

/// What everybody may do in a project, besides those who hold a permission.
public enum Access: String, CaseIterable, Sendable {
    /// Only those who hold a permission see it.
    case `private`
    /// Everybody sees it and its items.
    case everyoneRead = "everyone-read"
    /// Everybody does what an editor may.
    case everyoneWrite = "everyone-write"

    /// The role that it gives to everybody.
    public var role: Role? {
        switch self {
        case .private: nil
        case .everyoneRead: .viewer
        case .everyoneWrite: .editor
        }
    }
}

/// Whose rights decide.
public struct Caller: Sendable, Hashable {
    /// The user's id.
    public let userId: String
    /// Whether this user may do everything.
    public let isAdmin: Bool

    /// The user of that id.
    public init(userId: String, isAdmin: Bool) {
        self.userId = userId
        self.isAdmin = isAdmin
    }
}
