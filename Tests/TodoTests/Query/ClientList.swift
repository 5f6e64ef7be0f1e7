import Todo

/// A client's copy of a list, kept by the protocol's rules alone.
struct ClientList {
    private(set) var rows: [Object] = []

    init(_ rows: [Object]) {
        self.rows = rows
    }

    /// Removes the deletions from the highest down, puts in the insertions from the lowest up, then merges the modifications.
    ///
    /// - Returns: the rule that the diff breaks, if any.
    mutating func apply(_ diff: ListDiff) -> String? {
        if let fault = Self.fault(of: diff) { return fault }
        let old = rows
        for index in diff.deletions.reversed() {
            guard rows.indices.contains(index) else { return "deletion \(index) is outside the list" }
            rows.remove(at: index)
        }
        for insertion in diff.insertions {
            guard insertion.index <= rows.count else { return "insertion \(insertion.index) is outside the list" }
            if let from = insertion.from {
                if insertion.old != old[from] { return "insertion \(insertion.index) does not name what the moved row was" }
                if insertion.object.key != old[from].key { return "insertion \(insertion.index) moves one row and puts in another" }
            } else if insertion.old != nil {
                return "insertion \(insertion.index) is new and yet was something"
            }
            rows.insert(insertion.object, at: insertion.index)
        }
        for modification in diff.modifications {
            guard rows.indices.contains(modification.index), old.indices.contains(modification.from) else {
                return "modification \(modification.index) is outside the list"
            }
            if modification.old != old[modification.from] { return "modification \(modification.index) does not name what the row was" }
            if modification.old != rows[modification.index] { return "modification \(modification.index) meets another row" }
            if modification.old == modification.new { return "modification \(modification.index) changes nothing" }
            rows[modification.index] = modification.new
        }
        return nil
    }

    private static func fault(of diff: ListDiff) -> String? {
        let deletions = diff.deletions
        let insertions = diff.insertions.map(\.index)
        let (indices, froms) = (diff.modifications.map(\.index), diff.modifications.map(\.from))
        for array in [deletions, insertions, indices, froms] where !zip(array, array.dropFirst()).allSatisfy({ $0 < $1 }) {
            return "\(array) does not ascend"
        }
        if !Set(insertions).isDisjoint(with: indices) { return "a row is inserted and modified" }
        if !Set(deletions).isDisjoint(with: froms) { return "a row is deleted and modified" }
        let moved = diff.insertions.compactMap(\.from)
        if Set(moved).count != moved.count { return "a row moves twice" }
        if !Set(moved).isSubset(of: deletions) { return "a moved row's old place is not among the deletions" }
        return nil
    }
}

/// A sort order read and applied a second time, simply: the model that incremental lists are held against.
struct NaiveOrder {
    private let keys: [(place: Int, isDescending: Bool, foldsCase: Bool)]

    init(_ sort: [String], of className: ClassName) {
        keys = sort.map { key in
            let (isDescending, foldsCase) = (key.hasPrefix("-"), key.hasSuffix("[c]"))
            let name = String(key.dropFirst(isDescending ? 1 : 0).dropLast(foldsCase ? 3 : 0))
            guard let place = className.schema.place(of: name) else { preconditionFailure("no field \(name)") }
            return (place, isDescending, foldsCase)
        }
    }

    func window(_ rows: some Sequence<Object>, limit: Int?) -> [Object] {
        let sorted = rows.sorted { left, right in
            let order = compareKeys(left, right)
            return order != 0 ? order < 0 : left.key < right.key
        }
        return Array(sorted.prefix(limit ?? Int.max))
    }

    func compareKeys(_ left: Object, _ right: Object) -> Int {
        for key in keys {
            let order = Self.compare(left[key.place], right[key.place], foldsCase: key.foldsCase)
            if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
    }

    private static func compare(_ left: Value, _ right: Value, foldsCase: Bool) -> Int {
        func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.boolean(let a), .boolean(let b)): return order(a ? 1 : 0, b ? 1 : 0)
        case (.integer(let a), .integer(let b)): return order(a, b)
        case (.date(let a), .date(let b)): return order(a, b)
        case (.string(let a), .string(let b)):
            let (a, b) = foldsCase ? (a.lowercased(), b.lowercased()) : (a, b)
            if a.unicodeScalars.elementsEqual(b.unicodeScalars) { return 0 }
            return a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars) ? -1 : 1
        default: preconditionFailure("values of different kinds in one field")
        }
    }

    /// The fewest rows that any diff between the two lists has to move, where rows with unchanged sort keys must not move:
    /// by the recurrence over all pairs of rows.
    func fewestMoves(from old: [Object], to new: [Object]) -> (count: Int, mustStay: Set<String>) {
        let places = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.key, $0) })
        let common = old.compactMap { row in places[row.key].map { (key: row.key, place: $0, stays: compareKeys(row, new[$0]) == 0) } }
        var best: [Int] = []
        for (index, row) in common.enumerated() {
            let fits = common.enumerated().allSatisfy { !$1.stays || $0 == index || ($0 < index) == ($1.place < row.place) }
            let before = (0..<index).filter { best[$0] > 0 && common[$0].place < row.place }.map { best[$0] }.max() ?? 0
            best.append(fits ? before + 1 : 0)
        }
        return (common.count - (best.max() ?? 0), Set(common.filter(\.stays).map(\.key)))
    }
}
