internal import Todo
internal import TodoProtocol

extension Replica {
    /// Up to so many rows are taken out and put in one by one; beyond, one pass over the list is cheaper.
    private static var singleStepsMax: Int { 16 }

    /// Every place lies in its list and every array ascends: what the rest relies on.
    func checkPlaces(_ update: ListUpdate) throws(ReplicaFault) {
        let before = rows.count
        var last = -1
        for place in update.deletions {
            guard place > last, place < before else { throw outside("deletions", place, last, before) }
            last = place
        }
        let after = before - update.deletions.count + update.insertions.count
        last = -1
        for insertion in update.insertions {
            guard insertion.index > last, insertion.index < after else { throw outside("insertions", insertion.index, last, after) }
            last = insertion.index
            if case .moved(let from, _) = insertion.row, !(0..<before).contains(from) { throw outside("moves", from, -1, before) }
        }
        last = -1
        for modification in update.modifications {
            guard modification.index > last, modification.index < after else {
                throw outside("modifications", modification.index, last, after)
            }
            last = modification.index
        }
    }

    private func outside(_ what: String, _ place: Int, _ last: Int, _ count: Int) -> ReplicaFault {
        place >= 0 && place < count
            ? ReplicaFault("\(what) do not ascend: \(place) comes behind \(last)")
            : ReplicaFault("\(what) name place \(place) in a list of \(count)")
    }

    /// Takes rows out and puts rows in.
    mutating func move(_ update: ListUpdate) throws(ReplicaFault) {
        guard !update.deletions.isEmpty || !update.insertions.isEmpty else { return }
        var entering: [Object] = []
        entering.reserveCapacity(update.insertions.count)
        for insertion in update.insertions { entering.append(row(insertion.row)) }
        if update.deletions.count + update.insertions.count <= Self.singleStepsMax {
            for place in update.deletions.reversed() { rows.remove(at: place) }
            for (offset, insertion) in update.insertions.enumerated() {
                // Among few and far insertions one may lie behind rows that only later ones would bring.
                guard insertion.index <= rows.count else { throw ReplicaFault("an insertion at \(insertion.index) leaves a gap") }
                rows.insert(entering[offset], at: insertion.index)
            }
        } else {
            try rebuild(update, entering)
        }
    }

    private func row(_ inserted: ListUpdate.InsertedRow) -> Object {
        switch inserted {
        case .object(let object): return object
        case .moved(let from, let set):
            var object = rows[from]
            for (place, value) in set { object[place] = value }
            return object
        }
    }

    /// One pass over the list: O(rows + steps), where steps one by one would take O(rows × steps).
    private mutating func rebuild(_ update: ListUpdate, _ entering: [Object]) throws(ReplicaFault) {
        let old = rows
        let count = old.count - update.deletions.count + update.insertions.count
        rows = []
        rows.reserveCapacity(count)
        var (deletion, insertion, place) = (0, 0, 0)
        while rows.count < count {
            if insertion < entering.count, update.insertions[insertion].index == rows.count {
                rows.append(entering[insertion])
                insertion += 1
                continue
            }
            while deletion < update.deletions.count, update.deletions[deletion] == place {
                deletion += 1
                place += 1
            }
            guard place < old.count else { throw ReplicaFault("insertions leave a gap at \(rows.count)") }
            rows.append(old[place])
            place += 1
        }
    }

    /// Changes rows where they stand.
    mutating func modify(_ update: ListUpdate) throws(ReplicaFault) {
        for modification in update.modifications {
            for (place, value) in modification.set { rows[modification.index][place] = value }
        }
    }
}
