import Todo

/// A change in the form of a row of the log.
struct EncodedChange {
    let kind: HistoryChange.Kind
    /// The project of the object as it became.
    let projectId: String?
    /// The project from which the object moved, where it did.
    let earlierProjectId: String?
    let before: [UInt8]?
    let after: [UInt8]?

    init(_ change: Change, _ fieldNumbers: FieldNumbers) {
        switch (change.before, change.after) {
        case (nil, let after?):
            kind = .create
            (projectId, earlierProjectId) = (after.projectId, nil)
            before = nil
            self.after = fieldNumbers.encode(after)
        case (let before?, nil):
            kind = .delete
            (projectId, earlierProjectId) = (before.projectId, nil)
            self.before = fieldNumbers.encode(before)
            after = nil
        case (let before?, let after?):
            kind = .update
            projectId = after.projectId
            earlierProjectId = before.projectId == after.projectId ? nil : before.projectId
            self.before = fieldNumbers.encode(before, differingFrom: after)
            self.after = fieldNumbers.encode(after, differingFrom: before)
        case (nil, nil):
            preconditionFailure("a change of \(change.key) from nothing to nothing")
        }
    }

    /// What the row counts against the log's size: its contents and about as much as the rest of the row takes.
    var byteCount: Int64 {
        Int64((before?.count ?? 0) + (after?.count ?? 0)) + 64
    }
}

/// Decides how far the log is cut off, row by row from the oldest on.
struct LogCut {
    let keepFrom: Timestamp
    let bytesMax: Int64
    let endVersion: Int64
    let endBytes: Int64
    /// The last row to remove.
    private(set) var last: (version: Int64, ordinal: Int64)?
    private var removesVersion: Int64?

    init(keepFrom: Timestamp, bytesMax: Int64, endVersion: Int64, endBytes: Int64) {
        self.keepFrom = keepFrom
        self.bytesMax = bytesMax
        self.endVersion = endVersion
        self.endBytes = endBytes
    }

    /// Whether this row goes too. What was begun to be removed goes on; the last entry stays, as it holds the store's version.
    mutating func remove(version: Int64, ordinal: Int64, at: Timestamp, logBytes: Int64) -> Bool {
        let isRestOfRemoved = removesVersion == version || (last == nil && ordinal > 0)
        let isTooMuch = at < keepFrom || endBytes - logBytes >= bytesMax
        guard version != endVersion, isRestOfRemoved || isTooMuch else { return false }
        removesVersion = version
        last = (version, ordinal)
        return true
    }
}
