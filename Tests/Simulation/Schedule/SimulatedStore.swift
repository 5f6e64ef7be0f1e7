import Todo
import TodoStore

/// A real store that fails when the schedule says so, and tells the oracle what became durable.
final class SimulatedStore: Store {
    enum Trouble {
        /// The process dies right before the commit that is next.
        case crashBeforeCommit
        /// The process dies when the commit that is next is durable, before anybody hears of it.
        case crashAfterCommit
        /// The process dies in the middle of a transaction.
        case crashAtWrite
        /// The commit that is next fails, and the process lives.
        case commitFails
        /// The database drops the whole transaction at the write that is next, as it does after some errors.
        case transactionIsLost
    }

    let real: SQLiteStore
    /// Told of each durable commit: what was logged, and the transactions that were remembered.
    let committed: ([LogEntry], [RememberedTransaction]) -> Void
    var trouble: Trouble?
    /// Whether nothing can be written.
    var isFull = false
    /// How long upkeep keeps the log.
    var logAgeMilliseconds: Int64 = .max / 4
    /// The process has died: whatever it goes on to do, nobody sees.
    private(set) var hasCrashed = false
    private var isLost = false
    private var entries: [LogEntry] = []
    private var remembered: [RememberedTransaction] = []
    private var nested = (entries: 0, remembered: 0)

    init(_ real: SQLiteStore, committed: @escaping ([LogEntry], [RememberedTransaction]) -> Void) {
        self.real = real
        self.committed = committed
    }

    private func checkWrite() throws(StoreFailure) {
        if trouble == .crashAtWrite {
            trouble = nil
            hasCrashed = true
        }
        if hasCrashed { throw StoreFailure("the process is gone") }
        if isFull { throw StoreFailure("the disk is full") }
        if trouble == .transactionIsLost {
            trouble = nil
            isLost = true
        }
        if isLost { throw StoreFailure("the transaction is lost") }
    }

    // MARK: Transactions

    var epoch: String { real.epoch }
    var version: Int64 { real.version }
    var nextVersion: Int64 { real.nextVersion }

    func begin() throws(StoreFailure) {
        if hasCrashed { throw StoreFailure("the process is gone") }
        entries = []
        remembered = []
        try real.begin()
    }

    func commit() throws(StoreFailure) {
        if trouble == .crashBeforeCommit, !entries.isEmpty {
            trouble = nil
            hasCrashed = true
        }
        let fails = trouble == .commitFails && !entries.isEmpty
        if fails { trouble = nil }
        guard !hasCrashed, !isFull, !isLost, !fails else {
            isLost = false
            real.rollback()
            throw StoreFailure("the commit failed")
        }
        try real.commit()
        committed(entries, remembered)
        if trouble == .crashAfterCommit, !entries.isEmpty {
            trouble = nil
            hasCrashed = true
        }
    }

    func rollback() {
        isLost = false
        real.rollback()
    }

    func beginNested() throws(StoreFailure) {
        nested = (entries.count, remembered.count)
        try real.beginNested()
    }

    func commitNested() throws(StoreFailure) { try real.commitNested() }

    func rollbackNested() throws(StoreFailure) {
        entries.removeSubrange(nested.entries...)
        remembered.removeSubrange(nested.remembered...)
        try real.rollbackNested()
        if isLost { throw StoreFailure("the transaction is lost") }
    }

    func append(_ entry: LogEntry) throws(StoreFailure) {
        try checkWrite()
        try real.append(entry)
        entries.append(entry)
    }

    func remember(_ transaction: RememberedTransaction) throws(StoreFailure) {
        try checkWrite()
        try real.remember(transaction)
        remembered.append(transaction)
    }

    func rememberedTransaction(user: String, txn: String) throws(StoreFailure) -> RememberedTransaction? {
        try real.rememberedTransaction(user: user, txn: txn)
    }

    func upkeep(now: Timestamp, limits: UpkeepLimits) throws(StoreFailure) -> Bool {
        try checkWrite()
        var limits = limits
        limits.logAgeMilliseconds = logAgeMilliseconds
        limits.rowsMax = 7
        return try real.upkeep(now: now, limits: limits)
    }

    func snapshot() throws(StoreFailure) -> any Snapshot { try real.snapshot() }

    func close() { real.close() }

    // MARK: Objects

    func insert(_ object: Object) throws(StoreFailure) {
        try checkWrite()
        try real.insert(object)
    }

    func update(_ object: Object, from old: Object) throws(StoreFailure) {
        try checkWrite()
        try real.update(object, from: old)
    }

