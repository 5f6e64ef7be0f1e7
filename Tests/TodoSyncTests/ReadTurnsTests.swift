import Testing
import Todo
import TodoSync

/// Who reads from the store when more ask for it than may at once.
struct ReadTurnsTests {
    /// A hub with two snapshots, and two users with a project each.
    private func users() throws -> (HubHarness, HubClient, HubClient) {
        let harness = try HubHarness { $0.limits.snapshots = 2 }
        let greedy = try harness.login("Greedy")
        let modest = try harness.login("Modest")
        for (client, project) in [(greedy, "p1"), (modest, "p2")] {
            try client.write([["create": "Project", "object": ["projectId": project, "name": project]]])
            try client.write([["create": "Item", "object": ["projectId": project, "itemId": "\(project)-i", "body": "one"]]])
        }
        return (harness, greedy, modest)
    }

    private func subscription(_ number: Int) -> [String: Any] {
        ["name": "list", "class": "Item", "filter": "projectId == 'p1' AND body != '\(number)'", "update": true]
    }

    /// Runs the jobs that wait, one after the other, until nothing is left of them.
    private func runJobs(_ harness: HubHarness, each: () -> Void = {}) -> Int {
        var count = 0
        while let job = harness.jobs.takeFirst() {
            count += 1
            harness.process([.finished(job())], runJobs: false)
            each()
        }
        return count
    }

    @Test func `a query waits for one list of who asked for a hundred before`() throws {
        let (harness, greedy, modest) = try users()
        harness.process(try (0..<100).map { try greedy.request("subscribe", subscription($0)).input }, runJobs: false)
        let (id, input) = try modest.request("query", ["class": "Item"])
        harness.process([input], runJobs: false)
        // One read of each of them is under way.
        #expect(harness.jobs.waiting.count == 2)
        while let job = harness.jobs.takeFirst(), !modest.messages.contains(where: { $0["id"] as? Int == id }) {
            harness.process([.finished(job())], runJobs: false)
        }
        #expect((try modest.result(of: id)["objects"] as? [Any])?.count == 1)
    }

    @Test func `lists that were replaced before their turn came are not read`() throws {
        let (harness, greedy, _) = try users()
        harness.process(try (0..<100).map { try greedy.request("subscribe", subscription($0)).input }, runJobs: false)
        // The one that was under way, and the last one.
        #expect(runJobs(harness) <= 4)
        #expect(greedy.complete == ["list"])
        #expect(greedy.keys("list", "itemId") == ["p1-i"])
    }

    @Test func `what was asked for on a closed connection is not read`() throws {
        let (harness, greedy, _) = try users()
        for number in 0..<50 {
            let other = harness.connect()
            try other.call("login", ["provider": "token", "token": greedy.token])
            harness.process([try other.request("query", ["class": "Item", "filter": "body != '\(number)'"]).input], runJobs: false)
            harness.process([.closed(other.id)], runJobs: false)
        }
        #expect(runJobs(harness) <= 2)
    }

    @Test func `a user whose lists would hold too many rows loses the last one, and nothing else`() throws {
        let harness = try HubHarness { $0.limits.liveRows = 25 }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try anna.write((0..<20).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "\($0)"]] })
        let query: [String: Any] = ["class": "Item", "filter": "projectId == 'p1'"]
        try anna.call("subscribe", query.merging(["name": "first"]) { $1 })
        // The same query holds nothing more.
        let other = harness.connect()
        try other.call("login", ["provider": "token", "token": anna.token])
        try other.call("subscribe", query.merging(["name": "again"]) { $1 })
        #expect(other.complete == ["again"])
        try other.call("subscribe", query.merging(["name": "more", "limit": 10]) { $1 })
        #expect(other.notifications("error").map { $0["code"] as? Int } == [-32005])
        #expect(other.notifications("error").map { $0["name"] as? String } == ["more"])
        try anna.write([["update": "Item", "id": "i3", "set": ["body": "new"]]])
        #expect(anna.lists["first"]?.contains { $0["body"] as? String == "new" } == true)
        #expect(other.lists["again"]?.contains { $0["body"] as? String == "new" } == true)
    }

    @Test func `tallies that were made when a list was read are right, also for what was written meanwhile`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try anna.write((0..<100).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "\($0)"]] })
        let query = try anna.request("subscribe", ["name": "all", "class": "Project", "filter": "ALL items.body != 'odd'"])
        harness.process([query.input], runJobs: false)
        let odd = try anna.request("write", ["changes": [["update": "Item", "id": "i7", "set": ["body": "odd"]]]])
        harness.process([odd.input], runJobs: false)
        _ = runJobs(harness)
        #expect(anna.keys("all", "projectId") == [])
        try anna.write([["update": "Item", "id": "i7", "set": ["body": "even"]]])
        #expect(anna.keys("all", "projectId") == ["p1"])
        try anna.write([
            ["update": "Item", "id": "i8", "set": ["body": "odd"]], ["create": "Item", "object": ["projectId": "p1", "body": "x"]],
        ])
        #expect(anna.keys("all", "projectId") == [])
        try anna.write([["delete": "Item", "id": "i8"]])
        #expect(anna.keys("all", "projectId") == ["p1"])
    }
}
