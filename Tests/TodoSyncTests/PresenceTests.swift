import Foundation
import Testing
import Todo
import TodoSync

/// Presences: through the same lists and transactions as everything else, but never stored, and gone with what they belong to.
struct PresenceTests {
    private struct World {
        let harness: HubHarness
        let anna: HubClient
        let ben: HubClient

        /// Anna's project, on which Ben may look, and a live list of its presences with each.
        init(role: String = "viewer", change: (inout SyncSettings) -> Void = { _ in }) throws {
            harness = try HubHarness(change: change)
            anna = try harness.login("Anna")
            ben = try harness.login("Ben")
            try anna.write([
                ["create": "Project", "object": ["projectId": "p1", "name": "Lake"]],
                ["create": "Permission", "object": ["projectId": "p1", "userId": ben.userId, "role": role]],
            ])
            for client in [anna, ben] { try watch(client) }
        }

        func watch(_ client: HubClient) throws {
            try client.call("subscribe", ["name": "here", "class": "Presence", "filter": "projectId == 'p1'"])
            try client.call("subscribe", ["name": "all", "class": "Presence"])
            client.forgetMessages()
        }
    }

    private func present(_ key: String, _ state: Any, project: String = "p1") -> [String: Any] {
        ["upsert": "Presence", "object": ["presenceId": key, "projectId": project, "state": state]]
    }

    private func refusal(_ client: HubClient, _ changes: [[String: Any]]) throws -> HubClient.Refused {
        try client.refused("write", ["changes": changes])
    }

    @Test func `a viewer's presence is told to everybody who sees the project, at the present version`() throws {
        let world = try World()
        let version = try world.anna.call("info")["version"] as? Int
        let result = try world.ben.write([present("b", ["item": "i1"])])
        #expect(result["version"] as? Int == version)
        #expect(result["ids"] as? [String] == ["b"])
        for client in [world.anna, world.ben] {
            for list in ["here", "all"] {
                let row = try #require(client.lists[list]?.first)
                #expect(row["userId"] as? String == world.ben.userId)
                #expect((row["state"] as? [String: String]) == ["item": "i1"])
                #expect(Set(row.keys) == ["presenceId", "projectId", "userId", "state"])
            }
            #expect(client.notifications("change").count == 1)
            #expect(client.notifications("change").first?["by"] as? [String] == [world.ben.userId])
            #expect(client.notifications("change").first?["version"] as? Int == version)
        }
        try world.ben.write([["update": "Presence", "id": "b", "set": ["state": NSNull()]]])
        #expect(world.anna.lists["here"]?.first?["state"] is NSNull)
        #expect(try world.anna.call("info")["version"] as? Int == version)
    }

    @Test func `it is changed by its own session only, sight before right`() throws {
        let world = try World()
        try world.ben.write([present("b", 1)])
        let cleo = try world.harness.login("Cleo")
        for change in [["update": "Presence", "id": "b", "set": ["state": 2]], ["delete": "Presence", "id": "b"], present("b", 2)]
            as [[String: Any]]
        {
            #expect(try refusal(world.anna, [change]).code == -32002)
        }
        #expect(try refusal(cleo, [["delete": "Presence", "id": "b"]]).code == -32003)
        #expect(try refusal(cleo, [["delete": "Presence", "id": "none"]]).code == -32003)
        #expect(try refusal(cleo, [present("c", 1)]).code == -32003)
        let second = try world.harness.login("Ben")
        #expect(try refusal(second, [["delete": "Presence", "id": "b"]]).code == -32002)
        try world.anna.write([["delete": "Presence", "filter": "TRUEPREDICATE"]])
        #expect(world.anna.keys("here", "presenceId") == ["b"])
    }

    @Test func `the key of a presence that one does not see is a conflict`() throws {
        let world = try World()
        try world.ben.write([present("b", 1)])
        let cleo = try world.harness.login("Cleo")
        try cleo.write([["create": "Project", "object": ["projectId": "p2", "name": "Sea"]]])
        #expect(try refusal(cleo, [present("b", 1, project: "p2")]).code == -32004)
    }

    @Test func `it is written in a transaction of its own`() throws {
        let world = try World(role: "editor")
        let item: [String: Any] = ["create": "Item", "object": ["projectId": "p1", "body": "b"]]
        for changes in [[present("b", 1), item], [item, present("b", 1)]] {
            let refused = try refusal(world.ben, changes)
            #expect(refused.code == -32602)
            #expect(refused.path == "changes[1]")
        }
        #expect(world.ben.lists["here"]?.isEmpty == true)
    }

    @Test(arguments: ["close", "logout", "revocation", "deletion", "closing"])
    func `it goes with the session, the log-out, the sight and the project`(_ end: String) throws {
        let world = try World()
        try world.anna.write([["update": "Project", "id": "p1", "set": ["access": "everyone-read"]]])
        let cleo = try world.harness.login("Cleo")
        try cleo.write([present("c", 1)])
        try world.ben.write([present("b", 1)])
        try world.anna.write([present("a", 1)])
        #expect(world.anna.keys("all", "presenceId") == ["a", "b", "c"])
        world.anna.forgetMessages()
        switch end {
        case "close": world.ben.leave()
        case "logout": try world.ben.call("logout")
        case "revocation":
            try world.anna.write([
                ["update": "Project", "id": "p1", "set": ["access": "private"]],
                ["delete": "Permission", "id": "p1:\(world.ben.userId)"],
            ])
        case "deletion": try world.anna.write([["delete": "Project", "id": "p1"]])
        default: try world.anna.write([["update": "Project", "id": "p1", "set": ["access": "private"]]])
        }
        let left: [String: [String]] = [
            "close": ["a", "c"], "logout": ["a", "c"], "revocation": ["a"], "deletion": [], "closing": ["a", "b"],
        ]
        #expect(world.anna.keys("all", "presenceId") == left[end])
        #expect(world.anna.keys("here", "presenceId") == left[end])
        #expect(world.anna.notifications("change").count == 1)
        let expected = try world.anna.call("query", ["class": "Presence"])["objects"] as? [[String: Any]]
        #expect(expected?.count == left[end]?.count)
    }

