/// The ordered list of one live query: all the rows that match and are visible, of which a client sees the first `limit`.
///
/// It is moved from version to version by `apply`, at a cost of O(k log n) for k changed rows among n.
public struct LiveList: Sendable {
    /// The query whose list this is.
    public let query: Query
    private var rows: [String: Row]
    private var ordered: OrderedList

    /// The list of these rows, in any order, each key once, all of which match and are visible: O(n log n).
    public init(query: Query, rows objects: [Object]) {
        self.query = query
        let prepared = objects.map { Row($0, order: query.sort) }
        ordered = OrderedList(prepared, order: query.sort)
        rows = Dictionary(uniqueKeysWithValues: prepared.map { ($0.object.key, $0) })
    }

    /// All rows, also those beyond the limit.
    public var count: Int { ordered.count }

    /// The rows that a client sees.
    public var windowCount: Int { min(ordered.count, query.limit ?? Int.max) }

    /// The rows that a client sees, as they are now: what happens to the list afterwards does not change them.
    public var present: ListWindow { ListWindow(ordered, limit: query.limit) }

    /// The rows that a client sees at these places, in order; places behind the last row are left out.
    public func window(_ range: Range<Int>) -> [Object] {
        var objects: [Object] = []
        ordered.forEach(in: range.clamped(to: 0..<windowCount)) { objects.append($0.object) }
        return objects
    }

    /// Every row, also those beyond the limit, in no particular order.
    public var objects: some Sequence<Object> { rows.values.lazy.map(\.object) }

    /// The row with that key, also beyond the limit.
    public func object(forKey key: String) -> Object? { rows[key]?.object }

    /// Brings rows to a new state and tells what that did to the list.
    ///
    /// - Parameter candidates: rows that may have changed, each key once: the object as it is now, `nil` if it is gone, is not
    ///   visible or does not match.
    /// - Returns: what changed, `nil` if nothing did.
    public mutating func apply(_ candidates: [(key: String, after: Object?)]) -> AppliedChange? {
        var changed: [ChangedRow] = []
        var replaced: [(key: String, old: Object?)] = []
        for (key, after) in candidates {
            let old = rows[key]
            guard old?.object != after else { continue }
            let new = after.map { put($0, inPlaceOf: old) }
            if let old, new == nil { ordered.remove(old) }
            rows[key] = new
            if let before = old?.object, let after, before.looksLike(after) { continue }
            changed.append(ChangedRow(old: old, new: new))
            replaced.append((key, old?.object))
        }
        guard !changed.isEmpty else { return nil }
        return AppliedChange(diff: ListDiff(to: ordered, limit: query.limit, changed: changed), replaced: replaced)
    }

    private mutating func put(_ object: Object, inPlaceOf old: Row?) -> Row {
        // Folding a text to sort by costs more than to see that it is the same.
        if let old, query.sort.holdsSame(old.object, object) {
            let row = Row(object, inPlaceOf: old)
            ordered.replace(row)
            return row
        }
        let row = Row(object, order: query.sort)
        if let old, query.sort.compareKeys(old, row) == 0 {
            ordered.replace(row)
        } else {
            if let old { ordered.remove(old) }
            ordered.insert(row)
        }
        return row
    }

    /// How many rows a client saw at an older version.
    ///
    /// - Parameter journal: what has been recorded since that version.
    public func windowCount(before journal: Journal) -> Int {
        let past = journal.rows.reduce(count) { $0 + ($1.value == nil ? 0 : 1) - (rows[$1.key] == nil ? 0 : 1) }
        return min(past, query.limit ?? Int.max)
    }

    /// The difference between the list at an older version and now, in one; `nil` if there is none.
    ///
    /// - Parameter journal: what has been recorded since that version.
    public func diff(from journal: Journal) -> ListDiff? {
        var changed: [ChangedRow] = []
        for (key, before) in journal.rows {
            let new = rows[key]
            guard new?.object != before else { continue }
            if let before, let after = new?.object, before.looksLike(after) { continue }
            changed.append(ChangedRow(old: before.map { Row($0, order: query.sort) }, new: new))
        }
        guard !changed.isEmpty else { return nil }
        let diff = ListDiff(to: ordered, limit: query.limit, changed: changed)
        return diff.isEmpty ? nil : diff
    }
}

extension Object {
    /// Whether clients can't tell the two states of an object apart: only hidden fields differ.
    fileprivate func looksLike(_ other: Object) -> Bool {
        let shown = className.schema.shownCount
        return shown < values.count && values[..<shown] == other.values[..<shown]
    }
}
