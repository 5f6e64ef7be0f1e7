import Todo
import TodoStore
import TodoSync

/// What a change of an item costs where live queries of projects look at all items.
enum RelatedCosts {
    static func run() throws {
        for filter in ["items.@count > 5", "ANY items.isDone == true", "NONE items.priority == 3", "ALL items.body CONTAINS 'milk'"] {
            for count in [10, 1_000, 10_000] {
                let store = try SQLiteStore.temporary()
                let hub = BenchHub(store)
                let session = hub.login("writer")
                try BenchHub.fill(store, project: "p", items: count, owner: try hub.userId(session, "writer"))
                let again = hub.login("writer")
                hub.subscribe(again, "q", "Project", filter)
                Measure.report("one write beside '\(filter)', \(count) items", rounds: count > 5_000 ? 20 : 200) { round in
                    hub.write(again, #"{"update":"Item","id":"p-\#(round % count)","set":{"body":"milk \#(round)"}}"#)
                }
            }
        }
    }
}
