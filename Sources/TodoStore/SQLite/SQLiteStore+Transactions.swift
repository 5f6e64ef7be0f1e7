public import Todo

extension SQLiteStore {
    /// Starts a transaction.
    public func begin() throws(StoreFailure) {
        guard case .none = stage else { preconditionFailure("a transaction is begun inside another") }
        try transaction.begin()
        stage = .open
    }

    /// Makes the transaction durable.
    public func commit() throws(StoreFailure) {
        guard case .open = stage else { preconditionFailure("a commit without a transaction, or inside a part of it") }
        do {
            try requireTransaction()
            try transaction.commit()
        } catch {
            rollback()
            throw error
        }
        stage = .none
        committed = logEnd
    }

    /// Drops the transaction; without one it does nothing.
    public func rollback() {
        guard connection.isOpen else { return }
        stage = .none
        logEnd = committed
        guard connection.isInTransaction else { return }
        // SQLite documents that this fails only where the transaction has ended already, as it has after some errors.
        try? transaction.rollback()
        precondition(!connection.isInTransaction, "SQLite kept a transaction that was rolled back")
    }

    /// Starts a part of the transaction.
    public func beginNested() throws(StoreFailure) {
        guard case .open = stage else { preconditionFailure("a part is begun outside a transaction or inside another part") }
        try requireTransaction()
        try transaction.beginNested()
        stage = .nested(logEnd)
    }

    /// Keeps the part.
    public func commitNested() throws(StoreFailure) {
        guard case .nested = stage else { preconditionFailure("no part of a transaction is open") }
        try requireTransaction()
        try transaction.commitNested()
        stage = .open
    }

    /// Drops the part.
    public func rollbackNested() throws(StoreFailure) {
        guard case .nested(let start) = stage else { preconditionFailure("no part of a transaction is open") }
        stage = .open
        logEnd = start
        try requireTransaction()
        try transaction.rollbackNested()
    }

    /// Refuses to write where SQLite has dropped the transaction after an error: each further write would be committed by itself.
    func requireTransaction() throws(StoreFailure) {
        if case .none = stage { preconditionFailure("a write outside a transaction") }
        guard !connection.isInTransaction else { return }
        throw connection.lastFailure ?? StoreFailure("The database \(connection.path) dropped the transaction: nothing was written.")
    }
}
