import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// The main path: log in, subscribe, write, and every session sees the diff.
struct MainPathTests {
    @Test func `a write reaches every session that subscribed, before its own result`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.call("subscribe", ["name": "mine", "class": "Project", "filter": "owner == $user", "sort": ["-timestamp"]])
        try ben.call("subscribe", ["name": "all", "class": "Project"])
        #expect(anna.complete == ["mine"])
        anna.forgetMessages()
        let result = try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        #expect(result["ids"] as? [String] == ["p1"])
        #expect(anna.messages.first?["method"] as? String == "change")
        #expect(anna.keys("mine", "projectId") == ["p1"])
        #expect(ben.keys("all", "projectId") == ["p1"])
        #expect(ben.notifications("change").last?["by"] as? [String] == [anna.userId])
    }

    @Test func `sessions with the same query and name get one message, encoded once`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let writer = try harness.login("Writer")
        try writer.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let readers = try (0..<20).map { try harness.login("Reader \($0)") }
        for reader in readers { try reader.call("subscribe", ["name": "items", "class": "Item", "filter": "projectId == 'p1'"]) }
        let before = harness.hub.figures
        try writer.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "Milk"]]])
        #expect(harness.hub.figures.frames - before.frames == 1)
        #expect(harness.hub.figures.deliveries - before.deliveries == 20)
        #expect(readers.allSatisfy { $0.keys("items", "itemId") == ["i1"] })
        #expect(Set(readers.compactMap(\.texts.last)).count == 1)
    }

    @Test func `transactions that wait together become one commit and one change`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.call("subscribe", ["name": "all", "class": "Project"])
        anna.forgetMessages()
        let before = harness.hub.figures.commits
        let first = try anna.request("write", ["changes": [["create": "Project", "object": ["projectId": "p1", "name": "One"]]]])
        let second = try ben.request("write", ["changes": [["create": "Project", "object": ["projectId": "p2", "name": "Two"]]]])
        let third = try ben.request("write", ["changes": [["create": "Project", "object": ["projectId": "p1", "name": "Taken"]]]])
        harness.process([first.input, second.input, third.input])
        #expect(harness.hub.figures.commits - before == 1)
        let changes = anna.notifications("change")
        #expect(changes.count == 1)
        #expect(Set(changes[0]["by"] as? [String] ?? []) == [anna.userId, ben.userId])
        #expect(try anna.result(of: first.id)["version"] as? Int != ben.result(of: second.id)["version"] as? Int)
        #expect(throws: HubClient.Refused.self) { try ben.result(of: third.id) }
        #expect(Set(anna.keys("all", "projectId")) == ["p1", "p2"])
    }

    @Test func `a write that follows a subscription at once is seen in the list before its result`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let subscribe = try anna.request("subscribe", ["name": "mine", "class": "Project"])
        let write = try anna.request("write", ["changes": [["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]]])
        anna.forgetMessages()
        harness.process([subscribe.input, write.input])
        let order = anna.messages.map { $0["method"] as? String ?? "\($0["id"] ?? "")" }
        #expect(order == ["\(subscribe.id)", "initial", "change", "\(write.id)"])
        #expect(anna.keys("mine", "projectId") == ["p1"])
    }

    @Test func `the same txn is applied once`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let change: [[String: Any]] = [["create": "Project", "object": ["name": "Lake"]]]
        let first = try anna.write(change, txn: "t1")
        let second = try anna.write(change, txn: "t1")
        #expect(second["duplicate"] as? Bool == true)
        #expect(first["ids"] as? [String] == second["ids"] as? [String])
        #expect((try anna.call("query", ["class": "Project"])["objects"] as? [Any])?.count == 1)
    }

    @Test func `rights that are given and taken reach open lists as diffs`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.write([
            ["create": "Project", "object": ["projectId": "p1", "name": "Lake"]],
            ["create": "Item", "object": ["projectId": "p1", "itemId": "i1", "body": "Milk"]],
        ])
        try ben.call("subscribe", ["name": "fixed", "class": "Item", "filter": "projectId == 'p1'"])
        try ben.call("subscribe", ["name": "all", "class": "Item"])
        try ben.call("subscribe", ["name": "projects", "class": "Project"])
        #expect(ben.keys("fixed", "itemId") == [] && ben.keys("all", "itemId") == [])
        try anna.write([["create": "Permission", "object": ["projectId": "p1", "userId": ben.userId, "role": "viewer"]]])
        #expect(ben.keys("fixed", "itemId") == ["i1"] && ben.keys("all", "itemId") == ["i1"] && ben.keys("projects", "projectId") == ["p1"])
        ben.forgetMessages()
        try anna.write([
            ["delete": "Permission", "id": "p1:\(ben.userId)"],
            ["create": "Item", "object": ["projectId": "p1", "itemId": "i2", "body": "Secret"]],
        ])
        #expect(ben.keys("fixed", "itemId") == [] && ben.keys("all", "itemId") == [] && ben.keys("projects", "projectId") == [])
        #expect(ben.notifications("change").count == 1)
        #expect(!ben.texts.contains { $0.contains("Secret") })
        try anna.write([["update": "Project", "id": "p1", "set": ["access": "everyone-read"]]])
        #expect(ben.keys("fixed", "itemId") == ["i1", "i2"] && ben.keys("all", "itemId") == ["i1", "i2"])
    }

    @Test func `a long first list comes in parts, and what happens meanwhile follows it`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        for start in stride(from: 0, to: 1300, by: 100) {
            try anna.write(
                (start..<start + 100).map {
                    ["create": "Item", "object": ["projectId": "p1", "itemId": "i\(10_000 + $0)", "body": "\($0)"]]
                })
        }
        let other = harness.connect()
        try other.call("login", ["provider": "token", "token": anna.token])
        other.isStalled = true
        try other.call("subscribe", ["name": "items", "class": "Item", "filter": "projectId == 'p1'", "sort": ["position"]])
        #expect(other.keys("items", "itemId").count == 500)
        try anna.write([["delete": "Item", "id": "i10000"], ["update": "Item", "id": "i11200", "set": ["body": "late"]]])
        try anna.write([["move": "Item", "id": "i10001", "to": "end"]])
        #expect(other.complete.isEmpty)
        other.isStalled = false
        harness.process([.drained(other.id)])
        let expected = try #require(try anna.call("query", ["class": "Item", "sort": ["position"]])["objects"] as? [[String: Any]])
        #expect(other.complete == ["items"])
        #expect(NSArray(array: other.lists["items"] ?? []) == NSArray(array: expected))
    }

    @Test func `while a token is expired nothing is sent, and after the log-in one merged change`() throws {
        let harness = try HubHarness { $0.limits.tokenMilliseconds = 60_000 }
        let anna = try harness.login("Anna")
        try anna.call("subscribe", ["name": "mine", "class": "Project"])
        anna.forgetMessages()
        harness.moment.wall = Timestamp(milliseconds: harness.moment.wall.milliseconds + 60_000)
        let other = try harness.login("anna")
        #expect(other.userId == anna.userId)
        for name in ["One", "Two"] { try other.write([["create": "Project", "object": ["name": name]]]) }
        #expect(anna.messages.isEmpty)
        #expect(throws: HubClient.Refused.self) { try anna.call("query", ["class": "Project"]) }
        try anna.call("login", ["provider": "nickname", "nickname": "Anna"])
        #expect(anna.notifications("change").count == 1)
        #expect(anna.keys("mine", "projectId").count == 2)
    }
}

