import Testing
import Todo
import TodoSync

/// First lists on their way to many sessions: read once, encoded once, each session at its own pace.
struct FirstListTests {
    private static var query: [String: Any] {
        ["name": "all", "class": "Item", "filter": "projectId == 'p1'", "sort": ["position"]]
    }

    /// A project with that many items, in which two of the first parts are full.
    private func project(items: Int, change: (inout SyncSettings) -> Void = { _ in }) throws -> (HubHarness, HubClient) {
        let harness = try HubHarness(access: .everyoneWrite, change: change)
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        for start in stride(from: 0, to: items, by: 1000) {
            try anna.write(
                (start..<min(start + 1000, items)).map {
                    ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "body \($0)"]]
                })
        }
        return (harness, anna)
    }

    private func readers(_ count: Int, _ harness: HubHarness) throws -> [HubClient] {
        try (0..<count).map { try harness.login("reader\($0)") }
    }

    private func subscribe(_ clients: [HubClient], _ harness: HubHarness) throws {
        harness.process(try clients.map { try $0.request("subscribe", Self.query).input })
    }

    @Test func `a crowd that subscribes to one list costs one encoding`() throws {
        let (harness, _) = try project(items: 1200)
        let clients = try readers(40, harness)
        try subscribe(clients, harness)
        #expect(harness.hub.figures.parts == 3)
        for client in clients {
            #expect(client.complete == ["all"])
            #expect(client.keys("all", "itemId") == (0..<1200).map { "i\($0)" })
        }
    }

    @Test func `a session that reads slowly gets its parts later and holds nobody up`() throws {
        let (harness, anna) = try project(items: 1200)
        let clients = try readers(10, harness)
        for client in clients.prefix(4) { client.isStalled = true }
        try subscribe(clients, harness)
        #expect(clients[0].keys("all", "itemId").count == 500)
        #expect(clients[9].complete == ["all"])
        try anna.write([["delete": "Item", "id": "i0"], ["update": "Item", "id": "i900", "set": ["body": "late"]]])
        for client in clients.prefix(4) {
            client.isStalled = false
            harness.process([.drained(client.id)])
        }
        for client in clients {
            #expect(client.complete == ["all"])
            #expect(client.keys("all", "itemId") == (1..<1200).map { "i\($0)" })
            #expect(client.lists["all"]?[899]["body"] as? String == "late")
        }
        // The parts of the version before the write, one encoding each: the slow ones got the same as the fast ones.
        #expect(harness.hub.figures.parts == 3)
    }

    @Test func `who subscribes after a change gets the list after it`() throws {
        let (harness, anna) = try project(items: 600)
        let clients = try readers(6, harness)
        try subscribe(Array(clients.prefix(3)), harness)
        try anna.write([["update": "Item", "id": "i3", "set": ["body": "new"]]])
        try subscribe(Array(clients.suffix(3)), harness)
        for client in clients { #expect(client.lists["all"]?[3]["body"] as? String == "new") }
        for client in clients.suffix(3) { #expect(client.notifications("change").isEmpty) }
        #expect(harness.hub.figures.parts == 4)
    }

    @Test func `names of their own and a version of its own get parts of their own`() throws {
        let (harness, anna) = try project(items: 20)
        let clients = try readers(4, harness)
        for (number, client) in clients.enumerated() {
            var query = Self.query
            query["name"] = "list\(number % 2)"
            try client.call("subscribe", query)
            #expect(client.keys("list\(number % 2)", "itemId").count == 20)
        }
        try anna.write([["create": "Project", "object": ["projectId": "p2", "name": "Hill"]]])
        let late = try harness.login("late")
        try late.call("subscribe", Self.query)
        let version = try #require(try late.call("info")["version"] as? Int64)
        #expect(late.notifications("initial").last?["version"] as? Int64 == version)
    }

    @Test func `parts past the bound are encoded anew, and the lists are right`() throws {
        let (harness, _) = try project(items: 3000) { $0.limits.sharedPartsBytes = 1 }
        let clients = try readers(5, harness)
        clients[4].isStalled = true
        try subscribe(clients, harness)
        #expect(harness.hub.figures.parts == 6)
        clients[4].isStalled = false
        harness.process([.drained(clients[4].id)])
        for client in clients { #expect(client.keys("all", "itemId") == (0..<3000).map { "i\($0)" }) }
        #expect(harness.hub.figures.parts > 6)
    }

    @Test func `a crowd that resumes from one version costs one difference`() throws {
        let (harness, anna) = try project(items: 30)
        let clients = try readers(20, harness)
        try subscribe(clients, harness)
        let info = try clients[0].call("info")
        harness.process(clients.map { .closed($0.id) })
        try anna.write([["update": "Item", "id": "i3", "set": ["body": "new"]], ["move": "Item", "id": "i9", "to": "start"]])
        let again = try clients.map { old in
            let client = harness.connect()
            try client.call("login", ["provider": "token", "token": old.token])
            client.adopt(list: "all", of: old)
            return client
        }
        var query = Self.query
        query["since"] = info["version"]
        query["epoch"] = info["epoch"]
        harness.process(try again.map { try $0.request("subscribe", query).input })
        #expect(harness.hub.figures.catchUps == 1)
        for client in again {
            #expect(client.keys("all", "itemId").first == "i9")
            #expect(client.notifications("initial").isEmpty)
            #expect(client.lists["all"]?[4]["body"] as? String == "new")
        }
    }

    @Test func `a part is encoded by another thread, and writes go on until it is`() throws {
        let (harness, anna) = try project(items: 1200)
        let client = try readers(1, harness)[0]
        harness.process([try client.request("subscribe", Self.query).input], runJobs: false)
        let job = try #require(harness.jobs.takeFirst())
        harness.process([.finished(job())], runJobs: false)
        #expect(client.notifications("initial").isEmpty)
        let write = try anna.request("write", ["changes": [["update": "Item", "id": "i1", "set": ["body": "meanwhile"]]]])
        harness.process([write.input], runJobs: false)
        #expect(try anna.result(of: write.id)["version"] != nil)
        #expect(client.messages.allSatisfy { $0["method"] == nil })
        harness.process([])
        #expect(client.complete == ["all"])
        #expect(client.lists["all"]?[1]["body"] as? String == "meanwhile")
        #expect(client.keys("all", "itemId") == (0..<1200).map { "i\($0)" })
    }

    @Test func `sessions that began at different versions share all parts but the last, which names the version`() throws {
        let (harness, anna) = try project(items: 1100)
        let clients = try readers(3, harness)
        for client in clients { client.isStalled = true }
        // Each begins at a version of its own, and no row of the list has changed in between.
        for (number, client) in clients.enumerated() {
            try client.call("subscribe", Self.query)
            try anna.write([["create": "Project", "object": ["projectId": "q\(number)", "name": "Hill"]]])
        }
        for client in clients { client.isStalled = false }
        harness.process(clients.map { .drained($0.id) })
        for client in clients { #expect(client.keys("all", "itemId") == (0..<1100).map { "i\($0)" }) }
        #expect(Set(clients.map { $0.notifications("initial").last?["version"] as? Int }).count == 3)
        // The first part twice: it is not kept for a client that is alone. The second once, and the last one for each version.
        #expect(harness.hub.figures.parts == 6)
    }

    @Test func `what is asked for anew while a part is being encoded begins at the beginning`() throws {
        let (harness, _) = try project(items: 1200)
        let clients = try readers(2, harness)
        for client in clients {
            try client.call("subscribe", ["name": "keeps", "class": "Item", "filter": "projectId == 'p1'"])
            harness.process([try client.request("subscribe", Self.query).input], runJobs: false)
            let read = try #require(harness.jobs.takeFirst())
            harness.process([.finished(read())], runJobs: false)
        }
        // The first one leaves while its part is under way, the other one asks for other rows under the same name.
        harness.process([.closed(clients[0].id)], runJobs: false)
        var other = Self.query
        other["filter"] = "projectId == 'p1' AND body CONTAINS '7'"
        other["update"] = true
        try clients[1].call("subscribe", other)
        let expected = (0..<1200).map { "i\($0)" }.filter { $0.contains("7") }
        #expect(clients[1].keys("all", "itemId") == expected)
    }
}