    func delete(_ object: Object) throws(StoreFailure) {
        try checkWrite()
        try real.delete(object)
    }

    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? { try real.object(className, key) }

    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        try real.forEach(className, where: terms, body)
    }

    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] { try real.permissions(ofProject: projectId) }

    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] { try real.permissions(ofUser: userId) }

    func firstPosition(inProject projectId: String) throws(StoreFailure) -> String? { try real.firstPosition(inProject: projectId) }

    func lastPosition(inProject projectId: String) throws(StoreFailure) -> String? { try real.lastPosition(inProject: projectId) }

    func position(before position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try real.position(before: position, inProject: projectId, except: key)
    }

    func position(after position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try real.position(after: position, inProject: projectId, except: key)
    }

    func changes(since version: Int64, rowsMax: Int) throws(StoreFailure) -> ChangesSince {
        try real.changes(since: version, rowsMax: rowsMax)
    }

    func history(of scope: HistoryScope, before: Int64?, limit: Int) throws(StoreFailure) -> [HistoryEntry] {
        try real.history(of: scope, before: before, limit: limit)
    }

    // MARK: Accounts

    func userNamed(normalisedName: String) throws(StoreFailure) -> Object? { try real.userNamed(normalisedName: normalisedName) }

    func account(provider: String, subject: String) throws(StoreFailure) -> Account? {
        try real.account(provider: provider, subject: subject)
    }

    func accounts(ofUser userId: String) throws(StoreFailure) -> [Account] { try real.accounts(ofUser: userId) }

    func lastSeen(ofUser userId: String) throws(StoreFailure) -> Timestamp? { try real.lastSeen(ofUser: userId) }

    func insertAccount(_ account: Account) throws(StoreFailure) -> Bool {
        try checkWrite()
        return try real.insertAccount(account)
    }

    func setPasswordHash(_ hash: String?, provider: String, subject: String) throws(StoreFailure) -> Bool {
        try checkWrite()
        return try real.setPasswordHash(hash, provider: provider, subject: subject)
    }

    func setSuspended(_ isSuspended: Bool, user userId: String) throws(StoreFailure) {
        try checkWrite()
        try real.setSuspended(isSuspended, user: userId)
    }

    func deleteAccounts(ofUser userId: String) throws(StoreFailure) {
        try checkWrite()
        try real.deleteAccounts(ofUser: userId)
    }

    func claimName(_ normalisedName: String, user userId: String) throws(StoreFailure) -> Bool {
        try checkWrite()
        return try real.claimName(normalisedName, user: userId)
    }

    func insertToken(_ token: TokenRecord) throws(StoreFailure) {
        try checkWrite()
        try real.insertToken(token)
    }

    func token(hash: [UInt8]) throws(StoreFailure) -> TokenRecord? { try real.token(hash: hash) }

    func tokens(ofUser userId: String) throws(StoreFailure) -> [TokenRecord] { try real.tokens(ofUser: userId) }

    func touchToken(hash: [UInt8], lastSeenAt: Timestamp, expiresAt: Timestamp) throws(StoreFailure) {
        try checkWrite()
        try real.touchToken(hash: hash, lastSeenAt: lastSeenAt, expiresAt: expiresAt)
    }

    func deleteToken(hash: [UInt8]) throws(StoreFailure) -> Bool {
        try checkWrite()
        return try real.deleteToken(hash: hash)
    }

    func deleteTokens(ofUser userId: String) throws(StoreFailure) -> [[UInt8]] {
        try checkWrite()
        return try real.deleteTokens(ofUser: userId)
    }

    // MARK: Invitations

    func insertInvitation(_ invitation: Invitation) throws(StoreFailure) {
        try checkWrite()
        try real.insertInvitation(invitation)
    }

    func invitation(codeHash: [UInt8]) throws(StoreFailure) -> Invitation? { try real.invitation(codeHash: codeHash) }

    func invitation(_ inviteId: String) throws(StoreFailure) -> Invitation? { try real.invitation(inviteId) }

    func invitations(ofProject projectId: String) throws(StoreFailure) -> [Invitation] { try real.invitations(ofProject: projectId) }

    func setUsesLeft(_ uses: Int, ofInvitation inviteId: String) throws(StoreFailure) {
        try checkWrite()
        try real.setUsesLeft(uses, ofInvitation: inviteId)
    }

    func deleteInvitation(_ inviteId: String) throws(StoreFailure) -> Bool {
        try checkWrite()
        return try real.deleteInvitation(inviteId)
    }

    func deleteInvitations(ofProject projectId: String) throws(StoreFailure) {
        try checkWrite()
        try real.deleteInvitations(ofProject: projectId)
    }
}
