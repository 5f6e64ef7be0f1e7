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
        let (_, client, expected) = try resumed { anna, _ in
            try anna.write([["update": "Project", "id": "p1", "set": ["access": "private"]]])
        }
        #expect(expected.isEmpty)
        #expect(client.lists["open"]?.isEmpty == true)
    }

    @Test func `a project that was deleted meanwhile takes its rows away`() throws {
        let (_, client, expected) = try resumed { anna, _ in try anna.write([["delete": "Project", "id": "p1"]]) }
        #expect(expected.isEmpty)
        #expect(client.lists["open"]?.isEmpty == true)
    }

    @Test(arguments: zip([Int64(9999), 1], [true, false]))
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
