import Todo

/// Keeps the epoch of a store's history, and the mark by which it knows its own folder again.
///
/// At each opening and each orderly close there is a fresh mark: made first, then recorded, and only then is the old one removed. A crash in
/// between leaves one mark too many, and the recorded one is always there. Since marks never come back, a copy that is put back knows a mark that is
/// gone, or one that was made again by the copying and is another file.
struct SQLiteHistory {
    private let connection: SQLiteConnection
    private let folder: String
    private let database: String

    /// The history of the database, which is the file of that name in the folder.
    init(_ connection: SQLiteConnection, folder: String, database: String) {
        self.connection = connection
        self.folder = folder
        self.database = database
    }

    /// The epoch as the database has it.
    func epoch() throws(StoreFailure) -> String {
        let statement = try SQLiteStatement(connection, "SELECT epoch FROM store")
        guard try statement.step() else { throw SQLiteFailure.damaged(connection.path, "it does not name its history") }
        return statement.text(0)
    }

    /// Goes on with the history, or begins a new one where the folder is a copy or that is asked for.
    ///
    /// - Parameter earlierForm: the form that the database had when it was opened, 0 for a new one.
    func begin(earlierForm: Int64, startsAnew: Bool) throws(StoreFailure) -> (epoch: String, finding: HistoryFinding) {
        let isCopy = try isCopy(earlierForm: earlierForm)
        let epoch = isCopy || startsAnew ? Epoch.random() : try epoch()
        do throws(StoreFailure) {
            try renewMark(epoch: epoch, isFinal: false)
            return (epoch, isCopy ? .copied : startsAnew ? .renewed : .same)
        } catch {
            return (Epoch.random(), .unmarked(error.message))
        }
    }

    /// Makes a fresh mark, and records it with the epoch in one step.
    func renewMark(epoch: String, isFinal: Bool) throws(StoreFailure) {
        let mark = try HistoryMark.make(in: folder, database: database, isFinal: isFinal)
        do throws(StoreFailure) {
            try record(mark, epoch)
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            mark.remove(from: folder)
            throw error
        }
        mark.removeOthers(in: folder)
    }

    private func isCopy(earlierForm: Int64) throws(StoreFailure) -> Bool {
        if let mark = try recordedMark() { return !mark.isThat(of: folder, database: database) }
        // A database from before there were marks, where marks are, came later than they did. One that has the form, but no mark yet, was
        // interrupted between the two.
        return earlierForm > 0 && earlierForm < SQLiteMigrations.formWithMarks && !HistoryMark.names(in: folder).isEmpty
    }

    private func recordedMark() throws(StoreFailure) -> HistoryMark? {
        let statement = try SQLiteStatement(
            connection,
            "SELECT name, inode, born_at, changed_at, database_inode, database_born_at FROM history_mark WHERE only = 1")
        guard try statement.step() else { return nil }
        func time(_ column: Int32) -> Int64? { statement.isNull(column) ? nil : statement.integer(column) }
        return HistoryMark(
            name: statement.text(0), file: FileIdentity(inode: statement.integer(1), bornAt: time(2), changedAt: time(3)),
            database: FileIdentity(inode: statement.integer(4), bornAt: time(5), changedAt: nil))
    }

    private func record(_ mark: HistoryMark, _ epoch: String) throws(StoreFailure) {
        try connection.execute("BEGIN IMMEDIATE")
        let history = try SQLiteStatement(connection, "UPDATE store SET epoch = $1 WHERE epoch <> $1")
        try history.bind(epoch, at: 1)
        try history.run()
        let row = try SQLiteStatement(connection, "INSERT OR REPLACE INTO history_mark VALUES (1, $1, $2, $3, $4, $5, $6)")
        try row.bind(mark.name, at: 1)
        try row.bind(mark.file.inode, at: 2)
        try row.bind(mark.file.bornAt.map(Value.integer) ?? .null, at: 3)
        try row.bind(mark.file.changedAt.map(Value.integer) ?? .null, at: 4)
        try row.bind(mark.database.inode, at: 5)
        try row.bind(mark.database.bornAt.map(Value.integer) ?? .null, at: 6)
        try row.run()
        try connection.execute("COMMIT")
    }
}