    @Test func `what a transaction that fails set is not there`() throws {
        let world = try World()
        #expect(try refusal(world.ben, [present("b", 1), present("c", 1, project: "p9")]).code == -32003)
        #expect(try (world.ben.call("query", ["class": "Presence"])["objects"] as? [Any])?.isEmpty == true)
        #expect(world.anna.notifications("change").isEmpty)
    }

    @Test func `a session has so many presences at the most`() throws {
        let world = try World { $0.limits.presences = 3 }
        for number in 0..<3 { try world.ben.write([present("b\(number)", number)]) }
        try world.ben.write([present("b1", "again")])
        #expect(try refusal(world.ben, [present("b3", 1)]).code == -32005)
        try world.ben.write([["delete": "Presence", "id": "b0"], present("b3", 1)])
    }

    @Test(arguments: [
        ("\"\(String(repeating: "x", count: 1022))\"", 0), ("\"\(String(repeating: "x", count: 1023))\"", -32602), ("[1,{\"a\":null}]", 0),
        ("{\"a\":\"\\u0000\"}", -32602), ("false", 0),
    ])
    func `its state is any JSON of at most a kibibyte`(state: String, code: Int) throws {
        let world = try World()
        let change = #"{"create":"Presence","object":{"presenceId":"b","projectId":"p1","state":\#(state)}}"#
        world.harness.process([world.ben.input(#"{"jsonrpc":"2.0","id":99,"method":"write","params":{"changes":[\#(change)]}}"#)])
        if code == 0 {
            _ = try world.ben.result(of: 99)
            #expect(world.anna.texts.last?.contains("\"state\":\(state)") == true)
        } else {
            let refused = #expect(throws: HubClient.Refused.self) { try world.ben.result(of: 99) }
            #expect(refused?.code == code)
            #expect(refused?.path == "changes[0].object.state")
        }
    }

    @Test func `a filter asks of the state only whether there is one`() throws {
        let world = try World()
        try world.ben.write([present("b", 1), present("c", NSNull())])
        let found = try world.anna.call("query", ["class": "Presence", "filter": "state != NULL AND projectId == 'p1'"])
        #expect((found["objects"] as? [[String: Any]])?.map { $0["presenceId"] as? String } == ["b"])
        for filter in ["state == 1", "state CONTAINS 'x'", "state IN {1}", "state < NULL"] {
            #expect(try world.anna.refused("query", ["class": "Presence", "filter": filter]).code == -32602)
        }
        #expect(try world.anna.refused("query", ["class": "Presence", "sort": ["state"]]).path == "sort[0]")
    }

    @Test func `a list of presences is not resumed but sent whole`() throws {
        let world = try World()
        try world.ben.write([present("b", 1)])
        let info = try world.anna.call("info")
        let again = try world.harness.login("Anna")
        let result = try again.call(
            "subscribe",
            ["name": "here", "class": "Presence", "since": info["version"] ?? 0, "epoch": info["epoch"] ?? ""])
        #expect(result["resumed"] as? Bool == false)
        #expect(again.keys("here", "presenceId") == ["b"])
    }

    @Test func `a slow session gets what is there when it reads again`() throws {
        let world = try World()
        world.harness.process([.fellBehind(world.anna.id)])
        for number in 0..<20 { try world.ben.write([present("b", number)]) }
        #expect(world.anna.messages.isEmpty)
        world.harness.process([.caughtUp(world.anna.id)])
        #expect(world.anna.lists["here"]?.first?["state"] as? Int == 19)
        // Each of the two lists begins anew and is sent, however many changes there were.
        #expect(world.anna.messages.count == 4)
    }

    @Test func `a presence in a project of the same batch, and one behind a revocation of the same group`() throws {
        let world = try World()
        let (made, create) = try world.ben.request(
            "write", ["changes": [["create": "Project", "object": ["projectId": "p2", "name": "Sea"]]]])
        let (set, presence) = try world.ben.request("write", ["changes": [present("b", 1, project: "p2")]])
        world.harness.process([create, presence])
        _ = try world.ben.result(of: made)
        _ = try world.ben.result(of: set)
        #expect(world.ben.keys("all", "presenceId") == ["b"])
        let (_, revocation) = try world.anna.request(
            "write", ["changes": [["delete": "Permission", "id": "p1:\(world.ben.userId)"]]])
        let (late, write) = try world.ben.request("write", ["changes": [present("late", 1)]])
        world.harness.process([revocation, write])
        let refused = #expect(throws: HubClient.Refused.self) { try world.ben.result(of: late) }
        #expect(refused?.code == -32003)
        let (_, early) = try world.ben.request("write", ["changes": [present("b2", 1, project: "p2")]])
        let (_, deletion) = try world.ben.request("write", ["changes": [["delete": "Project", "id": "p2"]]])
        world.harness.process([early, deletion])
        #expect(world.ben.keys("all", "presenceId").isEmpty)
    }
}
