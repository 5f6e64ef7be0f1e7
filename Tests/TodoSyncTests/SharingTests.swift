import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// Sharing by name, looking users up, revocations under load, and who is told whose name.
struct SharingTests {
    private let harness: HubHarness
    private let anna: HubClient
    private let ben: HubClient
    private let cleo: HubClient

    init() throws {
        harness = try HubHarness()
        anna = try harness.login("Anna")
        ben = try harness.login("Ben Müller")
        cleo = try harness.login("Cleo")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
    }

    private func grant(_ user: HubClient, _ role: String = "editor", project: String = "p1") -> [String: Any] {
        ["upsert": "Permission", "object": ["projectId": project, "userId": user.userId, "role": role]]
    }

    private func named(_ name: String, _ role: String, verb: String = "upsert", project: String = "p1") -> [String: Any] {
        [verb: "Permission", "object": ["projectId": project, "userName": name, "role": role]]
    }

    @Test func `a permission is given by the user's name as it is written at the log-in`() throws {
        let result = try anna.write([named("  BEN MÜLLER ", "viewer", verb: "create")])
        #expect(result["ids"] as? [String] == ["p1:\(ben.userId)"])
        try anna.write([named("ben müller", "editor")])
        try ben.write([["create": "Item", "object": ["projectId": "p1", "body": "b"]]])
        #expect(try anna.refused("write", ["changes": [named("Ben Müller", "viewer", verb: "create")]]).code == -32004)
    }

