public import Todo

/// One committed transaction as the change log keeps it.
public struct LogEntry: Sendable, Equatable {
    /// Its number in the store's history; versions have no gaps.
    public let version: Int64
    /// When it was committed.
    public let at: Timestamp
    /// The user who wrote it, `nil` for the server itself.
    public let by: String?
    /// What it did: at least one change, each object at most once.
    public let changes: [Change]

    /// An entry with these changes.
    public init(version: Int64, at: Timestamp, by: String?, changes: [Change]) {
        self.version = version
        self.at = at
        self.by = by
        self.changes = changes
    }
}

/// What lies between a version and the present.
public enum ChangesSince: Sendable, Equatable {
    /// One change for each object that differs, with the object as it was at that version and as it is at `version`;
    /// and for each of these who wrote it in between, in the order of their first write, at most 10.
    case net(version: Int64, changes: [Change], by: [[String]])
    /// The log does not reach back that far, or the version has not come yet.
    case unknown
    /// More rows of the log would have to be read than was allowed.
    case tooMany
}

/// Whose history is asked for.
public enum HistoryScope: Sendable, Hashable {
    /// Everything that happened in a project, also to items that have moved away from it since.
    case project(String)
    /// Everything that happened to the item of that id which is in that project now, also in the projects from which it came.
    ///
    /// Its cost grows with what happened in these projects, so it is a question for a snapshot.
    case item(String, project: String)
}

/// What a transaction did within a scope.
public struct HistoryEntry: Sendable {
    /// The transaction's version.
    public let version: Int64
    /// When it was committed.
    public let at: Timestamp
    /// The user who wrote it, `nil` for the server itself.
    public let by: String?
    /// Its changes within the scope, in the order of the transaction.
    public var changes: [HistoryChange]
}

/// What a transaction did to one object.
public struct HistoryChange: Sendable {
    /// The kinds of change, as the log stores them.
    public enum Kind: Int64, Sendable {
        /// The object was created.
        case create = 0
        /// Fields of the object were changed.
        case update = 1
        /// The object was deleted.
        case delete = 2
    }

    /// The object's class.
    public let className: ClassName
    /// The object's primary key.
    public let key: String
    /// What happened to it.
    public let kind: Kind
    /// The changed fields as they were; all fields of a deleted object, none of a created one.
    public let before: FieldValues
    /// The changed fields as they became; all fields of a created object, none of a deleted one.
    public let after: FieldValues
}
