import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// Several transactions that become durable together are told as one change of what differs in the end.
struct MergingTests {
    /// Writers of a project with one item, all subscribed to its items.
    private func writers(_ count: Int) throws -> (HubHarness, [HubClient]) {
        let harness = try HubHarness(access: .everyoneWrite)
        let clients = try (0..<count).map { try harness.login("writer\($0)") }
        try clients[0].write([
            ["create": "Project", "object": ["projectId": "p1", "name": "Lake"]],
            ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b", "priority": 1]],
        ])
        for client in clients {
            try client.call("subscribe", ["name": "all", "class": "Item", "filter": "projectId == 'p1'"])
            client.forgetMessages()
        }
        return (harness, clients)
    }

    private func write(_ writes: [(HubClient, [String: Any])], _ harness: HubHarness) throws {
        harness.process(try writes.map { try $0.0.request("write", ["changes": [$0.1]]).input })
    }

    private func update(_ client: HubClient) throws -> [String: Any] {
        #expect(client.notifications("change").count == 1)
        let change = try #require(client.notifications("change").first)
        return try #require((change["updates"] as? [[String: Any]])?.first)
    }

    @Test func `a change names only the fields that differ in the end`() throws {
        let (harness, clients) = try writers(3)
        try write(
            [
                (clients[0], ["update": "Item", "id": "i1", "set": ["body": "x", "priority": 2]]),
                (clients[1], ["update": "Item", "id": "i1", "set": ["body": "y", "notes": "n"]]),
                (clients[2], ["update": "Item", "id": "i1", "set": ["priority": 1]]),
            ], harness)
        for client in clients {
            let modifications = try #require(try update(client)["modifications"] as? [[String: Any]])
            #expect(NSArray(array: modifications) == NSArray(array: [["index": 0, "set": ["body": "y", "notes": "n"]]]))
            #expect(client.notifications("change")[0]["version"] as? Int64 == harness.store.version)
        }
    }

    @Test func `what was created and deleted in between is not mentioned`() throws {
        let (harness, clients) = try writers(2)
        try write(
            [
                (clients[0], ["create": "Item", "object": ["projectId": "p1", "itemId": "i0", "body": "short"]]),
                (clients[1], ["create": "Item", "object": ["projectId": "p1", "itemId": "i2", "body": "stays"]]),
                (clients[0], ["delete": "Item", "id": "i0"]),
            ], harness)
        let told = try update(clients[1])
        #expect((told["insertions"] as? [[String: Any]])?.compactMap { ($0["object"] as? [String: Any])?["itemId"] as? String } == ["i2"])
        #expect(told["deletions"] == nil && told["modifications"] == nil)
    }

    @Test func `commits that undo each other tell nothing`() throws {
        let (harness, clients) = try writers(2)
        try write(
            [
                (clients[0], ["update": "Item", "id": "i1", "set": ["body": "x"]]),
                (clients[1], ["update": "Item", "id": "i1", "set": ["body": "b"]]),
            ], harness)
        for client in clients { #expect(client.notifications("change").isEmpty) }
    }

    @Test func `at most ten of the writers are named, in the order in which they wrote`() throws {
        let (harness, clients) = try writers(12)
        try write(
            (clients + clients).enumerated().map { number, client in
                (client, ["update": "Item", "id": "i1", "set": ["body": "body \(number)"]])
            }, harness)
        let change = try #require(clients[11].notifications("change").first)
        #expect(change["by"] as? [String] == clients.prefix(10).map(\.userId))
    }
}
