public import Todo
public import TodoProtocol

/// What happened to a live list, as its observers are told.
public enum LiveChange: Sendable {
    /// The whole list: the first change of every observer, and what follows where the list was sent anew or the observer fell far behind.
    case initial(rows: [Object], version: Int64)
    /// Some rows changed.
    case update(LiveUpdate)
    /// The server has ended the subscription; nothing follows.
    case ended(ServerError)
}

/// Rows that changed, in Realm's meaning of the indices: remove the deletions from the highest down, put in the insertions from the lowest up, then show
/// the modifications.
public struct LiveUpdate: Sendable {
    /// The list as it becomes.
    public let rows: [Object]
    /// The store's version that it reflects.
    public let version: Int64
    /// The ids of the users whose writes these were, at most 10; empty after a reconnect.
    public let by: [String]
    /// Places in the list as it was, ascending.
    public let deletions: [Int]
    /// Places in the list as it becomes, ascending.
    public let insertions: [Int]
    /// Places in the list as it becomes, ascending.
    public let modifications: [Int]
    /// Rows that moved: each is among the deletions and the insertions too.
    public let moves: [Move]

    /// A row that moved.
    public struct Move: Sendable, Hashable {
        /// Its place in the list as it was.
        public let from: Int
        /// Its place in the list as it becomes.
        public let to: Int

        /// A row that moved between these places.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    init(_ update: ListUpdate, rows: [Object], version: Int64, by: [String]) {
        self.rows = rows
        self.version = version
        self.by = by
        deletions = update.deletions
        insertions = update.insertions.map(\.index)
        modifications = update.modifications.map(\.index)
        moves = update.insertions.compactMap { insertion in
            if case .moved(let from, _) = insertion.row { Move(from: from, to: insertion.index) } else { nil }
        }
    }
}
