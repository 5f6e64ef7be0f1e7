public import Todo

/// Names a user: by a name, or by an id.
public enum UserReference: Sendable, Hashable {
    /// By the whole name, compared as at the log-in.
    case name(String)
    /// By the id.
    case userId(String)
}

/// The calls of `invite.…`.
public enum InviteCall: Sendable, Hashable {
    /// Makes an invitation.
    case create(InviteParams)
    /// Takes an invitation by its code.
    case accept(code: String)
    /// Lists the invitations of a project that still hold.
    case list(projectId: String)
    /// Ends an invitation.
    case revoke(inviteId: String)

    /// The method that is called.
    public var method: Method {
        switch self {
        case .create: .inviteCreate
        case .accept: .inviteAccept
        case .list: .inviteList
        case .revoke: .inviteRevoke
        }
    }
}

/// The parameters of `invite.create`.
public struct InviteParams: Sendable, Hashable {
    /// The project into which the invitation leads.
    public var projectId: String
    /// What it allows there.
    public var role: Role
    /// Until when it holds.
    public var life: InviteLife
    /// How many people may take it.
    public var uses: Int

    /// An invitation into that project.
    public init(projectId: String, role: Role, life: InviteLife = .standard, uses: Int = 1) {
        self.projectId = projectId
        self.role = role
        self.life = life
        self.uses = uses
    }
}

/// How long an invitation holds.
public enum InviteLife: Sendable, Hashable {
    /// As long as the server chooses.
    case standard
    /// So many seconds from now on.
    case seconds(Int64)
    /// Until then.
    case until(Timestamp)
}

/// The calls of `admin.…`.
public enum AdminCall: Sendable, Hashable {
    /// What the server holds and has done.
    case stats
    /// The users, by name.
    case users(offset: Int, limit: Int)
    /// The connections, of one user or of all.
    case sessions(userId: String?)
    /// Closes one connection.
    case disconnectSession(String)
    /// Closes all connections of a user.
    case disconnectUser(String)
    /// Removes a user.
    case deleteUser(String, OwnProjects)

    /// The method that is called.
    public var method: Method {
        switch self {
        case .stats: .adminStats
        case .users: .adminUsers
        case .sessions: .adminSessions
        case .disconnectSession, .disconnectUser: .adminDisconnect
        case .deleteUser: .adminDeleteUser
        }
    }
}
