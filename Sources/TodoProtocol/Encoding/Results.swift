public import Todo

/// What `info` tells.
public struct ServerInfo: Sendable {
    /// The server's name and version.
    public var server: String
    /// The log-in providers that are enabled.
    public var providers: [String]
    /// The limits by name, in the order in which they are shown.
    public var limits: [(name: String, maximum: Int)]
    /// The id of the store's history.
    public var epoch: String
    /// The server's clock.
    public var now: Timestamp
    /// Where every complete list of the connection stands; `nil` before the log-in.
    public var version: Int64?

    /// All of it.
    public init(
        server: String, providers: [String], limits: [(name: String, maximum: Int)], epoch: String, now: Timestamp, version: Int64? = nil
    ) {
        self.server = server
        self.providers = providers
        self.limits = limits
        self.epoch = epoch
        self.now = now
        self.version = version
    }
}

/// What `login` and `register` answer.
public struct LoginResult: Sendable, Hashable {
    /// The user's id.
    public var userId: String
    /// The user's name.
    public var name: String
    /// Whether the user may do everything.
    public var isAdmin: Bool
    /// What to log in with the next time; secret.
    public var token: String
    /// When the token ends.
    public var expiresAt: Timestamp

    /// All of it.
    public init(userId: String, name: String, isAdmin: Bool, token: String, expiresAt: Timestamp) {
        self.userId = userId
        self.name = name
        self.isAdmin = isAdmin
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// One log-in of a user, as `sessions` lists it: all connections on one token.
public struct SessionInfo: Sendable, Hashable {
    /// Its id, which says nothing about the token.
    public var id: String
    /// When the token was given out.
    public var created: Timestamp
    /// When it was last used; now, while a connection is open on it.
    public var lastSeen: Timestamp
    /// When the token ends.
    public var expiresAt: Timestamp
    /// The program, as it named itself.
    public var userAgent: String?
    /// Where an open connection on it comes from.
    public var address: String?
    /// Whether it is the log-in of the connection that asks.
    public var isCurrent: Bool

    /// All of it.
    public init(
        id: String, created: Timestamp, lastSeen: Timestamp, expiresAt: Timestamp, userAgent: String?, address: String?, isCurrent: Bool
    ) {
        self.id = id
        self.created = created
        self.lastSeen = lastSeen
        self.expiresAt = expiresAt
        self.userAgent = userAgent
        self.address = address
        self.isCurrent = isCurrent
    }
}
