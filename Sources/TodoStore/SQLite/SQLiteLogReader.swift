import Todo

/// Reads the change log over one connection.
final class SQLiteLogReader {
    let fieldNumbers: FieldNumbers
    private let connection: SQLiteConnection
    private let lastStatement: SQLiteStatement
    private let oldest: SQLiteStatement
    private let since: SQLiteStatement
    private let historyOfProject: SQLiteStatement
    private let historyOfObject: SQLiteStatement

    init(_ connection: SQLiteConnection, _ fieldNumbers: FieldNumbers) throws(StoreFailure) {
        self.connection = connection
        self.fieldNumbers = fieldNumbers
        lastStatement = try SQLiteStatement(connection, LogTable.last)
        oldest = try SQLiteStatement(connection, LogTable.oldest)
        since = try SQLiteStatement(connection, LogTable.since)
        historyOfProject = try SQLiteStatement(connection, LogTable.historyOfProject)
        historyOfObject = try SQLiteStatement(connection, LogTable.historyOfObject)
    }

    /// The last entry's version, and how many bytes of changes were ever logged.
    func last() throws(StoreFailure) -> (version: Int64, logBytes: Int64) {
        defer { lastStatement.reset() }
        guard try lastStatement.step() else { return (0, 0) }
        return (lastStatement.integer(0), lastStatement.integer(1))
    }

    /// The oldest version whose entry is whole; behind the last version where none is.
    private func oldestWhole() throws(StoreFailure) -> Int64 {
        defer { oldest.reset() }
        guard try oldest.step() else { return 1 }
        return oldest.integer(1) == 0 ? oldest.integer(0) : oldest.integer(0) + 1
    }

    func changes(
        since version: Int64, rowsMax: Int, present: (ObjectID) throws(StoreFailure) -> Object?
    ) throws(StoreFailure) -> ChangesSince {
        let last = try last().version
        if version == last { return .net(version: last, changes: [], by: []) }
        guard version >= 0, version < last, try oldestWhole() <= version + 1 else { return .unknown }
        // Each entry has a row at least.
        guard last - version <= Int64(rowsMax) else { return .tooMany }
        try since.bind(version, at: 1)
        defer { since.reset() }
        var net = NetChanges()
        var rows = 0
        while try since.step() {
            rows += 1
            guard rows <= rowsMax else { return .tooMany }
            try net.undo(row(), present: present)
        }
        return net.result(version: last)
    }

    /// The present row of `since`.
    private func row() throws(StoreFailure) -> LogRow {
        let (className, kind) = try words(since, classColumn: 1, kindColumn: 3)
        return LogRow(
            version: since.integer(0), className: className, key: since.text(2), kind: kind, by: since.optionalText(4),
            before: try fields(since, column: 5, className))
    }

    func history(of scope: HistoryScope, before: Int64?, limit: Int) throws(StoreFailure) -> [HistoryEntry] {
        // An entry that upkeep has begun to remove is not given in part.
        var page = HistoryPage(limit: limit, oldest: try oldestWhole(), before: before)
        switch scope {
        case .project(let projectId):
            try historyOfProject.bind(projectId, at: 1)
            try historyOfProject.bind(before ?? Int64.max, at: 2)
            defer { historyOfProject.reset() }
            while try historyOfProject.step() {
                guard try take(historyOfProject, into: &page) else { break }
            }
        case .item(let itemId, let projectId):
            // From the present on, whatever page is asked for: only the way back tells in which project the item was then.
            var next: (projectId: String, before: Int64)? = (projectId, Int64.max)
            while let (projectId, before) = next {
                next = try takeItem(itemId, inProject: projectId, before: before, into: &page)
            }
        }
        return page.finished
    }

    /// Takes an item's rows in one project, and says from where it came into it.
    private func takeItem(
        _ itemId: String, inProject projectId: String, before: Int64, into page: inout HistoryPage
    ) throws(StoreFailure) -> (projectId: String, before: Int64)? {
        try historyOfObject.bind(projectId, at: 1)
        try historyOfObject.bind(before, at: 2)
        try historyOfObject.bind(itemId, at: 3)
        try historyOfObject.bind(Int64(ClassName.item.rawValue), at: 4)
        defer { historyOfObject.reset() }
        while try historyOfObject.step() {
            guard try take(historyOfObject, into: &page) else { return nil }
            if let earlier = historyOfObject.optionalText(9) { return (earlier, historyOfObject.integer(0)) }
        }
        return nil
    }

    /// Takes the present row; `false` where the page is full.
    private func take(_ row: borrowing SQLiteStatement, into page: inout HistoryPage) throws(StoreFailure) -> Bool {
        let (className, kind) = try words(row, classColumn: 2, kindColumn: 4)
        let change = HistoryChange(
            className: className, key: row.text(3), kind: kind, before: try fields(row, column: 7, className),
            after: try fields(row, column: 8, className))
        return page.take(change, version: row.integer(0), at: row.timestamp(5), by: row.optionalText(6))
    }

    private func words(
        _ statement: borrowing SQLiteStatement, classColumn: Int32, kindColumn: Int32
    ) throws(StoreFailure) -> (ClassName, HistoryChange.Kind) {
        guard let className = UInt8(exactly: statement.integer(classColumn)).flatMap(ClassName.init(rawValue:)),
            let kind = HistoryChange.Kind(rawValue: statement.integer(kindColumn))
        else { throw SQLiteFailure.damaged(connection.path, "an entry of the change log names an unknown class or kind") }
        return (className, kind)
    }

    private func fields(_ statement: borrowing SQLiteStatement, column: Int32, _ className: ClassName) throws(StoreFailure) -> FieldValues {
        do {
            return try fieldNumbers.decode(statement.bytes(column), of: className)
        } catch {
            throw SQLiteFailure.damaged(connection.path, "an entry of the change log cannot be read")
        }
    }
}
