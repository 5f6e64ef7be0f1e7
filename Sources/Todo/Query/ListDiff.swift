/// What happened to a list, in Realm's meaning of the indices.
///
/// To apply it: remove the deletions from the highest down, put in the insertions from the lowest up, then change each modified
/// row at its `index`. All three arrays ascend. Rows whose sort keys are unchanged never move; of the others as few as possible do.
public struct ListDiff: Sendable, Equatable {
    /// A row that comes into the list, or one that moved.
    public struct Insertion: Sendable, Equatable {
        /// Its place in the list as it becomes.
        public let index: Int
        /// For a row that moved: its place in the list as it was, which is also among the deletions.
        public let from: Int?
        /// The row as it becomes.
        public let object: Object
        /// For a row that moved: the row as it was.
        public let old: Object?
    }

    /// A row that changed and keeps its place among the rows that stay.
    public struct Modification: Sendable, Equatable {
        /// Its place in the list as it becomes.
        public let index: Int
        /// Its place in the list as it was.
        public let from: Int
        /// The row as it was.
        public let old: Object
        /// The row as it becomes: differs from `old`.
        public let new: Object
    }

    /// Places in the list as it was, ascending.
    public var deletions: [Int] = []
    /// Ascending by `index`.
    public var insertions: [Insertion] = []
    /// Ascending by `index`, and by `from` too.
    public var modifications: [Modification] = []

    /// Nothing happened.
    public init() {}

    /// All these rows come into a list that was empty.
    public static func entering(_ rows: [Object]) -> ListDiff {
        var diff = ListDiff()
        diff.insertions = rows.enumerated().map { Insertion(index: $0, from: nil, object: $1, old: nil) }
        return diff
    }

    /// All rows leave a list of that many.
    public static func leaving(count: Int) -> ListDiff {
        var diff = ListDiff()
        diff.deletions = Array(0..<count)
        return diff
    }

    /// Whether nothing happened.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// What applying changes did to a list.
public struct AppliedChange: Sendable {
    /// What happened to the part that the limit lets through; empty where only rows beyond it changed.
    public let diff: ListDiff
    /// Every row that changed, also beyond the limit, each key once: the object that it was in the list, `nil` where it was not in it.
    public let replaced: [(key: String, old: Object?)]
}
