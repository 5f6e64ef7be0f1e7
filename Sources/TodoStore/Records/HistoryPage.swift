import Todo

/// Gathers the rows of a history, the newest first, into entries.
struct HistoryPage {
    /// How many changes a page holds before it ends early, at the end of an entry.
    static let changesMax = 10_000

    private let limit: Int
    private let oldest: Int64
    private let before: Int64
    private var entries: [HistoryEntry] = []
    private var changes = 0

    /// A page of at most `limit` entries, none of them older than `oldest`, all of them older than `before`.
    init(limit: Int, oldest: Int64, before: Int64?) {
        self.limit = limit
        self.oldest = oldest
        self.before = before ?? Int64.max
    }

    /// Takes the next change, unless it is of a later page; `false` where the page is full or the change too old.
    mutating func take(_ change: HistoryChange, version: Int64, at: Timestamp, by: String?) -> Bool {
        guard version >= oldest else { return false }
        guard version < before else { return true }
        if entries.last?.version != version {
            guard entries.count < limit, changes < Self.changesMax else { return false }
            entries.append(HistoryEntry(version: version, at: at, by: by, changes: []))
        }
        entries[entries.count - 1].changes.append(change)
        changes += 1
        return true
    }

    /// The entries, each with its changes in the order of the transaction.
    var finished: [HistoryEntry] {
        var entries = entries
        for index in entries.indices { entries[index].changes.reverse() }
        return entries
    }
}
