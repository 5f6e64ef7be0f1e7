import Foundation
import Testing
import Todo
import TodoStore

/// The log is cut off in small steps, and what it took is used again: a store does not grow with its history.
struct UpkeepTests {
    private static let rows = 8
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func update(_ store: SQLiteStore, _ items: inout [Object], at now: Timestamp, times: Int) throws {
        for round in 0..<times {
            try store.begin()
            var changes: [Change] = []
            for place in items.indices {
                var item = items[place]
                item[ItemField.body] = .string("body \(round) of \(now.milliseconds)")
                try store.update(item, from: items[place])
                changes.append(Change(.item, key: item.key, before: items[place], after: item))
                items[place] = item
            }
            try store.append(LogEntry(version: store.nextVersion, at: now, by: "u1", changes: changes))
            try store.commit()
        }
    }

    private func filled(_ store: SQLiteStore) throws -> [Object] {
        try store.begin()
        let items = (0..<Self.rows).map { Sample.item("i\($0)") }
        for item in items { try store.insert(item) }
        let changes = items.map { Change(.item, key: $0.key, before: nil, after: $0) }
        try store.append(LogEntry(version: store.nextVersion, at: Self.now, by: "u1", changes: changes))
        try store.commit()
        return items
    }

    private func bytes(_ store: SQLiteStore) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: store.folder).reduce(0) {
            $0 + (try FileManager.default.attributesOfItem(atPath: store.folder + "/" + $1)[.size] as? Int ?? 0)
        }
    }

    @Test func `many updates of a few rows leave a small store, also beside snapshots that have been given back`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        var items = try filled(store)
        // Readers that are done keep their connections, and hold nothing back.
        let snapshots = try (0..<3).map { _ in try store.snapshot() }
        for snapshot in snapshots { snapshot.release() }
        var limits = UpkeepLimits()
        limits.logAgeMilliseconds = 60_000
        var now = Self.now
        var sizes: [Int] = []
        for _ in 0..<24 {
            try update(store, &items, at: now, times: 150)
            now = Timestamp(milliseconds: now.milliseconds + 40_000)
            while try store.upkeep(now: now, limits: limits) {}
            sizes.append(try bytes(store))
        }
        // 28,800 logged changes in all, of which some 2,400 are young enough to stay.
        let early = try #require(sizes.prefix(8).max())
        let late = try #require(sizes.suffix(8).max())
        #expect(late <= early + early / 10, "the store grows: \(sizes)")
        // 16 MiB of it are the write-ahead log before its pages go to their places.
        #expect(late < 24 << 20)
    }

    @Test func `a step removes no more rows than it may, and the rest follows`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        var items = try filled(store)
        try update(store, &items, at: Self.now, times: 100)
        var limits = UpkeepLimits()
        limits.logAgeMilliseconds = 1
        limits.rowsMax = 50
        let later = Timestamp(milliseconds: Self.now.milliseconds + 1000)
        var steps = 1
        while try store.upkeep(now: later, limits: limits) { steps += 1 }
        // 8 rows of the first entry and 99 × 8 of the following; the last entry stays, as it holds the version.
        #expect(steps == 100 * Self.rows / 50 + 1)
        #expect(try store.changes(since: store.version - 1, rowsMax: 100) != .unknown)
        #expect(try store.changes(since: store.version - 2, rowsMax: 100) == .unknown)
    }
}
