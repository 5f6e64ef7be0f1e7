public import Todo

/// The result of a client's transaction, kept so that sending it again does not apply it again.
public struct RememberedTransaction: Sendable, Equatable {
    /// The user who sent it.
    public let userId: String
    /// The name that the client gave it, unique for the user.
    public let txn: String
    /// The version that it produced.
    public let version: Int64
    /// The result's ids, one an entry of the transaction.
    public let ids: [String?]
    /// When it was applied.
    public let at: Timestamp

    /// A record of an applied transaction.
    public init(userId: String, txn: String, version: Int64, ids: [String?], at: Timestamp) {
        self.userId = userId
        self.txn = txn
        self.version = version
        self.ids = ids
        self.at = at
    }
}
