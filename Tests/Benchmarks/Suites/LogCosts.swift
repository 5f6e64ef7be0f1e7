import Foundation
import Todo
import TodoStore
import TodoSync

/// A million updates to eight rows, with upkeep as the server does it, while sessions are open and snapshots have been taken.
enum LogCosts {
    private static let updates = 1_000_000
    private static let batch = 500

    static func run() throws {
        let store = try SQLiteStore.temporary()
        let hub = BenchHub(store)
        let writer = hub.login("writer")
        hub.write(writer, #"{"create":"Project","object":{"projectId":"p","name":"p"}}"#)
        for item in 0..<8 { hub.write(writer, #"{"create":"Item","object":{"projectId":"p","itemId":"i\#(item)","body":"b"}}"#) }
        let readers = (0..<20).map { _ in hub.login("writer") }
        for reader in readers { hub.subscribe(reader, "all", "Item", "projectId == 'p'") }
        // Snapshots that were given back: their connections stay open for the next ones.
        let snapshots = try (0..<4).map { _ in try store.snapshot() }
        for snapshot in snapshots { snapshot.release() }
        var longestStep: UInt64 = 0
        var longestCommit: UInt64 = 0
        var largest = 0
        let start = Measure.clockNanoseconds
        for round in 0..<(updates / batch) {
            let inputs = (0..<batch).map { number in
                hub.input(
                    writer,
                    #""method":"write","params":{"changes":[{"update":"Item","id":"i\#(number % 8)","set":{"body":"\#(round)-\#(number)"}}]}"#
                )
            }
            longestCommit = max(longestCommit, Measure.once { hub.process(inputs) })
            // A batch every 25 minutes: the month that the log is kept is over after about 1,700 of them.
            hub.moment.wall = Timestamp(milliseconds: hub.moment.wall.milliseconds + 25 * 60_000)
            let now = hub.moment
            longestStep = max(longestStep, Measure.once { hub.hub.tick(at: now) })
            if round % 50 == 0 { largest = max(largest, size(of: store)) }
        }
        let seconds = Double(Measure.clockNanoseconds - start) / 1e9
        print("\(Measure.pad("\(updates) updates of 8 rows, by the clock")) \(Int(seconds)) s")
        print("\(Measure.pad("  the longest turn of \(batch) transactions")) \(Measure.time(longestCommit))")
        print("\(Measure.pad("  the longest step of upkeep")) \(Measure.time(longestStep))")
        print(
            "\(Measure.pad("  the store's files while the log is kept for 30 days")) \(Measure.size(size(of: store))), at most \(Measure.size(max(largest, size(of: store))))"
        )
        hub.moment.wall = Timestamp(milliseconds: hub.moment.wall.milliseconds + 31 * 86_400_000)
        var steps = 0
        let pruning = try Measure.once {
            while try store.upkeep(now: hub.moment.wall, limits: UpkeepLimits()) { steps += 1 }
        }
        print(
            "\(Measure.pad("  what was left of the log is pruned in \(steps) steps of")) \(Measure.time(pruning / UInt64(max(steps, 1))))")
        for number in 0..<2_000 { hub.write(writer, #"{"update":"Item","id":"i1","set":{"body":"again \#(number)"}}"#) }
        print("\(Measure.pad("  the store's files after that")) \(Measure.size(size(of: store)))")
    }

    private static func size(of store: SQLiteStore) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store.folder)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: store.folder + "/" + name)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}
