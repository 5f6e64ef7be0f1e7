import Todo

/// What evaluating a predicate costs.
enum PredicateCosts {
    static func run() throws {
        try predicates()
        try adversarial()
    }

    private static func predicates() throws {
        let rows = BenchItems.rows(1000)
        let accented = rows.map { row in
            var row = row
            row[ItemField.body] = .string("Crème brûlée à la façon de Łódź")
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
            Measure.report(text, rounds: 20_000) { round in
                if predicate.matches(rows[round % 1000], related: NoRelatedObjects()) { matching += 1 }
            }
        }
        for text in ["body CONTAINS[c] 'ŁÓDŹ'", "body CONTAINS[cd] 'BRULEE'"] {
            let predicate = try Predicate.parse(text, of: .item, user: "u1")
            Measure.report("\(text) in accented text", rounds: 5000) { round in
                _ = predicate.matches(accented[round % 1000], related: NoRelatedObjects())
            }
        }
        let text = "projectId == $0 AND isDone == FALSE AND body CONTAINS[cd] 'milk'"
        try Measure.report("reading a predicate of three comparisons", rounds: 5000) { _ in
            _ = try Predicate.parse(text, of: .item, args: [.value(.string("p1"))], user: "u1")
        }
    }

    private static func adversarial() throws {
        let long = BenchItems.item("i1", [BenchItems.notes: .string(String(repeating: "a", count: 100_000))])
        let args: [Argument] = [
            .value(.string(String(repeating: "a", count: 500) + "b")), .value(.string("*" + String(repeating: "a?", count: 400) + "b*")),
        ]
        for text in ["notes CONTAINS $0", "notes CONTAINS[c] $0", "notes LIKE $1"] {
            let predicate = try Predicate.parse(text, of: .item, args: args, user: "u1")
            Measure.report("\(text) in 100 kB", rounds: 20) { _ in _ = predicate.matches(long, related: NoRelatedObjects()) }
        }
    }
}
