/// Deadlines of many connections, the soonest first: a binary heap in one array.
///
/// The heap holds what was pushed and knows nothing of changed minds. Whoever pops an entry checks it against the deadline that holds now;
/// a deadline that only moves later, as with every sign of life, costs nothing until the old one comes up.
package struct TimerHeap {
    package struct Entry {
        package var instant: Instant
        package var id: ConnectionID

        package init(instant: Instant, id: ConnectionID) {
            self.instant = instant
            self.id = id
        }
    }

    private var entries: [Entry] = []

    package init() {}

    /// When the soonest entry is due; `distantFuture` if there is none.
    package var soonest: Instant {
        entries.first?.instant ?? .distantFuture
    }

    package var count: Int { entries.count }

    package mutating func push(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entry.instant < entries[parent].instant else { break }
            entries[child] = entries[parent]
            child = parent
        }
        entries[child] = entry
    }

    /// Takes the soonest entry out if it is due at `now`.
    package mutating func popDue(at now: Instant) -> Entry? {
        guard let first = entries.first, first.instant <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty { sink(last) }
        return first
    }

    /// Puts `entry` in at the root and lets it sink to its place.
    private mutating func sink(_ entry: Entry) {
        var parent = 0
        while true {
            var child = parent * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].instant < entries[child].instant { child += 1 }
            guard entries[child].instant < entry.instant else { break }
            entries[parent] = entries[child]
            parent = child
        }
        entries[parent] = entry
    }
}
