import Todo

/// One row of the change log, as far as walking it backwards needs it.
struct LogRow {
    let version: Int64
    let className: ClassName
    let key: String
    let kind: HistoryChange.Kind
    let by: String?
    let before: FieldValues
}

/// Merges the rows of the change log, taken from the newest to the oldest, into one change an object.
struct NetChanges {
    private struct State {
        let after: Object?
        var earlier: Object?
        /// Who wrote it.
        var writers = WriterRecord(isBackwards: true)
    }

    private var states: [ObjectID: State] = [:]
    private var order: [ObjectID] = []

    /// Goes back behind one row; `present` gives an object as it is now.
    mutating func undo(_ row: LogRow, present: (ObjectID) throws(StoreFailure) -> Object?) throws(StoreFailure) {
        let id = ObjectID(row.className, row.key)
        if states[id] == nil {
            let now = try present(id)
            states[id] = State(after: now, earlier: now)
            order.append(id)
        }
        let later = states[id]?.earlier
        do {
            let earlier = try Self.before(row, later: later)
            states[id]?.earlier = earlier
            states[id]?.writers.note(by: row.by, before: earlier, after: later)
        } catch {
            throw StoreFailure(
                "The change log does not fit the stored objects at version \(row.version) (\(row.className.name) \(row.key)): "
                    + "the database is damaged or was changed by another program; restore a backup.")
        }
    }

    private static func before(_ row: LogRow, later: Object?) throws(RecordReader.Damage) -> Object? {
        switch row.kind {
        case .create:
            guard later != nil else { throw RecordReader.Damage() }
            return nil
        case .delete:
            guard later == nil else { throw RecordReader.Damage() }
            return try FieldNumbers.object(row.className, key: row.key, row.before)
        case .update:
            guard var object = later else { throw RecordReader.Damage() }
            for (place, value) in row.before { object[place] = value }
            return object
        }
    }

    /// What is left of it all, the objects in the order of their last change.
    func result(version: Int64) -> ChangesSince {
        var changes: [Change] = []
        var by: [[String]] = []
        for id in order.reversed() {
            guard let state = states[id], state.earlier != state.after else { continue }
            changes.append(Change(id.className, key: id.key, before: state.earlier, after: state.after))
            by.append(Array(state.writers.writers(before: state.earlier, after: state.after).prefix(10)))
        }
        return .net(version: version, changes: changes, by: by)
    }
}
