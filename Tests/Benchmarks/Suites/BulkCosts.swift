import Todo
import TodoStore
import TodoSync

/// Filter forms over 100,000 items, during which everybody waits.
enum BulkCosts {
    private static let items = 100_000

    static func run() throws {
        for isWatched in [false, true] {
            let store = try SQLiteStore.temporary()
            let hub = BenchHub(store)
            let first = hub.login("writer")
            try BenchHub.fill(store, project: "p", items: items, owner: try hub.userId(first, "writer"))
            let session = hub.login("writer")
            if isWatched { hub.subscribe(session, "all", "Item", "projectId == 'p'", #","sort":["position"]"#) }
            let what = isWatched ? ", with a live list of all" : ""
            report("updates\(what)", hub, session, #"{"update":"Item","filter":"projectId == 'p'","set":{"isDone":true}}"#)
            report("deletes\(what)", hub, session, #"{"delete":"Item","filter":"projectId == 'p'"}"#)
        }
    }

    private static func report(_ what: String, _ hub: BenchHub, _ session: SessionID, _ change: String) {
        let version = hub.store.version
        let time = Measure.once { hub.write(session, change) }
        precondition(hub.store.version == version + 1, hub.lastText)
        print(
            "\(Measure.pad("one filter form \(what), \(items) items")) \(Measure.time(time)), \(Measure.time(time / UInt64(items))) an item"
        )
    }
}
