import CSQLite
package import Todo

/// A connection to a database file. It belongs to one thread at a time.
///
/// Its statements don't outlive it: closing the connection ends them.
package final class SQLiteConnection {
    /// What a connection may do.
    package enum Mode {
        /// Read and write a file that exists.
        case readWrite
        /// Only read.
        case readOnly
    }

    /// The file.
    package let path: String
    private var handle: OpaquePointer?
    /// The last failure of a statement: why a transaction is gone, where SQLite dropped it by itself.
    private(set) var lastFailure: StoreFailure?

    /// Opens the file, which must exist.
    package init(path: String, mode: Mode) throws(StoreFailure) {
        self.path = path
        // No mutex: a connection is used by one thread at a time.
        let access =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let failure = failure(code)
            sqlite3_close(handle)
            throw failure
        }
        sqlite3_extended_result_codes(handle, 1)
        // The server is the only writer of its folder; a person who looks into the file with another program may hold it for a moment.
        sqlite3_busy_timeout(handle, 5000)
        // What a damaged or doctored file holds in its schema is not run, and `"misspelt"` is an error, not a text.
        sqlite3_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_set_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        sqlite3_set_flag(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        sqlite3_set_flag(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    }

    deinit {
        close()
    }

    /// Closes the connection and ends its statements; a second call does nothing.
    package func close() {
        guard let handle else { return }
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        sqlite3_close(handle)
        self.handle = nil
    }

    var isOpen: Bool { handle != nil }

    /// The open handle.
    var open: OpaquePointer {
        guard let handle else { preconditionFailure("the database connection is used after it was closed") }
        return handle
    }

    /// Whether a transaction is open; SQLite ends one by itself after some failures.
    var isInTransaction: Bool { sqlite3_get_autocommit(open) == 0 }

    /// How many rows the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(open)) }

    /// Runs statements that give no rows and are needed once.
    package func execute(_ sql: String) throws(StoreFailure) {
        let code = sqlite3_exec(open, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw note(failure(code)) }
    }

    /// The whole number in the first row's first column, for statements that are needed once.
    package func integer(_ sql: String) throws(StoreFailure) -> Int64? {
        let statement = try SQLiteStatement(self, sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Remembers a failure as the last one.
    func note(_ failure: StoreFailure) -> StoreFailure {
        lastFailure = failure
        return failure
    }

    /// The sentence for a result code of this connection's last call.
    func failure(_ code: Int32) -> StoreFailure {
        let detail = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        return SQLiteFailure.describe(code: code, detail: detail, systemError: systemError, path: path)
    }
}
