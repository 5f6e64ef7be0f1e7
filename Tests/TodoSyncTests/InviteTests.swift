import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// Invitations: who may make them, who may take them, and that a code which does not hold tells nothing.
struct InviteTests {
    private struct World {
        let harness: HubHarness
        let anna: HubClient
        let ben: HubClient

        init(change: (inout SyncSettings) -> Void = { _ in }) throws {
            harness = try HubHarness(change: change)
            anna = try harness.login("Anna")
            ben = try harness.login("Ben")
            try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "Boat"]]])
        }

        func invite(_ role: String = "editor", _ more: [String: Any] = [:]) throws -> (code: String, inviteId: String) {
            let result = try anna.call("invite.create", ["projectId": "p1", "role": role].merging(more) { $1 })
            return (try #require(result["code"] as? String), try #require(result["inviteId"] as? String))
        }

        func pass(seconds: Int64) {
            harness.moment.wall = Timestamp(milliseconds: harness.moment.wall.milliseconds + seconds * 1000)
        }
    }

    private let dead = "The invitation does not hold, or not any more; ask for another one."

    @Test func `who takes it is a member, and open lists get the rows as a diff in the order of all changes`() throws {
        let world = try World()
        try world.ben.call("subscribe", ["name": "items", "class": "Item"])
        try world.anna.call("subscribe", ["name": "people", "class": "Permission"])
        let (code, _) = try world.invite()
        #expect(try world.ben.call("invite.accept", ["code": code])["projectId"] as? String == "p1")
        #expect(world.ben.keys("items", "itemId") == ["i1"])
        #expect(world.anna.keys("people", "userId").contains(world.ben.userId))
        #expect(world.ben.messages.last?["id"] != nil, "the change comes before the result")
        try world.ben.write([["update": "Item", "id": "i1", "set": ["isDone": true]]])
    }

    @Test func `its code has 256 random bits, of which the store has a hash only`() throws {
        let world = try World()
        let (code, inviteId) = try world.invite()
        #expect(code.utf8.count == 43)
        let kept = try #require(try world.harness.store.invitation(inviteId))
        #expect(kept.codeHash.count == 32)
        let listed = try world.anna.call("invite.list", ["projectId": "p1"])
        #expect((listed["invites"] as? [[String: Any]])?.first?["inviteId"] as? String == inviteId)
        #expect(!world.anna.texts.suffix(1).contains { $0.contains(code) })
    }

    @Test func `a code that is wrong, used up, over, taken back or without force is answered alike`() throws {
        let world = try World()
        let cleo = try world.harness.login("Cleo")
        let used = try world.invite()
        try cleo.call("invite.accept", ["code": used.code])
        let over = try world.invite("viewer", ["seconds": 60])
        world.pass(seconds: 60)
        let revoked = try world.invite()
        try world.anna.call("invite.revoke", ["inviteId": revoked.inviteId])
        let unfounded = try world.invite()
        try world.anna.write([
            ["update": "Permission", "id": "p1:\(cleo.userId)", "set": ["role": "owner"]],
            ["update": "Permission", "id": "p1:\(world.anna.userId)", "set": ["role": "editor"]],
        ])
        world.ben.forgetMessages()
        var texts: Set<String> = []
        for code in ["none", used.code, over.code, revoked.code, unfounded.code] {
            let refused = try world.ben.refused("invite.accept", ["code": code])
            #expect(refused.code == -32003)
            let text = try #require(world.ben.texts.last)
            texts.insert(String(text[(text.range(of: "error")?.lowerBound ?? text.startIndex)...]))
        }
        let lines = world.harness.lines.audits("invite.accept").filter { $0["outcome"] == "refused" }
        #expect(
            lines
                == Array(repeating: ["event": "invite.accept", "outcome": "refused", "by": world.ben.userId, "address": "test"], count: 5))
        #expect(texts.count == 1)
        #expect(texts.first?.contains(dead) == true)
        try cleo.write([["update": "Permission", "id": "p1:\(world.anna.userId)", "set": ["role": "owner"]]])
        try world.ben.call("invite.accept", ["code": unfounded.code])
    }

    @Test func `a member takes no use, and nobody is made less by it`() throws {
        let world = try World()
        let single = try world.invite("editor")
        try world.ben.call("invite.accept", ["code": single.code])
        #expect(try world.ben.call("invite.accept", ["code": single.code])["projectId"] as? String == "p1")
        let look = try world.invite("viewer", ["uses": 2])
        for client in [world.ben, world.anna] { try client.call("invite.accept", ["code": look.code]) }
        #expect(try world.harness.store.invitation(look.inviteId)?.usesLeft == 2)
        let roles = try world.anna.call("query", ["class": "Permission", "sort": ["role"]])["objects"] as? [[String: Any]]
        #expect(roles?.map { $0["role"] as? String } == ["editor", "owner"])
        let own = try world.invite("owner")
        try world.ben.call("invite.accept", ["code": own.code])
        #expect(try world.harness.store.object(.permission, "p1:\(world.ben.userId)")?[3] == .string("owner"))
        #expect(try world.harness.store.invitation(own.inviteId)?.usesLeft == 0)
    }

    @Test func `two who take the last use at once are not both let in`() throws {
        let world = try World()
        let cleo = try world.harness.login("Cleo")
        let (code, _) = try world.invite()
        let (first, one) = try world.ben.request("invite.accept", ["code": code])
        let (second, two) = try cleo.request("invite.accept", ["code": code])
        world.harness.process([one, two])
        _ = try world.ben.result(of: first)
        #expect(throws: HubClient.Refused.self) { try cleo.result(of: second) }
    }

    @Test func `owners make, list and take back; others are told by the order of sight and right`() throws {
        let world = try World()
        let (_, inviteId) = try world.invite()
        let calls: [(String, [String: Any])] = [
            ("invite.create", ["projectId": "p1", "role": "viewer"]), ("invite.list", ["projectId": "p1"]),
            ("invite.revoke", ["inviteId": inviteId]),
        ]
        for (method, params) in calls { #expect(try world.ben.refused(method, params).code == -32003) }
        for role in ["viewer", "editor"] {
            try world.anna.write([["upsert": "Permission", "object": ["projectId": "p1", "userId": world.ben.userId, "role": role]]])
            for (method, params) in calls { #expect(try world.ben.refused(method, params).code == -32002) }
        }
        try world.anna.write([["upsert": "Permission", "object": ["projectId": "p1", "userId": world.ben.userId, "role": "owner"]]])
        for (method, params) in calls { try world.ben.call(method, params) }
    }

    @Test func `parameters are bounded`() throws {
        let world = try World { $0.limits.invites = 2 }
        let bad: [[String: Any]] = [
            ["uses": 0], ["uses": 10_001], ["seconds": 0], ["seconds": 40_000_000], ["expiresAt": "yesterday"],
            ["expiresAt": "2000-01-01T00:00:00Z"], ["expiresAt": "2200-01-01T00:00:00Z"], ["role": "king"],
            ["seconds": 5, "expiresAt": "2027-01-16T00:00:00Z"],
        ]
        for more in bad {
            let params = ["projectId": "p1", "role": "viewer"].merging(more) { $1 }
            #expect(try world.anna.refused("invite.create", params).code == -32602, "\(more)")
        }
        _ = try world.invite("viewer", ["seconds": 10])
        _ = try world.invite()
        #expect(try world.anna.refused("invite.create", ["projectId": "p1", "role": "viewer"]).code == -32005)
        world.pass(seconds: 10)
        _ = try world.invite()
    }

    @Test func `a suspended maker lets nobody in, and a project that takes the place of another has none of its invitations`() throws {
        let world = try World()
        let (code, _) = try world.invite("owner")
        #expect(world.harness.operate(.suspend(name: "Anna", isSuspended: true)) == .done("'Anna' is suspended; all sessions are ended."))
        #expect(try world.ben.refused("invite.accept", ["code": code]).code == -32003)
        #expect(world.harness.operate(.suspend(name: "Anna", isSuspended: false)) == .done("'Anna' may log in again."))
        #expect(try world.ben.call("invite.accept", ["code": code])["projectId"] as? String == "p1")
        let second = try world.ben.call("invite.create", ["projectId": "p1", "role": "viewer"])
        world.pass(seconds: 1)
        try world.ben.write([["delete": "Project", "id": "p1"], ["create": "Project", "object": ["projectId": "p1", "name": "New"]]])
        let cleo = try world.harness.login("Cleo")
        #expect(try cleo.refused("invite.accept", ["code": second["code"] ?? ""]).code == -32003)
        #expect((try world.ben.call("invite.list", ["projectId": "p1"])["invites"] as? [Any])?.isEmpty == true)
    }

    @Test func `invitations go with their project and with the account of their maker`() throws {
        let world = try World()
        let (code, inviteId) = try world.invite()
        try world.anna.write([["delete": "Project", "id": "p1"]])
        #expect(try world.harness.store.invitation(inviteId) == nil)
        try world.anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        #expect(try world.ben.refused("invite.accept", ["code": code]).code == -32003)
    }
}
