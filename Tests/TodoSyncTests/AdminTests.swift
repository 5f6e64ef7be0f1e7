import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// What admins may do, that nobody else may, and what the deletion of a user leaves.
struct AdminTests {
    private let harness: HubHarness
    private let admin: HubClient
    private let anna: HubClient
    private let ben: HubClient

    init() throws {
        harness = try HubHarness()
        admin = try harness.loginAsAdmin("Root")
        anna = try harness.login("Anna")
        ben = try harness.login("Ben")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
    }

    @Test(arguments: ["admin.stats", "admin.users", "admin.sessions", "admin.disconnect", "admin.deleteUser"])
    func `others are refused before their parameters are looked at`(method: String) throws {
        for params in [[:], ["nonsense": 1], ["userId": anna.userId], ["userId": 7]] as [[String: Any]] {
            #expect(try ben.refused(method, params).code == -32002)
        }
        let lines = harness.lines.audits(method)
        #expect(lines.count == 4)
        let line = ["event": method, "outcome": "refused", "by": ben.userId, "address": "test", "reason": "no admin"]
        #expect(lines.allSatisfy { $0 == line })
        #expect(try harness.connect().refused(method, [:]).code == -32001)
        #expect(try admin.refused(method, ["nonsense": 1]).code == -32602)
    }

    @Test func `an admin sees and changes everything, and the log and the change name who did it`() throws {
        try anna.call("subscribe", ["name": "items", "class": "Item"])
        anna.forgetMessages()
        try admin.write([["create": "Item", "object": ["projectId": "p1", "body": "b"]]])
        #expect(anna.notifications("change").first?["by"] as? [String] == [admin.userId])
        #expect((try admin.call("query", ["class": "Project"])["objects"] as? [Any])?.count == 1)
        let entry = try #require(try harness.store.history(of: .project("p1"), before: nil, limit: 1).first)
        #expect(entry.by == admin.userId)
    }

    @Test func `users and sessions are listed, and the counters are there`() throws {
        let users = try admin.call("admin.users", ["limit": 2])
        #expect(users["count"] as? Int == 3)
        #expect((users["users"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Anna", "Ben"])
        #expect((users["users"] as? [[String: Any]])?.map { $0["sessions"] as? Int } == [1, 1])
        let rest = try admin.call("admin.users", ["offset": 2])["users"] as? [[String: Any]]
        #expect(rest?.first?["isAdmin"] as? Bool == true)
        #expect((try admin.call("admin.sessions")["sessions"] as? [Any])?.count == 3)
        let own = try #require(try admin.call("admin.sessions", ["userId": ben.userId])["sessions"] as? [[String: Any]])
        #expect(own.first?["userId"] as? String == ben.userId)
        #expect(own.first?["address"] as? String == "test")
        #expect(try admin.call("admin.stats")["sessions"] as? Int == 3)
    }

    @Test func `a disconnected session is closed with 4002, its token is dead, and the asking session stays`() throws {
        let own = try #require(try admin.call("admin.sessions", ["userId": ben.userId])["sessions"] as? [[String: Any]])
        let name = try #require(own.first?["sessionId"] as? String)
        #expect(try admin.call("admin.disconnect", ["sessionId": name])["disconnected"] as? Int == 1)
        #expect(ben.closeCode == 4002)
        #expect(try harness.connect().refused("login", ["provider": "token", "token": ben.token]).code == -32009)
        #expect(try admin.refused("admin.disconnect", ["sessionId": name]).code == -32003)
        let second = try harness.login("Anna")
        #expect(try admin.call("admin.disconnect", ["userId": anna.userId])["disconnected"] as? Int == 2)
        #expect([anna.closeCode, second.closeCode] == [4002, 4002])
        #expect(try admin.call("admin.disconnect", ["userId": admin.userId])["disconnected"] as? Int == 0)
        #expect(try admin.call("admin.stats")["sessions"] as? Int == 2)
    }

