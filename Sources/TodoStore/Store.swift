public import Todo

/// One committed state of a store: objects, accounts' names, and the change log that led to it.
public protocol CommittedReader: ObjectReader {
    /// The number of the last commit that it shows; 0 for a store without any.
    var version: Int64 { get }
    /// What happened behind that version, merged for each object; reads at most `rowsMax` rows of the log.
    func changes(since version: Int64, rowsMax: Int) throws(StoreFailure) -> ChangesSince
    /// The logged changes of a project or an item, the newest entry first, at most `limit` entries.
    ///
    /// Only versions below `before` are given, where it is not `nil`. The list may be shorter than `limit`, but not empty, although
    /// older entries exist: where entries are so large that reading more of them would cost too much at once.
    func history(of scope: HistoryScope, before: Int64?, limit: Int) throws(StoreFailure) -> [HistoryEntry]
    /// The user that claimed this name (`Store.claimName`).
    func userNamed(normalisedName: String) throws(StoreFailure) -> Object?
}

/// A committed state that stays as it is while the store goes on, for use away from the committer's thread.
///
/// It belongs to one thread at a time: whoever holds it may hand it on, but two must not use it at once.
public protocol Snapshot: CommittedReader, Sendable {
    /// Gives the state back; the snapshot must not be used afterwards. A second call does nothing.
    ///
    /// A snapshot that is kept for long keeps the store's files from shrinking.
    func release()
}

/// The durable state of a server: objects, change log, remembered transactions, accounts and tokens.
///
/// Everything is called by one thread, the committer; only a `Snapshot` may go elsewhere. A group of client transactions is
/// written as `begin`, for each of them `beginNested` and `commitNested` or `rollbackNested`, and `commit`.
/// Reads inside a transaction see its writes; outside they see the last committed state.
public protocol Store: CommittedReader, ObjectStore {
    /// A random id of this store's history, made when the store was or when it was restored: a position in one history means nothing in another.
    var epoch: String { get }
    /// The version that the next entry of the log must have: one more than the last one, counting this transaction's.
    var nextVersion: Int64 { get }

    /// Starts a transaction.
    func begin() throws(StoreFailure)
    /// Makes the transaction durable: when it returns, neither a crash nor a power cut loses it.
    ///
    /// When it throws, nothing of the transaction is kept, no transaction is open any more, and the store can be used again.
    func commit() throws(StoreFailure)
    /// Drops the transaction; without one it does nothing.
    func rollback()
    /// Starts a part of the transaction that can be dropped by itself. Parts don't nest in each other.
    func beginNested() throws(StoreFailure)
    /// Keeps the part, if the whole transaction is kept.
    func commitNested() throws(StoreFailure)
    /// Drops the part and nothing else.
    ///
    /// It throws where the whole transaction is lost (disk full, I/O error): then `rollback` is all that is left to do.
    func rollbackNested() throws(StoreFailure)

    /// Adds an entry to the change log; its version must be `nextVersion`.
    func append(_ entry: LogEntry) throws(StoreFailure)
    /// Records that a client's transaction was applied; an earlier record of the same name is replaced.
    func remember(_ transaction: RememberedTransaction) throws(StoreFailure)
    /// The record of that user's transaction; it may be older than it counts, until upkeep removes it.
    func rememberedTransaction(user: String, txn: String) throws(StoreFailure) -> RememberedTransaction?

    /// The account of that provider and subject.
    func account(provider: String, subject: String) throws(StoreFailure) -> Account?
    /// The accounts of a user, ordered by provider and subject.
    func accounts(ofUser userId: String) throws(StoreFailure) -> [Account]
    /// Adds an account; `false`, with nothing written, where its provider and subject are taken.
    func insertAccount(_ account: Account) throws(StoreFailure) -> Bool
    /// Replaces the password's hash; `false` where there is no such account.
    @discardableResult
    func setPasswordHash(_ hash: String?, provider: String, subject: String) throws(StoreFailure) -> Bool
    /// Suspends all accounts of a user, or lifts that.
    func setSuspended(_ isSuspended: Bool, user userId: String) throws(StoreFailure)
    /// Removes the accounts of a user and gives the user's name free.
    func deleteAccounts(ofUser userId: String) throws(StoreFailure)
    /// Makes the name that user's only one, so that `userNamed` finds the user by it; `false`, with nothing written, where another
    /// user has it. The name is compared byte for byte: what counts as the same name is settled by the caller.
    func claimName(_ normalisedName: String, user userId: String) throws(StoreFailure) -> Bool

    /// When the user was last seen: when one of its tokens was last used, or, of tokens that are gone, when the last of them was. `nil` where it
    /// never had any.
    func lastSeen(ofUser userId: String) throws(StoreFailure) -> Timestamp?

    /// Adds a token.
    func insertToken(_ token: TokenRecord) throws(StoreFailure)
    /// The token of that hash, even where it has expired.
    func token(hash: [UInt8]) throws(StoreFailure) -> TokenRecord?
    /// The tokens of a user, the oldest first.
    func tokens(ofUser userId: String) throws(StoreFailure) -> [TokenRecord]
    /// Records that a token was used, and until when it lives now.
    func touchToken(hash: [UInt8], lastSeenAt: Timestamp, expiresAt: Timestamp) throws(StoreFailure)
    /// Removes a token; `false` where there is none.
    @discardableResult
    func deleteToken(hash: [UInt8]) throws(StoreFailure) -> Bool
    /// Removes all tokens of a user and gives their hashes.
    func deleteTokens(ofUser userId: String) throws(StoreFailure) -> [[UInt8]]

    /// Adds an invitation.
    func insertInvitation(_ invitation: Invitation) throws(StoreFailure)
    /// The invitation whose code has that hash, even where it is over.
    func invitation(codeHash: [UInt8]) throws(StoreFailure) -> Invitation?
    /// The invitation of that id, even where it is over.
    func invitation(_ inviteId: String) throws(StoreFailure) -> Invitation?
    /// The invitations of a project, the oldest first.
    func invitations(ofProject projectId: String) throws(StoreFailure) -> [Invitation]
    /// Says how many may still take the invitation.
    func setUsesLeft(_ uses: Int, ofInvitation inviteId: String) throws(StoreFailure)
    /// Removes an invitation; `false` where there is none.
    @discardableResult
    func deleteInvitation(_ inviteId: String) throws(StoreFailure) -> Bool
    /// Removes the invitations of a project.
    func deleteInvitations(ofProject projectId: String) throws(StoreFailure)

    /// The last committed state.
    func snapshot() throws(StoreFailure) -> any Snapshot
    /// One small step of removing what has grown too old, in a transaction of its own; `true` while more is waiting.
    func upkeep(now: Timestamp, limits: UpkeepLimits) throws(StoreFailure) -> Bool
    /// Closes the store, dropping an open transaction. The store must not be used afterwards; a second call does nothing.
    func close()
}
