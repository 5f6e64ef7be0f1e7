import Foundation
import Testing
import Todo
import TodoSync

/// Resuming with `since` and `epoch`: right in the end, whether resumed or sent whole.
struct ResumeTests {
    private static var query: [String: Any] {
        ["class": "Item", "filter": "isDone == false", "sort": ["-priority", "position"], "limit": 5]
    }

    private func subscribe(_ client: HubClient, since: Any? = nil, epoch: Any? = nil) throws -> [String: Any] {
        var params = Self.query
        params["name"] = "open"
        params["since"] = since
        params["epoch"] = epoch
        return try client.call("subscribe", params)
    }

    /// A client whose copy is some versions old: its list is put into a new connection, as a client that lost its connection has it.
    private func resumed(_ change: (HubClient, HubHarness) throws -> Void) throws -> (
        result: [String: Any], client: HubClient, expected: [[String: Any]]
    ) {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        for number in 0..<8 {
            try anna.write([
                ["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "\(number)", "priority": number % 4]]
            ])
        }
        _ = try subscribe(ben)
        let info = try ben.call("info")
        harness.process([.closed(ben.id)])
        try change(anna, harness)
        let again = harness.connect()
        try again.call("login", ["provider": "token", "token": ben.token])
        again.adopt(list: "open", of: ben)
        let result = try subscribe(again, since: info["version"], epoch: info["epoch"])
        let expected = try #require(try again.call("query", Self.query)["objects"] as? [[String: Any]])
        return (result, again, expected)
    }

    @Test func `what happened meanwhile comes as one change`() throws {
        let (result, client, expected) = try resumed { anna, _ in
            try anna.write([["update": "Item", "id": "i3", "set": ["isDone": true]]])
            try anna.write([
                ["create": "Item", "object": ["projectId": "p1", "body": "new", "priority": 3]], ["delete": "Item", "id": "i1"],
            ])
            try anna.write([["move": "Item", "id": "i7", "to": "start"]])
        }
        #expect(result["resumed"] as? Bool == true)
        #expect(client.notifications("initial").isEmpty)
        #expect(client.notifications("change").count == 1)
        #expect(NSArray(array: client.lists["open"] ?? []) == NSArray(array: expected))
    }

    @Test func `nothing having happened is told too`() throws {
        let (result, client, expected) = try resumed { _, _ in }
        #expect(result["resumed"] as? Bool == true)
        #expect((client.notifications("change").first?["updates"] as? [[String: Any]])?.first?["state"] as? String == "complete")
        #expect(NSArray(array: client.lists["open"] ?? []) == NSArray(array: expected))
    }

    @Test func `rights that changed meanwhile end right`() throws {
        let (result, client, expected) = try resumed { anna, _ in
            try anna.write([["update": "Project", "id": "p1", "set": ["access": "private"]]])
        }
        #expect(result["resumed"] as? Bool == true)
        #expect(client.notifications("initial").isEmpty)
        #expect(expected.isEmpty)
        #expect(client.lists["open"]?.isEmpty == true)
    }

    @Test func `rows of a project that came into sight meanwhile enter the window, and push others out`() throws {
        let (result, client, expected) = try resumed { anna, harness in
            let carl = try harness.login("Carl")
            try carl.write([["create": "Project", "object": ["projectId": "p2", "name": "Hill", "access": "private"]]])
            for number in 0..<3 {
                try carl.write([
                    ["create": "Item", "object": ["projectId": "p2", "itemId": "h\(number)", "body": "h", "priority": 2]]
                ])
            }
            try carl.write([["update": "Project", "id": "p2", "set": ["access": "everyone-read"]]])
        }
        #expect(result["resumed"] as? Bool == true)
        #expect(client.notifications("initial").isEmpty)
        #expect(NSArray(array: client.lists["open"] ?? []) == NSArray(array: expected))
        #expect(client.keys("open", "itemId").contains("h0"))
    }

    @Test func `a distance that is dearer than the list gives the list`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try anna.write((0..<900).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "b"]] })
        let query: [String: Any] = ["name": "all", "class": "Item", "filter": "projectId == 'p1'"]
        let ben = try harness.login("Ben")
        try ben.call("subscribe", query)
        let info = try ben.call("info")
        try anna.write([["delete": "Item", "filter": "itemId != 'i7'"]])
        for isFar in [true, false] {
            let again = try harness.login("Ben")
            again.adopt(list: "all", of: ben)
            var params = query
            params["since"] = isFar ? info["version"] : try anna.call("info")["version"]
            params["epoch"] = info["epoch"]
            #expect(try again.call("subscribe", params)["resumed"] as? Bool == !isFar)
            #expect(again.notifications("initial").isEmpty == !isFar)
            #expect(again.keys("all", "itemId") == ["i7"])
        }
    }

    @Test func `a list of one project is told as one change by whoever came to see it or lost it, with the related rows`() throws {
        let harness = try HubHarness(access: .private)
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try anna.write((0..<3).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "b"]] })
        let query: [String: Any] = ["name": "all", "class": "Item", "filter": "projectId == 'p1' AND project.name == 'Lake'"]
        var ben = try harness.login("Ben")
        try ben.call("subscribe", query)
        let steps: [(change: [String: Any], count: Int)] = [
            (["upsert": "Permission", "object": ["projectId": "p1", "userId": ben.userId, "role": "viewer"]], 3),
            (["update": "Project", "id": "p1", "set": ["name": "Sea"]], 0),
            (["update": "Project", "id": "p1", "set": ["name": "Lake"]], 3),
            (["delete": "Permission", "id": "p1:\(ben.userId)"], 0),
        ]
        for (change, count) in steps {
            let info = try ben.call("info")
            harness.process([.closed(ben.id)])
            try anna.write([change, ["update": "Item", "id": "i0", "set": ["body": "b\(count)"]]])
            let again = harness.connect()
            try again.call("login", ["provider": "token", "token": ben.token])
            (again.userId, again.token) = (ben.userId, ben.token)
            again.adopt(list: "all", of: ben)
            var params = query
            (params["since"], params["epoch"]) = (info["version"], info["epoch"])
            #expect(try again.call("subscribe", params)["resumed"] as? Bool == true)
            #expect(again.notifications("initial").isEmpty)
            let expected = try #require(try again.call("query", query.filter { $0.key != "name" })["objects"] as? [[String: Any]])
            #expect(NSArray(array: again.lists["all"] ?? []) == NSArray(array: expected))
            #expect(expected.count == count)
            ben = again
        }
    }

    @Test func `past what is read of the log in a second lists are sent whole, and are right`() throws {
        let harness = try HubHarness(access: .everyoneWrite) { $0.limits.catchUpRowsPerSecond = 3 }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let query: [String: Any] = ["name": "all", "class": "Item", "filter": "projectId == 'p1'"]
        let ben = try harness.login("Ben")
        try ben.call("subscribe", query)
        var copies: [(version: Any?, rows: [[String: Any]])] = []
        for number in 0..<4 {
            copies.append((try ben.call("info")["version"], ben.lists["all"] ?? []))
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "b"]]])
        }
        let epoch = try ben.call("info")["epoch"]
        func resume(from copy: Int) throws -> Bool? {
            let again = try harness.login("Ben")
            var params = query
            (params["since"], params["epoch"]) = (copies[copy].version, epoch)
            again.adopt(list: "all", rows: copies[copy].rows)
            let resumed = try again.call("subscribe", params)["resumed"] as? Bool
            #expect(again.keys("all", "itemId") == ["i0", "i1", "i2", "i3"])
            return resumed
        }
        #expect(try resume(from: 3) == true)
        #expect(try resume(from: 0) == true)
        #expect(try resume(from: 1) == false)
        #expect(try resume(from: 0) == true)
        harness.tick()
        #expect(try resume(from: 1) == true)
    }

    @Test func `a crowd that comes back, each from a version of its own, is told over several turns, and writes go on between them`() throws
    {
        let harness = try HubHarness(access: .everyoneWrite) { $0.limits.catchUpRowsPerTurn = 1 }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let query: [String: Any] = ["name": "all", "class": "Item", "filter": "projectId == 'p1'"]
        let ben = try harness.login("Ben")
        try ben.call("subscribe", query)
        let epoch = try ben.call("info")["epoch"]
        var inputs: [Input] = []
        var crowd: [HubClient] = []
        for number in 0..<8 {
            let client = try harness.login("Ben")
            client.adopt(list: "all", rows: ben.lists["all"] ?? [])
            var params = query
            (params["since"], params["epoch"]) = (try ben.call("info")["version"], epoch)
            inputs.append(try client.request("subscribe", params).input)
            crowd.append(client)
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "b"]]])
        }
        harness.hub.process(inputs, at: harness.moment)
        #expect(harness.hub.hasWork)
        let turns = harness.hub.figures.catchUps
        #expect(turns < 3)
        // It is taken in the same turn in which somebody of the crowd gets its own.
        let write = try anna.request("write", ["changes": [["update": "Item", "id": "i0", "set": ["body": "new"]]]])
        harness.hub.process([write.input], at: harness.moment)
        #expect(harness.hub.hasWork)
        harness.process([])
        #expect(try anna.result(of: write.id)["version"] != nil)
        for client in crowd {
            #expect(client.keys("all", "itemId") == (0..<8).map { "i\($0)" })
            #expect(client.lists["all"]?[0]["body"] as? String == "new")
            #expect(client.notifications("initial").isEmpty)
        }
    }

    @Test func `a project that was deleted meanwhile takes its rows away`() throws {
        let (_, client, expected) = try resumed { anna, _ in try anna.write([["delete": "Project", "id": "p1"]]) }
        #expect(expected.isEmpty)
        #expect(client.lists["open"]?.isEmpty == true)
    }

    @Test(arguments: zip([Int64(9999), 1, -1, Int64.max, Int64.min], [true, false, true, true, true]))
    func `a version or an epoch that is not known gives the whole list and no error`(since: Int64, isOwnEpoch: Bool) throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let epoch = isOwnEpoch ? try anna.call("info")["epoch"] : "other"
        let result = try subscribe(anna, since: since, epoch: epoch)
        #expect(result["resumed"] as? Bool == false)
        #expect(anna.complete == ["open"])
    }

    @Test func `a list that is resumed while its reader is slow is told once, when the reader has caught up`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        func add(_ number: Int) throws {
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "\(number)"]]])
        }
        try add(0)
        _ = try subscribe(ben)
        let info = try ben.call("info")
        harness.process([.closed(ben.id)])
        try add(1)
        let again = harness.connect()
        try again.call("login", ["provider": "token", "token": ben.token])
        again.adopt(list: "open", of: ben)
        let params = Self.query.merging(["name": "open", "since": info["version"] ?? 0, "epoch": info["epoch"] ?? ""]) { $1 }
        harness.process([try again.request("subscribe", params).input], runJobs: false)
        harness.process([.fellBehind(again.id)], runJobs: false)
        // The list is read while these are committed.
        try add(2)
        try add(3)
        #expect(again.notifications("change").isEmpty)
        harness.process([.caughtUp(again.id)])
        try add(4)
        #expect(again.keys("open", "itemId") == ["i0", "i1", "i2", "i3", "i4"])
    }
}
