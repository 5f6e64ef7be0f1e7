import Todo

/// A read-only connection, which holds a read transaction open while a snapshot has it.
///
/// Unchecked: SQLite lets a connection wander between threads as long as only one uses it at a time, and that is what `Snapshot` asks of
/// whoever holds it. The pool's and the snapshot's locks order what one holder did before what the next one does.
final class SnapshotConnection: @unchecked Sendable {
    let reader: SQLiteReader
    private let connection: SQLiteConnection
    private let beginStatement: SQLiteStatement
    private let endStatement: SQLiteStatement

    init(path: String, _ fieldNumbers: FieldNumbers) throws(StoreFailure) {
        connection = try SQLiteConnection(path: path, mode: .readOnly)
        // 8 MiB of pages: a snapshot reads through a list once.
        try connection.execute("PRAGMA cache_size = -8192; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY")
        reader = try SQLiteReader(connection, fieldNumbers)
        beginStatement = try SQLiteStatement(connection, "BEGIN")
        endStatement = try SQLiteStatement(connection, "COMMIT")
    }

    /// Starts the read transaction and gives the version that it sees: reading it fixes the state.
    func start() throws(StoreFailure) -> Int64 {
        try beginStatement.run()
        do {
            return try reader.log.last().version
        } catch {
            close()
            throw error
        }
    }

    /// Ends the read transaction; `false` where that failed and the connection is of no more use.
    func end() -> Bool {
        do { try endStatement.run() } catch { return false }
        return true
    }

    func close() {
        connection.close()
    }
}
