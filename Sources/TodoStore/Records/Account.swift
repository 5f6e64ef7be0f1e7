public import Todo

/// A way in which a user logs in. It is kept apart from the `User` object, so that no query can reach it.
public struct Account: Sendable, Equatable {
    /// The user's id.
    public let userId: String
    /// Who vouches for the identity: `password`, `nickname` or `jwt`.
    public let provider: String
    /// The identity at that provider: the normalised name, or a token's `sub`.
    public let subject: String
    /// The password's hash with its parameters, where there is a password.
    public let passwordHash: String?
    /// Whether logging in is refused for now.
    public let isSuspended: Bool
    /// When it was made.
    public let createdAt: Timestamp

    /// An account of that user.
    public init(
        userId: String, provider: String, subject: String, passwordHash: String?, isSuspended: Bool = false, createdAt: Timestamp
    ) {
        self.userId = userId
        self.provider = provider
        self.subject = subject
        self.passwordHash = passwordHash
        self.isSuspended = isSuspended
        self.createdAt = createdAt
    }
}

/// A token that a log-in gave out, by its hash: the token itself is not stored.
public struct TokenRecord: Sendable, Equatable {
    /// The SHA-256 of the token, 32 bytes.
    public let hash: [UInt8]
    /// Whom it logs in.
    public let userId: String
    /// When it was given out.
    public let createdAt: Timestamp
    /// From when on it is refused.
    public let expiresAt: Timestamp
    /// When it was last used.
    public let lastSeenAt: Timestamp
    /// The program that asked for it, as it named itself.
    public let userAgent: String?

    /// A token of that user.
    public init(hash: [UInt8], userId: String, createdAt: Timestamp, expiresAt: Timestamp, lastSeenAt: Timestamp, userAgent: String?) {
        self.hash = hash
        self.userId = userId
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastSeenAt = lastSeenAt
        self.userAgent = userAgent
    }
}
