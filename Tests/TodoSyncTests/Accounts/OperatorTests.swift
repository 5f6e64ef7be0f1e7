import Crypto
import Foundation
import Testing
import Todo
import TodoProtocol
import TodoStore
import TodoSync
import WebToken

@Suite("What an operator does to accounts")
struct OperatorTests {
    private func hash(_ password: String) throws -> String {
        try PasswordHash.make(password, cost: #require(PasswordHash.Cost(logN: 2, blockSize: 1, parallelism: 1))).text
    }

    private func isDone(_ reply: OperatorReply) -> Bool {
        if case .done = reply { true } else { false }
    }

    private func isRefused(_ reply: OperatorReply) -> Bool {
        if case .refused = reply { true } else { false }
    }

    @Test func `an account is added and its password exchanged`() throws {
        let harness = try HubHarness()
        #expect(isDone(harness.operate(.add(name: " Ann ", passwordHash: try hash("correct horse"), isAdmin: true))))
        let ann = try harness.logIn("ann")
        #expect(isRefused(harness.operate(.add(name: "ANN", passwordHash: try hash("battery staple"), isAdmin: false))))
        #expect(isRefused(harness.operate(.add(name: "Ben", passwordHash: "battery staple", isAdmin: false))))
        #expect(isRefused(harness.operate(.setPassword(name: "Nobody", passwordHash: try hash("battery staple")))))
        #expect(ann.closeCode == nil)
        #expect(isDone(harness.operate(.setPassword(name: "Ann", passwordHash: try hash("battery staple")))))
        #expect(ann.closeCode == 4002)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": ann.token])?.code == -32009)
        try harness.logIn("Ann", "battery staple")
        guard case .users(let users) = harness.operate(.list) else { throw HubClient.Refused(code: 0, reason: nil, path: nil) }
        #expect(users.map(\.name) == ["Ann"] && users[0].isAdmin && users[0].providers == ["password"])
    }

    private func lastSeen(_ harness: HubHarness) -> [Int64?] {
        guard case .users(let users) = harness.operate(.list) else { return [] }
        return users.map { $0.lastSeen?.milliseconds }
    }

    @Test func `the list tells when a user was last seen, also where no log-in of it is left`() throws {
        let harness = try HubHarness()
        let start = harness.moment.wall.milliseconds
        #expect(isDone(harness.operate(.add(name: "Abe", passwordHash: try hash("correct horse"), isAdmin: false))))
        let ann = try harness.register("Ann")
        let ben = try harness.register("Ben")
        try harness.register("Cleo").leave()
        #expect(lastSeen(harness) == [nil, start, start, start])
        harness.pass(5000)
        try ann.call("logout")
        harness.pass(5000)
        // Ben is here; what a token keeps of its user is as old as its last renewal.
        #expect(lastSeen(harness) == [nil, start + 5000, start + 10000, start])
        for name in ["Ben", "Cleo"] { #expect(isDone(harness.operate(.suspend(name: name, isSuspended: true)))) }
        #expect(ben.closeCode == 4002)
        harness.pass(5000)
        #expect(lastSeen(harness) == [nil, start + 5000, start, start])
        harness.pass(90 * 86_400_000)
        for _ in 0..<3 { harness.tick() }
        #expect(lastSeen(harness) == [nil, start + 5000, start, start])
        #expect(isDone(harness.operate(.delete(name: "Ann", ownProjects: .undecided))))
        try harness.register("Ann").leave()
        #expect(lastSeen(harness)[1] == harness.moment.wall.milliseconds)
    }

    @Test func `a suspended user is out at once, and in again when that is lifted`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let nick = try harness.login("Nick")
        for name in ["Ann", "Nick"] { #expect(isDone(harness.operate(.suspend(name: name, isSuspended: true)))) }
        #expect(ann.closeCode == 4002 && nick.closeCode == 4002)
        #expect(harness.connect(from: "10.0.0.1").logInRefusal("Ann", "correct horse")?.code == -32008)
        #expect(harness.connect().refusal("login", ["provider": "nickname", "nickname": "Nick"])?.code == -32008)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": ann.token])?.code == -32009)
        for name in ["Ann", "Nick"] { #expect(isDone(harness.operate(.suspend(name: name, isSuspended: false)))) }
        try harness.logIn("Ann")
        _ = try harness.login("Nick")
    }

    @Test func `an admin sees everything from the moment on, on open lists too, and no longer when it is taken back`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let ben = try harness.register("Ben")
        try ben.write([["create": "Project", "object": ["projectId": "b1", "name": "B"]]])
        try ann.write([["create": "Project", "object": ["projectId": "a1", "name": "A"]]])
        try ann.call("subscribe", ["name": "all", "class": "Project"])
        try ann.call("subscribe", ["name": "one", "class": "Item", "filter": "projectId == 'b1'"])
        #expect(ann.keys("all", "projectId") == ["a1"])
        #expect(isDone(harness.operate(.setAdmin(name: "Ann", isAdmin: true))))
        #expect(ann.keys("all", "projectId") == ["a1", "b1"])
        try ben.write([["create": "Item", "object": ["projectId": "b1", "body": "x", "itemId": "i1"]]])
        #expect(ann.keys("one", "itemId") == ["i1"])
        try ann.write([["update": "Project", "id": "b1", "set": ["name": "Seen"]]])
        #expect(harness.lines.audits("admin.write").map { $0["project"] } == ["b1"])
        #expect(isDone(harness.operate(.setAdmin(name: "Ann", isAdmin: false))))
        #expect(ann.keys("all", "projectId") == ["a1"] && ann.keys("one", "itemId").isEmpty)
        try ben.write([["update": "Item", "id": "i1", "set": ["body": "secret"]]])
        #expect(ann.keys("one", "itemId").isEmpty && !ann.texts.contains { $0.contains("secret") })
        #expect(throws: HubClient.Refused.self) { try ann.write([["update": "Project", "id": "b1", "set": ["name": "No"]]]) }
        #expect(ann.closeCode == nil)
    }

    @Test func `a list that was left as an admin is not resumed as less`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        try harness.register("Ben").write([["create": "Project", "object": ["projectId": "b1", "name": "B"]]])
        #expect(isDone(harness.operate(.setAdmin(name: "Ann", isAdmin: true))))
        try ann.call("subscribe", ["name": "all", "class": "Project"])
        let info = try ann.call("info")
        harness.process([.closed(ann.id)])
        #expect(isDone(harness.operate(.setAdmin(name: "Ann", isAdmin: false))))
        let again = harness.connect()
        again.adopt(list: "all", of: ann)
        try again.call("login", ["provider": "token", "token": ann.token])
        let since: [String: Any] = ["since": info["version"] as? Int64 ?? 0, "epoch": info["epoch"] as? String ?? ""]
        let result = try again.call("subscribe", ["name": "all", "class": "Project"].merging(since) { $1 })
        #expect(result["resumed"] as? Bool == false && again.keys("all", "projectId").isEmpty)
    }

    @Test func `a nickname is never an admin`() throws {
        let harness = try HubHarness()
        let nick = try harness.login("Nick")
        #expect(isRefused(harness.operate(.setAdmin(name: "Nick", isAdmin: true))))
        #expect(try harness.store.object(.user, nick.userId)?[UserField.isAdmin].boolean == false)
    }

    @Test func `a deleted user leaves the projects of others whole`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let ben = try harness.register("Ben")
        try ann.write([
            ["create": "Project", "object": ["projectId": "p", "name": "P"]],
            ["create": "Permission", "object": ["projectId": "p", "userId": ben.userId, "role": "editor"]],
        ])
        try ben.write([["create": "Item", "object": ["projectId": "p", "itemId": "i", "body": "by Ben", "assignee": ben.userId]]])
        for name in ["Item", "Permission", "User"] { try ann.call("subscribe", ["name": name, "class": name]) }
        #expect(ann.lists["User"]?.count == 2)
        #expect(isDone(harness.operate(.delete(name: "Ben", ownProjects: .undecided))))
        #expect(ben.closeCode == 4002 && ann.closeCode == nil)
        #expect(ann.lists["Item"]?.first?["assignee"] is NSNull && ann.lists["Item"]?.first?["createdBy"] as? String == ben.userId)
        #expect(ann.lists["Permission"]?.count == 1 && ann.lists["User"]?.count == 1)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": ben.token])?.code == -32009)
        #expect(harness.connect(from: "10.0.0.1").logInRefusal("Ben", "correct horse")?.code == -32008)
        // The name is free, for somebody else.
        let next = try harness.register("Ben")
        #expect(next.userId != ben.userId)
    }

