public import Todo

/// What an operator, or an admin, does to accounts. Users are meant by their names, as the rule for names compares them.
///
/// The server, and `todo-server user` while no server runs, carry it out alike, by `Hub.operate`.
public enum OperatorCommand: Sendable, Equatable {
    /// Makes an account with a password, by the password's stored form.
    case add(name: String, passwordHash: String, isAdmin: Bool)
    /// Gives the account another password, and ends all its log-ins.
    case setPassword(name: String, passwordHash: String)
    /// Makes the user an admin, or takes that back; at once, also on open connections.
    case setAdmin(name: String, isAdmin: Bool)
    /// Refuses the user's log-ins and ends those that there are, or lets them in again.
    case suspend(name: String, isSuspended: Bool)
    /// Removes the user, with all permissions and log-ins.
    case delete(name: String, ownProjects: OwnProjects)
    /// Tells of every user.
    case list

    /// What becomes of the projects of which a deleted user is the only owner.
    public enum OwnProjects: Sendable, Equatable {
        /// Nobody has said: the deletion is refused where there are any.
        case undecided
        /// That user becomes their owner.
        case handOver(to: String)
        /// They are deleted, with their items.
        case delete
    }

    /// The word for the log.
    var event: String {
        switch self {
        case .add: "user.add"
        case .setPassword: "user.passwd"
        case .setAdmin: "user.admin"
        case .suspend: "user.suspend"
        case .delete: "user.delete"
        case .list: "user.list"
        }
    }
}

/// What came of an operator's command.
public enum OperatorReply: Sendable, Equatable {
    /// It is done, and durable: a sentence.
    case done(String)
    /// The users, by name.
    case users([OperatorUser])
    /// It was not done: why, in a sentence.
    case refused(String)
}

/// A user as the operator sees one.
public struct OperatorUser: Sendable, Equatable {
    /// The user's id.
    public var userId: String
    /// The user's name.
    public var name: String
    /// Whether the user may do everything.
    public var isAdmin: Bool
    /// Whether log-ins are refused.
    public var isSuspended: Bool
    /// How the user logs in.
    public var providers: [String]
    /// Now where a connection is open, else when a token was last used, as far as that is recorded; `nil` where the user never logged in.
    public var lastSeen: Timestamp?

    /// All of it.
    public init(userId: String, name: String, isAdmin: Bool, isSuspended: Bool, providers: [String], lastSeen: Timestamp?) {
        self.userId = userId
        self.name = name
        self.isAdmin = isAdmin
        self.isSuspended = isSuspended
        self.providers = providers
        self.lastSeen = lastSeen
    }
}
