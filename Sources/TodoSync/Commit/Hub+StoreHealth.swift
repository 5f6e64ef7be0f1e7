import Todo
import TodoStore

/// Whether the store takes writes: said once when that changes, not once a refused write.
extension Hub {
    func noteStoreFailure(_ failure: StoreFailure) {
        if storeFailure != failure { log(.error, "the store can't write: \(failure.message)") }
        storeFailure = failure
    }

    func noteStoreWorks() {
        if storeFailure != nil { log(.info, "the store takes writes again") }
        storeFailure = nil
    }

    /// Tries a write that leaves nothing, so that a store which works again is known to before a client asks.
    func probeStore() {
        guard storeFailure != nil else { return }
        do throws(StoreFailure) {
            try store.begin()
            let hash = [UInt8](repeating: 0, count: 32)
            try store.insertToken(
                TokenRecord(hash: hash, userId: "", createdAt: moment.wall, expiresAt: moment.wall, lastSeenAt: moment.wall, userAgent: nil)
            )
            _ = try store.deleteToken(hash: hash)
            try store.commit()
            noteStoreWorks()
        } catch {
            store.rollback()
            noteStoreFailure(error)
        }
    }
}
