import Todo

/// The statements that write the change log and the remembered transactions.
final class SQLiteLogWriter {
    private let fieldNumbers: FieldNumbers
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let oldestRows: SQLiteStatement
    private let deleteThrough: SQLiteStatement
    private let deletePart: SQLiteStatement
    private let rememberStatement: SQLiteStatement
    private let remembered: SQLiteStatement
    private let forget: SQLiteStatement

    init(_ connection: SQLiteConnection, _ fieldNumbers: FieldNumbers) throws(StoreFailure) {
        self.connection = connection
        self.fieldNumbers = fieldNumbers
        insert = try SQLiteStatement(connection, LogTable.insert)
        oldestRows = try SQLiteStatement(connection, LogTable.oldestRows)
        deleteThrough = try SQLiteStatement(connection, LogTable.deleteThrough)
        deletePart = try SQLiteStatement(connection, LogTable.deletePart)
        rememberStatement = try SQLiteStatement(connection, RememberedTable.insert)
        remembered = try SQLiteStatement(connection, RememberedTable.select)
        forget = try SQLiteStatement(connection, RememberedTable.deleteOld)
    }

    /// The numbers of the fields, giving one to each field that has none yet.
    static func assignFieldNumbers(_ connection: SQLiteConnection) throws(StoreFailure) -> FieldNumbers {
        var assignments: [FieldNumbers.Assignment] = []
        let select = try SQLiteStatement(connection, "SELECT class_name, field_name, number FROM log_fields")
        while try select.step() {
            assignments.append(
                FieldNumbers.Assignment(className: select.text(0), fieldName: select.text(1), number: select.integer(2)))
        }
        let missing = FieldNumbers.missing(from: assignments)
        guard !missing.isEmpty else { return FieldNumbers(assignments) }
        let insert = try SQLiteStatement(connection, "INSERT INTO log_fields (class_name, field_name, number) VALUES ($1, $2, $3)")
        try connection.execute("BEGIN IMMEDIATE")
        for assignment in missing {
            try insert.bind(assignment.className, at: 1)
            try insert.bind(assignment.fieldName, at: 2)
            try insert.bind(assignment.number, at: 3)
            try insert.run()
        }
        try connection.execute("COMMIT")
        return FieldNumbers(assignments + missing)
    }

    /// Writes the entry's rows behind the log's end.
    func append(_ entry: LogEntry, end: SQLiteStore.LogEnd) throws(StoreFailure) -> SQLiteStore.LogEnd {
        var bytes = end.bytes
        for (ordinal, change) in entry.changes.enumerated() {
            let row = EncodedChange(change, fieldNumbers)
            bytes += row.byteCount
            try insert.bind(entry.version, at: 1)
            try insert.bind(Int64(ordinal), at: 2)
            try insert.bind(Int64(change.className.rawValue), at: 3)
            try insert.bind(change.key, at: 4)
            try insert.bind(row.kind.rawValue, at: 5)
            try insert.bind(row.projectId, at: 6)
            try insert.bind(row.earlierProjectId, at: 7)
            try insert.bind(entry.at.milliseconds, at: 8)
            try insert.bind(entry.by, at: 9)
            try insert.bind(bytes, at: 10)
            if let before = row.before { try insert.bind(before, at: 11) } else { try insert.bindNull(at: 11) }
            if let after = row.after { try insert.bind(after, at: 12) } else { try insert.bindNull(at: 12) }
            try insert.run()
        }
        return SQLiteStore.LogEnd(version: entry.version, bytes: bytes)
    }

    /// Removes some of the oldest rows that the limits don't keep; `true` while more may be waiting.
    func prune(keepFrom: Timestamp, limits: UpkeepLimits, end: SQLiteStore.LogEnd) throws(StoreFailure) -> Bool {
        try oldestRows.bind(Int64(limits.rowsMax), at: 1)
        var cut = LogCut(keepFrom: keepFrom, bytesMax: limits.logBytesMax, endVersion: end.version, endBytes: end.bytes)
        var isAtLimit = true
        var rows = 0
        do {
            defer { oldestRows.reset() }
            while try oldestRows.step() {
                rows += 1
                let isRemoved = cut.remove(
                    version: oldestRows.integer(0), ordinal: oldestRows.integer(1), at: oldestRows.timestamp(2),
                    logBytes: oldestRows.integer(3))
                guard isRemoved else {
                    isAtLimit = false
                    break
                }
            }
        }
        guard let (version, ordinal) = cut.last else { return false }
        try deleteThrough.bind(version - 1, at: 1)
        try deleteThrough.run()
        try deletePart.bind(version, at: 1)
        try deletePart.bind(ordinal, at: 2)
        try deletePart.run()
        return isAtLimit && rows == limits.rowsMax
    }

    func remember(_ transaction: RememberedTransaction) throws(StoreFailure) {
        var ids = RecordWriter()
        ids.optionalTexts(transaction.ids)
        try rememberStatement.bind(transaction.userId, at: 1)
        try rememberStatement.bind(transaction.txn, at: 2)
        try rememberStatement.bind(transaction.version, at: 3)
        try rememberStatement.bind(ids.bytes, at: 4)
        try rememberStatement.bind(transaction.at.milliseconds, at: 5)
        try rememberStatement.run()
    }

    func remembered(user: String, txn: String) throws(StoreFailure) -> RememberedTransaction? {
        try remembered.bind(user, at: 1)
        try remembered.bind(txn, at: 2)
        defer { remembered.reset() }
        guard try remembered.step() else { return nil }
        var reader = RecordReader(remembered.bytes(1))
        let ids: [String?]
        do { ids = try reader.optionalTexts() } catch {
            throw SQLiteFailure.damaged(connection.path, "a remembered transaction cannot be read")
        }
        return RememberedTransaction(
            userId: user, txn: txn, version: remembered.integer(0), ids: ids, at: remembered.timestamp(2))
    }

    /// Removes some of the records from before that time; `true` while more may be waiting.
    func forget(before time: Timestamp, rowsMax: Int) throws(StoreFailure) -> Bool {
        try forget.bind(time.milliseconds, at: 1)
        try forget.bind(Int64(rowsMax), at: 2)
        try forget.run()
        return connection.changedRows == rowsMax
    }
}