    @Test func `what becomes of a deleted user's own projects must be said`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let ben = try harness.register("Ben")
        for name in ["p", "q"] { try ann.write([["create": "Project", "object": ["projectId": name, "name": "P"]]]) }
        try ann.write([["create": "Permission", "object": ["projectId": "q", "userId": ben.userId, "role": "owner"]]])
        try ann.write([["create": "Item", "object": ["projectId": "p", "itemId": "i", "body": "x"]]])
        try ben.call("subscribe", ["name": "mine", "class": "Project"])
        #expect(isRefused(harness.operate(.delete(name: "Ann", ownProjects: .undecided))))
        #expect(isRefused(harness.operate(.delete(name: "Ann", ownProjects: .handOver(to: "Nobody")))))
        #expect(isRefused(harness.operate(.delete(name: "Ann", ownProjects: .handOver(to: "ann")))))
        #expect(ann.closeCode == nil && ben.keys("mine", "projectId") == ["q"])
        try ann.write([["update": "Item", "id": "i", "set": ["body": "y"]]])
        #expect(isDone(harness.operate(.delete(name: "Ann", ownProjects: .handOver(to: "ben")))))
        #expect(ben.keys("mine", "projectId").sorted() == ["p", "q"])
        #expect(Set(ben.keys("mine", "owner")) == [ben.userId])

        #expect(isDone(harness.operate(.delete(name: "Ben", ownProjects: .delete))))
        #expect(try harness.store.object(.project, "p") == nil && harness.store.object(.item, "i") == nil)
        #expect(harness.operate(.list) == .users([]))
    }

    @Test func `a command that is refused takes nothing else with it`() throws {
        let harness = try HubHarness()
        let ann = harness.connect(from: "10.0.0.1")
        let (id, input) = try ann.request("register", ["username": "Ann", "password": "correct horse"])
        harness.process([input], runJobs: false)
        let job = try #require(harness.jobs.takeFirst())
        let command = OperatorCommand.setAdmin(name: "Nobody", isAdmin: true)
        // Both in one turn: the registration has begun a commit when the command comes.
        harness.process([.finished(job()), .operated(command, reply: { reply in #expect(reply != .users([])) })])
        #expect(try ann.result(of: id)["token"] != nil)
        #expect(try ann.sessionIds.count == 1)
        #expect(harness.lines.audits("register").count == 1)
    }

    @Test func `a command that the store can't carry out leaves nothing and says so`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let version = harness.store.version
        #expect(isRefused(harness.operate(.delete(name: "Ann", ownProjects: .handOver(to: "Nobody")))))
        #expect(harness.store.version == version && ann.closeCode == nil)
        try ann.write([["create": "Project", "object": ["projectId": "p", "name": "P"]]])
    }
}
