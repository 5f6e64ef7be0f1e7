/// An entry that knows when it was last touched.
protocol Timed {
    var touchedAt: Int64 { get }
}

/// A table that forgets its oldest entries rather than grow past its bound.
struct BoundedTable<Key: Hashable, Entry: Timed> {
    private var entries: [Key: Entry] = [:]
    private let countMax: Int

    init(countMax: Int) { self.countMax = max(2, countMax) }

    var count: Int { entries.count }

    subscript(key: Key) -> Entry? {
        get { entries[key] }
        set {
            entries[key] = newValue
            if entries.count > countMax { forgetOldest() }
        }
    }

    /// Half of them at once, so that it costs little an entry.
    private mutating func forgetOldest() {
        let middle = entries.values.map(\.touchedAt).sorted()[entries.count / 2]
        var surplus = entries.count - countMax / 2
        for (key, entry) in entries where surplus > 0 && entry.touchedAt <= middle {
            entries[key] = nil
            surplus -= 1
        }
    }
}
