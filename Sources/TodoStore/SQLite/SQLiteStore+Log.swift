public import Todo

extension SQLiteStore {
    /// What happened behind that version, merged for each object.
    public func changes(since version: Int64, rowsMax: Int) throws(StoreFailure) -> ChangesSince {
        try reader.changes(since: version, rowsMax: rowsMax)
    }

    /// The logged changes of a project or an item, the newest entry first.
    public func history(of scope: HistoryScope, before: Int64?, limit: Int) throws(StoreFailure) -> [HistoryEntry] {
        try reader.log.history(of: scope, before: before, limit: limit)
    }

    /// Adds an entry to the change log.
    public func append(_ entry: LogEntry) throws(StoreFailure) {
        precondition(entry.version == nextVersion, "version \(entry.version) is logged behind \(logEnd.version)")
        precondition(!entry.changes.isEmpty, "an entry of the log without a change")
        try requireTransaction()
        logEnd = try log.append(entry, end: logEnd)
    }

    /// Records that a client's transaction was applied.
    public func remember(_ transaction: RememberedTransaction) throws(StoreFailure) {
        try requireTransaction()
        try log.remember(transaction)
    }

    /// The record of that user's transaction.
    public func rememberedTransaction(user: String, txn: String) throws(StoreFailure) -> RememberedTransaction? {
        try log.remembered(user: user, txn: txn)
    }

    /// One small step of removing what has grown too old, in a transaction of its own; `true` while more is waiting.
    public func upkeep(now: Timestamp, limits: UpkeepLimits) throws(StoreFailure) -> Bool {
        try begin()
        do {
            let keepFrom = Timestamp(milliseconds: now.milliseconds - limits.logAgeMilliseconds)
            let rememberFrom = Timestamp(milliseconds: now.milliseconds - limits.rememberedAgeMilliseconds)
            let hasOldLog = try log.prune(keepFrom: keepFrom, limits: limits, end: logEnd)
            let hasOldTransactions = try log.forget(before: rememberFrom, rowsMax: limits.rowsMax)
            let expiredBefore = Timestamp(milliseconds: now.milliseconds - limits.expiredTokenAgeMilliseconds)
            let hasExpiredTokens = try accounts.deleteTokens(expiredBefore: expiredBefore, rowsMax: limits.rowsMax)
            let hasOldInvitations = try invitations.deleteExpired(now: now, rowsMax: limits.rowsMax)
            try commit()
            return hasOldLog || hasOldTransactions || hasExpiredTokens || hasOldInvitations
        } catch {
            rollback()
            throw error
        }
    }
}
