import Foundation
import Testing
import Todo
import TodoProtocol
import TodoStore
import TodoSync

@Suite("Where one is logged in")
struct SessionListTests {
    private func sessions(_ client: HubClient) throws -> [[String: Any]] {
        try client.call("sessions")["sessions"] as? [[String: Any]] ?? []
    }

    @Test func `the list tells of one's own log-ins, and which one asks`() throws {
        let harness = try HubHarness()
        let ann = harness.connect(from: "10.0.0.1", userAgent: "Firefox")
        ann.entered(try ann.call("login", ["provider": "nickname", "nickname": "Ann"]))
        harness.pass(60_000)
        let phone = harness.connect(from: "10.0.0.2", userAgent: "Phone")
        phone.entered(try phone.call("login", ["provider": "nickname", "nickname": "Ann"]))
        _ = try harness.login("Ben")
        harness.pass(60_000)
        let list = try sessions(ann)
        #expect(list.map { $0["userAgent"] as? String } == ["Firefox", "Phone"])
        #expect(list.map { $0["address"] as? String } == ["10.0.0.1", "10.0.0.2"])
        #expect(list.map { $0["current"] as? Bool } == [true, false])
        #expect(Set(list[0].keys) == ["id", "created", "lastSeen", "expiresAt", "userAgent", "address", "current"])
        #expect(list.map { $0["lastSeen"] as? String } == [harness.moment.wall.rfc3339, harness.moment.wall.rfc3339])
        harness.process([.closed(phone.id)])
        let later = try sessions(ann)
        #expect(later[1]["address"] is NSNull && later[1]["lastSeen"] as? String == later[1]["created"] as? String)
        #expect(later[1]["id"] as? String == list[1]["id"] as? String)
    }

    @Test func `an id says nothing of the token or its hash`() throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        let id = try #require(try ann.sessionIds.first)
        #expect(!ann.token.contains(id) && !Data(ann.tokenHash).base64EncodedString().contains(id))
        #expect(harness.connect().refusal("login", ["provider": "token", "token": id])?.code == -32009)
        #expect(try sessions(ann).description.contains(ann.token) == false)
    }

    @Test func `ending one closes every connection on it and kills its token`() throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        let phone = try harness.login("Ann")
        let second = harness.connect()
        try second.call("login", ["provider": "token", "token": phone.token])
        let ben = try harness.login("Ben")
        let other = try #require(try sessions(ann).first { $0["current"] as? Bool == false }?["id"] as? String)
        #expect(ben.refusal("session.end", ["id": other])?.code == -32003)
        #expect(try ann.call("session.end", ["id": other]).isEmpty)
        #expect(phone.closeCode == 4002 && second.closeCode == 4002 && ann.closeCode == nil && ben.closeCode == nil)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": phone.token])?.code == -32009)
        #expect(ann.refusal("session.end", ["id": other])?.code == -32003)
        #expect(try ann.sessionIds.count == 1)
    }

    @Test(arguments: ["logout", "session.end", "changePassword"])
    func `what was sent behind the end of a log-in, in the same turn, is not done`(method: String) throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let phone = try harness.logIn("Ann")
        let other = try #require(try sessions(ann).first { $0["current"] as? Bool == false }?["id"] as? String)
        let params: [String: Any] =
            switch method {
            case "logout": ["everywhere": true]
            case "session.end": ["id": other]
            default: ["old": "correct horse", "new": "battery staple"]
            }
        let end = try ann.request(method, params)
        let change: [String: Any] = ["create": "Project", "object": ["projectId": "late", "name": "Late"]]
        let behind = try (method == "logout" ? [ann, phone] : [phone]).map { client in
            (client, try client.request("write", ["changes": [change]]))
        }
        if method == "changePassword" {
            // The new password is hashed first; the write comes in the turn in which that is ready.
            harness.process([end.input], runJobs: false)
            let job = try #require(harness.jobs.takeFirst())
            harness.process([.finished(job())] + behind.map(\.1.input))
        } else {
            harness.process([end.input] + behind.map(\.1.input))
        }
        _ = try ann.result(of: end.id)
        #expect(phone.closeCode == 4002)
        if method == "logout" { #expect(throws: HubClient.Refused.self) { try ann.result(of: behind[0].1.id) } }
        #expect(try harness.store.object(.project, "late") == nil)
    }

    @Test func `ending one's own is a log-out`() throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        try ann.call("session.end", ["id": try #require(try ann.sessionIds.first)])
        #expect(ann.closeCode == nil && ann.refusal("sessions")?.code == -32001)
        harness.pass(10_000)
        harness.tick()
        #expect(ann.closeCode == 4001)
    }

    @Test(arguments: [[:], ["id": ""], ["id": "a b"], ["id": "ok", "x": "y"]])
    func `an id is needed to end one`(params: [String: String]) throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        #expect(ann.refusal("session.end", params)?.code == -32602)
        #expect(ann.refusal("sessions", ["all": true])?.code == -32602)
    }

    @Test func `a log-in by token on a live connection loses neither a list nor a change`() throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        let writer = try harness.login("Ann")
        try ann.call("subscribe", ["name": "mine", "class": "Project"])
        let changes = (0..<6).map { ["create": "Project", "object": ["projectId": "p\($0)", "name": "P"]] as [String: Any] }
        var inputs: [Input] = []
        for (number, change) in changes.enumerated() {
            inputs.append(try writer.request("write", ["changes": [change]]).input)
            // The newer token, the same one and a log-in by name, amid the writes of one turn.
            let login: [String: Any] =
                number % 3 == 0
                ? ["provider": "token", "token": writer.token]
                : number % 3 == 1 ? ["provider": "token", "token": ann.token] : ["provider": "nickname", "nickname": "Ann"]
            inputs.append(try ann.request("login", login).input)
        }
        harness.process(inputs)
        #expect(ann.keys("mine", "projectId") == (0..<6).map { "p\($0)" })
        #expect(ann.messages.allSatisfy { $0["error"] == nil })
        // While its token is expired it is told nothing; after the log-in it is told all at once.
        harness.pass(31 * 86_400_000)
        let fresh = try harness.login("Ann")
        try fresh.write([["delete": "Project", "id": "p3"]])
        #expect(ann.keys("mine", "projectId").count == 6)
        try ann.call("login", ["provider": "token", "token": fresh.token])
        #expect(ann.keys("mine", "projectId") == ["p0", "p1", "p2", "p4", "p5"])
    }
}
