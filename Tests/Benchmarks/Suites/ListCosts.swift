import Todo

/// What a live list costs by itself.
enum ListCosts {
    static func run() throws {
        for count in [100, 1000, 10_000, 100_000] { try oneRow(count: count) }
        try wholeList()
    }

    private static func oneRow(count: Int) throws {
        let rows = BenchItems.rows(count)
        let query = try Query(.item, sort: ["position"], user: "u1")
        var list = LiveList(query: query, rows: rows)
        let body = ItemField.body
        let position = ItemField.position
        var change = 0
        Measure.report("\(count) rows, another body", rounds: 2000) { round in
            var row = rows[round * 37 % count]
            change += 1
            row[body] = .string("body \(change)")
            _ = list.apply([(row.key, row)])
        }
        Measure.report("\(count) rows, another place", rounds: 2000) { round in
            var row = rows[round * 37 % count]
            change += 1
            row[position] = .string("a\(change * 53 % 99_991)b\(change)")
            _ = list.apply([(row.key, row)])
        }
        Measure.report("\(count) rows, one leaves and comes back", rounds: 2000) { round in
            let row = rows[round * 37 % count]
            _ = list.apply([(row.key, nil)])
            _ = list.apply([(row.key, row)])
        }
        var window = LiveList(query: try Query(.item, sort: ["-timestamp"], limit: 50, user: "u1"), rows: rows)
        Measure.report("\(count) rows, limit 50, one leaves and comes back", rounds: 2000) { round in
            let row = rows[round * 37 % count]
            _ = window.apply([(row.key, nil)])
            _ = window.apply([(row.key, row)])
        }
    }

    private static func wholeList() throws {
        let rows = BenchItems.rows(100_000).shuffled()
        for sort in [["position"], ["body[c]"]] {
            let query = try Query(.item, sort: sort, user: "u1")
            Measure.report("a list of 100000 rows by \(sort[0])", rounds: 1) { _ in _ = LiveList(query: query, rows: rows) }
        }
        let query = try Query(.item, sort: ["position"], user: "u1")
        let list = LiveList(query: query, rows: rows)
        Measure.report("100000 rows read in parts of 500", rounds: 1) { _ in
            for start in stride(from: 0, to: 100_000, by: 500) { _ = list.window(start..<start + 500) }
        }
        let position = ItemField.position
        let moved: [(key: String, after: Object?)] = rows.prefix(10_000).enumerated().map { number, row in
            var row = row
            row[position] = .string("a\(number * 53 % 99_991)c")
            return (row.key, row)
        }
        Measure.report("10000 of 100000 rows move in one commit", rounds: 1) { _ in
            var copy = list
            _ = copy.apply(moved)
        }
        var changed = list
        var journal = Journal()
        if let applied = changed.apply(moved) { journal.record(applied) }
        Measure.report("a merged diff of 10000 rows from a journal", rounds: 1) { _ in _ = changed.diff(from: journal) }
    }
}
