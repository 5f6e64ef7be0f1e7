import Todo
import TodoStore
import TodoSync

/// Lists of 100,000 rows and lists of 10,000 sessions, in the session layer.
enum SessionCosts {
    static func run() throws {
        try largeList()
        try crowd()
    }

    private static func largeList() throws {
        let store = try SQLiteStore.temporary()
        let hub = BenchHub(store)
        let writer = hub.login("writer")
        try BenchHub.fill(store, project: "p", items: 100_000, owner: try hub.userId(writer, "writer"))
        let again = hub.login("writer")
        let bytes = hub.bytes
        let first = Measure.once { hub.subscribe(again, "all", "Item", "projectId == 'p'", #","sort":["position"]"#) }
        print("\(Measure.pad("first list of 100000 rows, read and sent")) \(Measure.time(first)), \(Measure.size(hub.bytes - bytes))")
        var created = 0
        Measure.report("100000 rows: one write that modifies", rounds: 300) { round in
            hub.write(again, #"{"update":"Item","id":"p-\#(round * 37 % 90_000)","set":{"body":"body \#(round)"}}"#)
        }
        Measure.report("100000 rows: one write that moves", rounds: 300) { round in
            hub.write(again, #"{"move":"Item","id":"p-\#(round * 41 % 90_000)","after":"p-\#(round * 53 % 90_000 + 1)"}"#)
        }
        Measure.report("100000 rows: one write that inserts", rounds: 300) { _ in
            created += 1
            hub.write(again, #"{"create":"Item","object":{"projectId":"p","itemId":"new-\#(created)","body":"new"}}"#)
        }
        Measure.report("100000 rows: one write that deletes", rounds: 300) { round in
            hub.write(again, #"{"delete":"Item","id":"new-\#(round + 1)"}"#)
        }
    }

    private static func crowd() throws {
        let store = try SQLiteStore.temporary()
        let hub = BenchHub(store)
        let first = hub.login("anna")
        try BenchHub.fill(store, project: "p", items: 2_000, owner: try hub.userId(first, "anna"))
        var sessions: [SessionID] = []
        for _ in 0..<10_000 { sessions.append(hub.login("anna")) }
        let subscription = hub.subscription("all", "Item", "projectId == 'p'", #","sort":["position"]"#)
        var inputs = sessions.map { hub.input($0, subscription) }
        let bytes = hub.bytes
        let subscribed = Measure.once { hub.process(inputs) }
        print(
            "\(Measure.pad("10000 sessions subscribe to one list of 2000 rows")) \(Measure.time(subscribed)), "
                + "\(Measure.size(hub.bytes - bytes)) out of \(hub.hub.figures.parts) encoded parts")
        Measure.report("10000 sessions on one list: one write", rounds: 20) { round in
            hub.write(sessions[0], #"{"update":"Item","id":"p-\#(round)","set":{"body":"body \#(round)"}}"#)
        }
        let version = store.version
        hub.process(sessions.dropFirst().map { .closed($0) })
        for round in 0..<100 { hub.write(sessions[0], #"{"update":"Item","id":"p-\#(round)","set":{"isDone":true}}"#) }
        let again = (0..<10_000).map { _ in hub.login("anna") }
        let since = #","sort":["position"],"since":\#(version),"epoch":"\#(store.epoch)""#
        inputs = again.map { hub.input($0, hub.subscription("all", "Item", "projectId == 'p'", since)) }
        let before = hub.bytes
        let resumed = Measure.once { hub.process(inputs) }
        print(
            "\(Measure.pad("10000 sessions resume it, 100 rows behind")) \(Measure.time(resumed)), \(Measure.size(hub.bytes - before)) "
                + "out of \(hub.hub.figures.catchUps) differences; whole lists took \(Measure.ratio(subscribed, resumed)) times as long")
    }
}