/// Answers and first lists whose size is out of the ordinary.
struct LargeAnswerTests {
    private func filled(_ harness: HubHarness, notes: Int, count: Int) throws -> HubClient {
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let text = String(repeating: "n", count: notes)
        for number in 0..<count {
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "", "notes": text]]])
        }
        return anna
    }

    @Test func `a part of a first list is full by the bytes of its rows too`() throws {
        let harness = try HubHarness()
        let anna = try filled(harness, notes: 99_000, count: 12)
        anna.forgetMessages()
        try anna.call("subscribe", ["name": "fat", "class": "Item"])
        #expect(anna.notifications("initial").count == 4)
        #expect(anna.texts.allSatisfy { $0.utf8.count < 600_000 })
        #expect(anna.lists["fat"]?.count == 12)
    }

    @Test func `a query whose answer would be too large is refused with the bound`() throws {
        let harness = try HubHarness { $0.limits.queryBytes = 500_000 }
        let anna = try filled(harness, notes: 99_000, count: 6)
        #expect(throws: HubClient.Refused.self) { try anna.call("query", ["class": "Item"]) }
        #expect((try anna.call("query", ["class": "Item", "limit": 4])["objects"] as? [Any])?.count == 4)
    }

    @Test func `a limit or an offset of any size is a plain answer`() throws {
        let harness = try HubHarness()
        let anna = try filled(harness, notes: 1, count: 3)
        for (limit, offset, count) in [(Int.max, 1, 2), (Int.max, Int.max, 0), (1, 2, 1), (5, 3, 0)] {
            let result = try anna.call("query", ["class": "Item", "limit": limit, "offset": offset])
            #expect((result["objects"] as? [Any])?.count == count)
        }
        try anna.call("subscribe", ["name": "all", "class": "Item", "limit": Int.max])
        #expect(anna.lists["all"]?.count == 3)
    }

    @Test func `a query finds users by what is shown of them`() throws {
        let harness = try HubHarness(access: .everyoneRead)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        // Others don't learn that Anna is an admin, so she is found among those who are none.
        let user = try #require(try harness.store.object(.user, anna.userId))
        var admin = user
        admin[UserField.isAdmin] = .boolean(true)
        try harness.store.begin()
        try harness.store.update(admin, from: user)
        try harness.store.commit()
        let query: [String: Any] = ["class": "User", "filter": "isAdmin == FALSE"]
        let found = try ben.call("query", query)["objects"] as? [[String: Any]]
        #expect(Set((found ?? []).compactMap { $0["userId"] as? String }) == [anna.userId, ben.userId])
        try ben.call("subscribe", query.merging(["name": "users"]) { $1 })
        #expect(Set(ben.keys("users", "userId")) == [anna.userId, ben.userId])
    }
}
