import Foundation
import Testing
import Todo

/// Prints what live lists and predicates cost: `TODOSYNC_BENCHMARK=1 swift test -c release --filter QueryBenchmarks`.
@Suite("Costs of live lists and predicates", .enabled(if: ProcessInfo.processInfo.environment["TODOSYNC_BENCHMARK"] != nil), .serialized)
struct QueryBenchmarks {
    private static func rows(_ count: Int) -> [Object] {
        (0..<count).map { number in
            item(
                "item-\(number * 7919 % 1_000_003)",
                [
                    "body": .string("Buy milk and bread number \(number)"), "priority": .integer(Int64(number % 4)),
                    "timestamp": .date(Timestamp(milliseconds: Int64(number) * 1000)), "position": .string("a\(number * 31 % 99_991)"),
                ])
        }
    }

    /// Prints the processor time of one round, the best of five measurements.
    private func measure(_ name: String, rounds: Int, _ body: (Int) throws -> Void) rethrows {
        var best = UInt64.max
        for _ in 0..<5 {
            let start = Self.processorNanoseconds
            for round in 0..<rounds { try body(round) }
            best = min(best, Self.processorNanoseconds - start)
        }
        print("\(name): \(best / UInt64(rounds)) ns")
    }

    private static var processorNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    @Test("A change of one row", arguments: [100, 1000, 10_000, 100_000])
    func oneRow(count: Int) throws {
        let rows = Self.rows(count)
        let query = try Query(.item, sort: ["position"], user: "u1")
        var list = LiveList(query: query, rows: rows)
        let body = try #require(ClassName.item.schema.place(of: "body"))
        let position = try #require(ClassName.item.schema.place(of: "position"))
        var change = 0
        measure("\(count) rows, another body", rounds: 2000) { round in
            var row = rows[round * 37 % count]
            change += 1
            row[body] = .string("body \(change)")
            _ = list.apply([(row.key, row)])
        }
        measure("\(count) rows, another place", rounds: 2000) { round in
            var row = rows[round * 37 % count]
            change += 1
            row[position] = .string("a\(change * 53 % 99_991)b\(change)")
            _ = list.apply([(row.key, row)])
        }
        measure("\(count) rows, one leaves and comes back", rounds: 2000) { round in
            let row = rows[round * 37 % count]
            _ = list.apply([(row.key, nil)])
            _ = list.apply([(row.key, row)])
        }
        var window = LiveList(query: try Query(.item, sort: ["-timestamp"], limit: 50, user: "u1"), rows: rows)
        measure("\(count) rows, limit 50, one leaves and comes back", rounds: 2000) { round in
            let row = rows[round * 37 % count]
            _ = window.apply([(row.key, nil)])
            _ = window.apply([(row.key, row)])
        }
    }

    @Test("A list of 100,000 rows is made, read, and moved by many changes at once")
    func wholeList() throws {
        let rows = Self.rows(100_000).shuffled()
        for sort in [["position"], ["body[c]"]] {
            let query = try Query(.item, sort: sort, user: "u1")
            measure("a list of 100000 rows by \(sort[0])", rounds: 1) { _ in _ = LiveList(query: query, rows: rows) }
        }
        let query = try Query(.item, sort: ["position"], user: "u1")
        let list = LiveList(query: query, rows: rows)
        measure("100000 rows read in parts of 500", rounds: 1) { _ in
            for start in stride(from: 0, to: 100_000, by: 500) { _ = list.window(start..<start + 500) }
        }
        let position = try #require(ClassName.item.schema.place(of: "position"))
        let moved: [(key: String, after: Object?)] = rows.prefix(10_000).enumerated().map { number, row in
            var row = row
            row[position] = .string("a\(number * 53 % 99_991)c")
            return (row.key, row)
        }
        measure("10000 of 100000 rows move in one commit", rounds: 1) { _ in
            var copy = list
            _ = copy.apply(moved)
        }
        var changed = list
        var journal = Journal()
        if let applied = changed.apply(moved) { journal.record(applied) }
        measure("a merged diff of 10000 rows from a journal", rounds: 1) { _ in _ = changed.diff(from: journal) }
    }

    @Test("A predicate meets an object")
    func predicates() throws {
        let rows = Self.rows(1000)
        let accented = rows.map { row in
            var row = row
            row[2] = .string("Crème brûlée à la façon de Łódź")
            return row
        }
        for text in [
            "TRUEPREDICATE", "isDone == FALSE", "projectId == 'p1'", "projectId == 'p1' AND isDone == FALSE AND priority > 1",
            "priority IN {1, 2}", "body CONTAINS 'bread'", "body CONTAINS[c] 'BREAD'", "body CONTAINS[cd] 'bread'",
            "body LIKE[c] '*b?ead*9'",
            "body BEGINSWITH 'Buy'", "timestamp BETWEEN {'1970-01-01T00:00:00Z', '2000-01-01T00:00:00Z'}",
        ] {
            let predicate = try Predicate.parse(text, of: .item, user: "u1")
            var matching = 0
            measure(text, rounds: 20_000) { round in
                if predicate.matches(rows[round % 1000], related: NoRelatedObjects()) { matching += 1 }
            }
        }
        for text in ["body CONTAINS[c] 'ŁÓDŹ'", "body CONTAINS[cd] 'BRULEE'"] {
            let predicate = try Predicate.parse(text, of: .item, user: "u1")
            measure("\(text) in accented text", rounds: 5000) { round in
                _ = predicate.matches(accented[round % 1000], related: NoRelatedObjects())
            }
        }
        let text = "projectId == $0 AND isDone == FALSE AND body CONTAINS[cd] 'milk'"
        try measure("reading a predicate of three comparisons", rounds: 5000) { _ in
            _ = try Predicate.parse(text, of: .item, args: [.value(.string("p1"))], user: "u1")
        }
    }

    @Test("The worst that a filter can do to a long text")
    func adversarial() throws {
        let long = item("i1", ["notes": .string(String(repeating: "a", count: 100_000))])
        let args: [Argument] = [
            .value(.string(String(repeating: "a", count: 500) + "b")), .value(.string("*" + String(repeating: "a?", count: 400) + "b*")),
        ]
        for text in ["notes CONTAINS $0", "notes CONTAINS[c] $0", "notes LIKE $1"] {
            let predicate = try Predicate.parse(text, of: .item, args: args, user: "u1")
            measure("\(text) in 100 kB", rounds: 20) { _ in _ = predicate.matches(long, related: NoRelatedObjects()) }
        }
    }
}