    @Test func `an unknown name is told to owners only, as findUser tells it to everybody`() throws {
        let unknown = try anna.refused("write", ["changes": [named("Nobody", "viewer")]])
        #expect(unknown.code == -32003)
        #expect(unknown.path == "changes[0].object.userName")
        #expect(try ben.refused("write", ["changes": [named("Cleo", "viewer")]]).path == "changes[0].object.projectId")
        try anna.write([grant(ben)])
        for name in ["Nobody", "Cleo"] { #expect(try ben.refused("write", ["changes": [named(name, "viewer")]]).code == -32002) }
        let both: [String: Any] = ["projectId": "p1", "userName": "Cleo", "userId": cleo.userId, "role": "viewer"]
        #expect(try anna.refused("write", ["changes": [["create": "Permission", "object": both]]]).reason == "oneOf")
        #expect(try anna.refused("write", ["changes": [named("\u{0}", "viewer")]]).code == -32602)
        #expect(try anna.refused("write", ["changes": [named("   ", "viewer")]]).path == "changes[0].object.userName")
    }

    @Test func `no name at all is refused at its own place`() throws {
        for other in [[:], ["userId": ben.userId]] as [[String: Any]] {
            let object = ["projectId": "p1", "userName": NSNull(), "role": "viewer"].merging(other) { $1 }
            for verb in ["create", "upsert"] {
                let refused = try anna.refused("write", ["changes": [[verb: "Permission", "object": object]]])
                #expect(refused.reason == "wrongType" && refused.path == "changes[0].object.userName")
            }
        }
    }

    @Test func `a project is handed over, its last owner stays, and nobody grants what they don't hold`() throws {
        let demotion: [String: Any] = ["update": "Permission", "id": "p1:\(anna.userId)", "set": ["role": "viewer"]]
        #expect(try anna.refused("write", ["changes": [demotion]]).code == -32004)
        #expect(try anna.refused("write", ["changes": [["delete": "Permission", "id": "p1:\(anna.userId)"]]]).code == -32004)
        #expect(try anna.refused("write", ["changes": [named("anna", "editor")]]).code == -32004)
        try anna.write([grant(ben, "owner"), demotion])
        #expect(try harness.store.object(.project, "p1")?[1] == .string(ben.userId))
        #expect(try anna.refused("write", ["changes": [grant(cleo, "viewer")]]).code == -32002)
        try anna.write([["delete": "Permission", "id": "p1:\(anna.userId)"]])
        #expect(try (anna.call("query", ["class": "Project"])["objects"] as? [Any])?.isEmpty == true)
    }

    // MARK: findUser

    private func found(_ client: HubClient, _ params: [String: Any]) throws -> String? {
        (try client.call("findUser", params)["user"] as? [String: Any])?["userId"] as? String
    }

    @Test func `everybody finds a user by the exact name`() throws {
        #expect(try found(cleo, ["name": " ben müller"]) == ben.userId)
        for name in ["Ben", "Ben Müller Jr", "%"] { #expect(try cleo.refused("findUser", ["name": name]).code == -32003) }
        #expect(try cleo.refused("findUser", [:]).code == -32602)
        #expect(try cleo.refused("findUser", ["name": "Ben", "userId": ben.userId]).code == -32602)
    }

    @Test func `an id that one has not met is answered like one that does not exist`() throws {
        cleo.forgetMessages()
        var texts: Set<String> = []
        for userId in [ben.userId, "never-made"] {
            #expect(try cleo.refused("findUser", ["userId": userId]).code == -32003)
            let text = try #require(cleo.texts.last)
            texts.insert(String(text[(text.range(of: "error")?.lowerBound ?? text.startIndex)...]))
        }
        #expect(texts.count == 1)
    }

    @Test func `an id is met through a permission, an item, a write and a presence, as long as the project is seen`() throws {
        try anna.write([grant(ben), grant(cleo, "viewer")])
        #expect(try found(cleo, ["userId": ben.userId]) == ben.userId)
        try ben.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b"]]])
        try anna.write([["delete": "Permission", "id": "p1:\(ben.userId)"]])
        #expect(try found(cleo, ["userId": ben.userId]) == ben.userId)
        try anna.write([["delete": "Permission", "id": "p1:\(cleo.userId)"]])
        #expect(try cleo.refused("findUser", ["userId": ben.userId]).code == -32003)
        try anna.write([["update": "Project", "id": "p1", "set": ["access": "everyone-read"]]])
        let dora = try harness.login("Dora")
        #expect(try cleo.refused("findUser", ["userId": dora.userId]).code == -32003)
        try dora.write([["create": "Presence", "object": ["projectId": "p1", "state": 1]]])
        #expect(try found(cleo, ["userId": dora.userId]) == dora.userId)
    }

    @Test func `nobody but an admin learns who is an admin`() throws {
        let admin = try harness.loginAsAdmin("Root")
        #expect((try cleo.call("findUser", ["name": "root"])["user"] as? [String: Any])?["isAdmin"] as? Bool == false)
        #expect((try admin.call("findUser", ["name": "root"])["user"] as? [String: Any])?["isAdmin"] as? Bool == true)
    }

    // MARK: Revocations

    private func subscribe(_ client: HubClient) throws {
        for (name, params) in [
            ("all", ["class": "Item"]), ("one", ["class": "Item", "filter": "projectId == 'p1'"]), ("projects", ["class": "Project"]),
            ("people", ["class": "Permission"]), ("users", ["class": "User"]),
        ] as [(String, [String: Any])] {
            try client.call("subscribe", params.merging(["name": name]) { $1 })
        }
        client.forgetMessages()
    }

    @Test func `a write that waits behind the revocation is refused, in the same commit too`() throws {
        try anna.write([grant(ben), ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b"]]])
        try subscribe(ben)
        let (_, revocation) = try anna.request("write", ["changes": [["delete": "Permission", "id": "p1:\(ben.userId)"]]])
        let (first, write) = try ben.request("write", ["changes": [["update": "Item", "id": "i1", "set": ["body": "late"]]]])
        let (second, create) = try ben.request("write", ["changes": [["create": "Item", "object": ["projectId": "p1", "body": "late"]]]])
        harness.process([revocation, write, create])
        for id in [first, second] {
            let refused = #expect(throws: HubClient.Refused.self) { try ben.result(of: id) }
            #expect(refused?.code == -32003)
        }
        #expect(ben.notifications("change").count == 1)
        for list in ["all", "one", "projects", "people"] { #expect(ben.lists[list]?.isEmpty == true, "\(list)") }
        #expect(ben.keys("users", "userId") == [ben.userId])
        #expect(try harness.store.object(.item, "i1")?[2] == .string("b"))
    }

    @Test func `a write before the revocation in the same commit counts, and its writer does not see the list any more`() throws {
        try anna.write([grant(ben), ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b"]]])
        try subscribe(ben)
        let (id, write) = try ben.request("write", ["changes": [["update": "Item", "id": "i1", "set": ["body": "early"]]]])
        let (_, revocation) = try anna.request("write", ["changes": [["delete": "Permission", "id": "p1:\(ben.userId)"]]])
        harness.process([write, revocation])
        _ = try ben.result(of: id)
        #expect(ben.lists["all"]?.isEmpty == true)
        #expect(try harness.store.object(.item, "i1")?[2] == .string("early"))
    }

    @Test(arguments: [false, true])
    func `a session that was behind a revocation, and what happened after it, ends without the rows`(givesBack: Bool) throws {
        try anna.write([grant(ben), ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b"]]])
        try subscribe(ben)
        harness.process([.fellBehind(ben.id)])
        try anna.write([["delete": "Permission", "id": "p1:\(ben.userId)"]])
        try anna.write([["update": "Item", "id": "i1", "set": ["body": "hidden"]]])
        if givesBack { try anna.write([["update": "Item", "id": "i1", "set": ["body": "shown"]], grant(ben, "viewer")]) }
        harness.process([.caughtUp(ben.id)])
        #expect(!ben.texts.contains { $0.contains("hidden") })
        for list in ["all", "one"] { #expect(ben.keys(list, "body") == (givesBack ? ["shown"] : [])) }
    }

    // MARK: Who is told whose name

    @Test func `a grant in a project that one does not see names nobody, though the same users come into sight`() throws {
        let (dora, eve) = (try harness.login("Dora"), try harness.login("Eve"))
        try anna.write([grant(ben, "viewer"), grant(cleo, "viewer")])
        try dora.write([["create": "Project", "object": ["projectId": "p2", "name": "Sea"]]])
        try ben.call("subscribe", ["name": "users", "class": "User"])
        ben.forgetMessages()
        let (_, hidden) = try dora.request(
            "write", ["changes": [grant(cleo, project: "p2"), grant(eve, project: "p2")]])
        let (_, shown) = try anna.request("write", ["changes": [grant(eve, "viewer")]])
        harness.process([hidden, shown])
        #expect(ben.keys("users", "userId").contains(eve.userId))
        #expect(ben.notifications("change").map { $0["by"] as? [String] } == [[anna.userId]])
    }

    @Test func `of the writers of one commit a session is told those of its own rows`() throws {
        try anna.write([grant(ben, "viewer")])
        try cleo.write([["create": "Project", "object": ["projectId": "p2", "name": "Sea"]]])
        try subscribe(ben)
        let (_, one) = try anna.request("write", ["changes": [["create": "Item", "object": ["projectId": "p1", "body": "b"]]]])
        let (_, two) = try cleo.request("write", ["changes": [["create": "Item", "object": ["projectId": "p2", "body": "s"]]]])
        harness.process([two, one])
        #expect(ben.notifications("change").map { $0["by"] as? [String] } == [[anna.userId]])
        ben.forgetMessages()
        harness.process([.fellBehind(ben.id)])
        try cleo.write([["create": "Item", "object": ["projectId": "p2", "body": "s"]]])
        try anna.write([["create": "Item", "object": ["projectId": "p1", "body": "b"]]])
        harness.process([.caughtUp(ben.id)])
        #expect(ben.notifications("change").map { $0["by"] as? [String] } == [[anna.userId]])
    }
}
