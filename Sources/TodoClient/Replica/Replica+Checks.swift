internal import Todo
internal import TodoProtocol

/// What a correct server never does.
extension Replica {
    mutating func check(_ part: InitialPart) throws(ReplicaFault) {
        if part.objects.isEmpty, part.index > 0 { throw ReplicaFault("a part of a list that has rows is empty") }
        if part.isComplete != (part.version != nil) { throw ReplicaFault("a version belongs to the last part, and only there") }
        for object in part.objects {
            guard keys.insert(object.key).inserted else { throw ReplicaFault("the key \(object.key) comes twice in one list") }
        }
    }

    mutating func applyChecking(_ update: ListUpdate) throws(ReplicaFault) {
        let isEmpty = update.deletions.isEmpty && update.insertions.isEmpty && update.modifications.isEmpty
        if isEmpty, !update.isComplete { throw ReplicaFault("an update says nothing") }
        if update.isComplete, isComplete { throw ReplicaFault("an update completes a list that was complete") }
        let origins = try origins(of: update)
        let departing = update.deletions.map { rows[$0].key }
        try move(update)
        try checkModifications(update, origins)
        try modify(update)
        try updateKeys(update, departing)
    }

    /// The rows that are modified, by their place before; and every move starts from a place of its own that is deleted.
    private func origins(of update: ListUpdate) throws(ReplicaFault) -> [String] {
        let deleted = Set(update.deletions)
        var left: Set<Int> = []
        for insertion in update.insertions {
            guard case .moved(let from, let set) = insertion.row else { continue }
            guard deleted.contains(from) else { throw ReplicaFault("a row moves from \(from), which is not among the deletions") }
            guard left.insert(from).inserted else { throw ReplicaFault("two rows move from place \(from)") }
            try checkSet(set, on: rows[from])
        }
        var keys: [String] = []
        keys.reserveCapacity(update.modifications.count)
        var last = -1
        for modification in update.modifications {
            let from = modification.from
            guard from > last, from < rows.count else { throw ReplicaFault("modifications come from \(from) behind \(last)") }
            guard !deleted.contains(from) else { throw ReplicaFault("the row at \(from) is both deleted and modified") }
            guard !modification.set.isEmpty else { throw ReplicaFault("the modification at \(modification.index) changes nothing") }
            try checkSet(modification.set, on: rows[from])
            keys.append(rows[from].key)
            last = from
        }
        return keys
    }

    private func checkSet(_ set: FieldValues, on row: Object) throws(ReplicaFault) {
        for (place, value) in set {
            let name = className.schema.fields[place].name
            guard place != 0 else { throw ReplicaFault("a change sets the key of \(row.key)") }
            guard row[place] != value else { throw ReplicaFault("\(name) of \(row.key) is sent though it did not change") }
        }
    }

    /// Called between moving and modifying: the row that a modification names after is the one that it names before.
    private func checkModifications(_ update: ListUpdate, _ origins: [String]) throws(ReplicaFault) {
        let inserted = Set(update.insertions.map(\.index))
        for (modification, origin) in zip(update.modifications, origins) {
            guard !inserted.contains(modification.index) else {
                throw ReplicaFault("the row at \(modification.index) is both inserted and modified")
            }
            guard rows[modification.index].key == origin else {
                throw ReplicaFault("place \(modification.from) before and \(modification.index) after are different rows")
            }
        }
    }

    private mutating func updateKeys(_ update: ListUpdate, _ departing: [String]) throws(ReplicaFault) {
        for key in departing { keys.remove(key) }
        for insertion in update.insertions {
            let key = rows[insertion.index].key
            guard keys.insert(key).inserted else { throw ReplicaFault("the key \(key) comes twice in one list") }
        }
    }
}
