public import Todo

/// A way into a project for whoever has its code. The code itself is not stored.
public struct Invitation: Sendable, Equatable {
    /// Its id, which is no secret.
    public let inviteId: String
    /// The SHA-256 of the code, 32 bytes.
    public let codeHash: [UInt8]
    /// The project into which it leads.
    public let projectId: String
    /// What it allows there.
    public let role: Role
    /// Who made it.
    public let createdBy: String
    /// When it was made.
    public let createdAt: Timestamp
    /// From when on it does not hold.
    public let expiresAt: Timestamp
    /// How many may still take it.
    public let usesLeft: Int

    /// An invitation into that project.
    public init(
        inviteId: String, codeHash: [UInt8], projectId: String, role: Role, createdBy: String, createdAt: Timestamp, expiresAt: Timestamp,
        usesLeft: Int
    ) {
        self.inviteId = inviteId
        self.codeHash = codeHash
        self.projectId = projectId
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usesLeft = usesLeft
    }
}
