import Todo
import TodoStore
import TodoSync

/// The cost of one write beside live queries that it does not touch, and beside some that it does.
enum UntouchedQueryCosts {
    private static let counts = [1, 1_000, 100_000]

    static func run() throws {
        var costs: [UInt64] = []
        for count in counts {
            let hub = try prepared()
            let writer = hub.login("writer")
            hub.write(
                writer,
                #"{"create":"Project","object":{"projectId":"own","name":"own"}},{"create":"Item","object":{"itemId":"i","projectId":"own","body":"b"}}"#
            )
            hub.subscribe(writer, "own", "Item", "projectId == 'own'")
            let other = try addQueries(count, hub)
            costs.append(cost(hub, writer))
            print("\(Measure.pad("one write beside \(count) live queries that it does not touch")) \(Measure.time(costs[costs.count - 1]))")
            precondition(hub.hub.figures.deliveries > 0 && other >= count)
        }
        for (place, count) in counts.enumerated().dropFirst() {
            print("\(Measure.pad("  with \(count) against with \(counts[0])")) \(Measure.ratio(costs[place], costs[0]))")
        }
        try touched()
    }

    private static func prepared() throws -> BenchHub {
        BenchHub(try SQLiteStore.temporary()) { $0.limits.subscriptions = 1000 }
    }

    private static func cost(_ hub: BenchHub, _ writer: SessionID) -> UInt64 {
        Measure.best(rounds: 500, repetitions: 9) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"body":"body \#(round)"}}"#)
        }
    }

    /// Live queries of every kind of others: of a project, of their own objects, of all that they see.
    private static func addQueries(_ count: Int, _ hub: BenchHub) throws -> Int {
        var added = 0
        var session = 0
        while added < count {
            let id = hub.login("other-\(session)")
            let inputs = (0..<min(200, count - added)).map { number in
                let filter =
                    switch number % 4 {
                    case 0: "projectId == 'p\(session)-\(number)' AND isDone == false"
                    case 1: "assignee == $user AND priority >= 1 AND body != '\(number)'"
                    case 2: "isDone == false AND body != '\(number)'"
                    default: "itemId == 'i\(session)-\(number)'"
                    }
                return hub.input(id, hub.subscription("q\(number)", "Item", filter))
            }
            hub.process(inputs)
            added += inputs.count
            session += 1
        }
        return added
    }

    private static func touched() throws {
        let hub = try prepared()
        let writer = hub.login("writer")
        hub.write(
            writer,
            #"{"create":"Project","object":{"projectId":"own","name":"own"}},{"create":"Item","object":{"itemId":"i","projectId":"own","body":"b"}}"#
        )
        hub.process(
            (0..<1000).map { number in
                hub.input(writer, hub.subscription("q\(number)", "Item", "projectId == 'own' AND body != '\(number)'"))
            })
        let before = hub.hub.figures.deliveries
        let cost = Measure.best(rounds: 20) { round in
            hub.write(writer, #"{"update":"Item","id":"i","set":{"body":"body \#(round)"}}"#)
        }
        precondition(hub.hub.figures.deliveries > before)
        print(
            "\(Measure.pad("one write beside 1000 live queries that it touches")) \(Measure.time(cost)), \(Measure.time(cost / 1000)) each")
    }
}
