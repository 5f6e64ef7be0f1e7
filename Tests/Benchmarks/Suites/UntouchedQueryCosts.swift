import Todo
import TodoStore
import TodoSync

/// The cost of one write beside live queries that it does not touch, and beside some that it does.
enum UntouchedQueryCosts {
    private static let counts = [1, 1_000, 100_000]

    /// Filters that one item of an open project does not match, by what tells that, each for a number: nobody shares a list.
    private static let kinds: [(name: String, filter: @Sendable (Int) -> String)] = [
        ("another project", { "projectId == 'z\($0)'" }),
        ("another assignee", { "assignee == $user AND body != 'z\($0)'" }),
        ("another text", { "body == 'z\($0)'" }),
        ("another text, case folded", { "body ==[c] 'z\($0)'" }),
        ("another truth value", { "isDone == TRUE AND body != 'z\($0)'" }),
        ("another number", { "priority == 3.0 AND body != 'z\($0)'" }),
        ("no date", { "completedAt != NULL AND isDone == TRUE AND body != 'z\($0)'" }),
        ("another owner of the project", { "project.owner == 'z\($0)'" }),
        ("not in a list", { "projectId IN {'z\($0)', 'y'}" }),
        ("neither of two", { "projectId == 'z\($0)' OR projectId == 'y'" }),
        ("not another one", { "NOT (body != 'z\($0)' OR isDone == FALSE)" }),
        ("another text of the same project", { "projectId == 'own' AND body == 'z\($0)'" }),
    ]

    static func run() throws {
        for kind in kinds { try measure(kind.name, kind.filter) }
        try measure("some of each") { kinds[$0 % kinds.count].filter($0) }
        try touched()
        try unread()
    }

    /// The same write beside more and more of the queries, in turns, so that what else the machine does meets all of them.
    private static func measure(_ name: String, _ filter: (Int) -> String) throws {
        let hubs = try counts.map { count in
            let (hub, writer) = try prepared()
            addQueries(count, hub, filter)
            return (hub, writer)
        }
        let concerned = hubs.map(\.0.hub.figures.listsConcerned)
        var costs = counts.map { _ in UInt64.max }
        for repetition in 0..<9 {
            for (place, (hub, writer)) in hubs.enumerated() {
                costs[place] = min(costs[place], cost(hub, writer, rounds: 300, first: repetition * 300))
            }
        }
        precondition(hubs.map(\.0.hub.figures.listsConcerned) == concerned, "the write touches a list of \(name)")
        let ratios = zip(counts, costs).map { "\($0) \(Measure.time($1)) (\(Measure.ratio($1, costs[0])))" }
        print("\(Measure.pad("beside lists of \(name)")) \(ratios.joined(separator: ", "))")
    }

    /// A hub with an open project and an item in it.
    private static func prepared() throws -> (hub: BenchHub, writer: SessionID) {
        let hub = BenchHub(try SQLiteStore.temporary()) { $0.limits.subscriptions = 1000 }
        let writer = hub.login("writer")
        hub.write(
            writer,
            #"{"create":"Project","object":{"projectId":"own","name":"own","access":"everyone-write"}},{"create":"Item","object":{"itemId":"i","projectId":"own","body":"b"}}"#
        )
        return (hub, writer)
    }

    private static func cost(_ hub: BenchHub, _ writer: SessionID, rounds: Int, first: Int = 0) -> UInt64 {
        Measure.best(rounds: rounds, repetitions: 1) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"body":"body \#(first + round)"}}"#)
        }
    }

    private static func addQueries(_ count: Int, _ hub: BenchHub, _ filter: (Int) -> String) {
        for first in stride(from: 0, to: count, by: 1000) {
            let id = hub.login("other-\(first)")
            hub.process((first..<min(first + 1000, count)).map { hub.input(id, hub.subscription("q\($0)", "Item", filter($0))) })
        }
    }

    private static func touched() throws {
        let (hub, writer) = try prepared()
        addQueries(1000, hub) { "projectId == 'own' AND body != '\($0)'" }
        let before = hub.hub.figures.deliveries
        let cost = Measure.best(rounds: 20) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"body":"body \#(round)"}}"#)
        }
        precondition(hub.hub.figures.deliveries > before)
        print(
            "\(Measure.pad("one write beside 1000 live queries that it touches")) \(Measure.time(cost)), \(Measure.time(cost / 1000)) each")
    }

    /// Lists that search much text, and writes that change other fields, or the text.
    private static func unread() throws {
        let (hub, writer) = try prepared()
        addQueries(16, hub) { number in
            (0..<16).map { "notes CONTAINS[cd] '\(String(repeating: "a", count: 60))\(number)c\($0)'" }.joined(separator: " OR ")
        }
        let notes = String(repeating: "a", count: 99_990)
        hub.write(writer, #"{"update":"Item","id":"i","set":{"notes":"\#(notes)"}}"#)
        let other = Measure.best(rounds: 10) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"priority":\#(round % 4)}}"#)
        }
        let text = Measure.best(rounds: 2) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"notes":"\#(notes)\#(round)"}}"#)
        }
        print("\(Measure.pad("16 lists that search 100 KB in 16 ways: a write of another field")) \(Measure.time(other))")
        print("\(Measure.pad("  and one of the text")) \(Measure.time(text))")
    }
}