    @Test func `the connection that asks is not disconnected by its own id, and is told so`() throws {
        let second = harness.connect()
        try second.call("login", ["provider": "token", "token": admin.token])
        let own = try #require(try admin.call("admin.sessions", ["userId": admin.userId])["sessions"] as? [[String: Any]])
        var refusals: [HubClient.Refused] = []
        for name in own.compactMap({ $0["sessionId"] as? String }) {
            do { try admin.call("admin.disconnect", ["sessionId": name]) } catch let refused as HubClient.Refused {
                refusals.append(refused)
            }
        }
        #expect(refusals.map(\.reason) == ["notPermitted"] && refusals.map(\.path) == ["sessionId"])
        #expect(second.closeCode == 4002 && admin.closeCode == nil)
        try admin.call("admin.stats")
    }

    @Test func `an audit of refusals has an end for each connection`() throws {
        for _ in 0..<100 { _ = try ben.refused("admin.stats") }
        #expect(harness.lines.audits("admin.stats").count == 10)
        #expect(harness.lines.audits("admin.stats").last?["further"] == "not written")
        _ = try anna.refused("admin.stats")
        #expect(harness.lines.audits("admin.stats").count == 11)
    }

    @Test func `a deleted user leaves others' projects whole, and is asked what becomes of the own ones`() throws {
        try anna.write([
            ["create": "Permission", "object": ["projectId": "p1", "userId": ben.userId, "role": "editor"]],
            ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "b", "assignee": ben.userId]],
        ])
        try ben.write([
            ["create": "Item", "object": ["projectId": "p1", "itemId": "i2", "body": "Ben's"]],
            ["create": "Project", "object": ["projectId": "p2", "name": "Sea"]],
            ["create": "Item", "object": ["projectId": "p2", "itemId": "i3", "body": "s"]],
        ])
        try anna.call("subscribe", ["name": "items", "class": "Item"])
        try anna.call("subscribe", ["name": "users", "class": "User"])
        let unsettled = try admin.refused("admin.deleteUser", ["userId": ben.userId])
        #expect(unsettled.code == -32004)
        #expect(unsettled.reason == "ownsProjects")
        #expect(try harness.store.object(.user, ben.userId) != nil)
        try admin.call("admin.deleteUser", ["userId": ben.userId, "handOverTo": anna.userId])
        #expect(anna.keys("items", "itemId") == ["i1", "i2", "i3"])
        #expect(anna.lists["items"]?[0]["assignee"] is NSNull)
        #expect(anna.lists["items"]?[1]["createdBy"] as? String == ben.userId)
        #expect(anna.keys("users", "userId") == [anna.userId])
        #expect(try harness.store.object(.project, "p2")?[1] == .string(anna.userId))
        #expect(ben.closeCode == 4002)
        #expect(try harness.store.accounts(ofUser: ben.userId).isEmpty)
        #expect(try harness.store.permissions(ofUser: ben.userId).isEmpty)
        let again = try harness.login("Ben")
        #expect(again.userId != ben.userId)
        #expect((try again.call("query", ["class": "Item"])["objects"] as? [Any])?.isEmpty == true)
    }

    @Test func `what a user sent behind the own deletion comes to nothing, in the same turn too`() throws {
        let deletion = try admin.request("admin.deleteUser", ["userId": ben.userId])
        let change: [String: Any] = ["create": "Project", "object": ["projectId": "p9", "name": "Nobody's"]]
        let write = try ben.request("write", ["changes": [change]])
        harness.process([deletion.input, write.input])
        _ = try admin.result(of: deletion.id)
        #expect(ben.closeCode == 4002)
        #expect(try harness.store.object(.project, "p9") == nil)
    }

    @Test func `the own projects of a deleted user may go too`() throws {
        try anna.write([
            ["create": "Permission", "object": ["projectId": "p1", "userId": ben.userId, "role": "owner"]],
            ["create": "Project", "object": ["projectId": "p2", "name": "Sea"]],
        ])
        try admin.call("admin.deleteUser", ["userId": anna.userId, "deleteProjects": true])
        #expect(try harness.store.object(.project, "p2") == nil)
        #expect(try harness.store.object(.project, "p1")?[1] == .string(ben.userId))
        #expect(try admin.refused("admin.deleteUser", ["userId": "none"]).code == -32003)
        #expect(try admin.refused("admin.deleteUser", ["userId": admin.userId]).code == -32002)
        #expect(try admin.refused("admin.deleteUser", ["userId": ben.userId, "handOverTo": ben.userId]).code == -32003)
    }
}
