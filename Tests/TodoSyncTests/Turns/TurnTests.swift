import Crypto
import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// How much one turn does, whose requests it takes, and what goes ahead.
struct TurnTests {
    private static let everything = "projectId == 'p1'"
    private static let nothing = "projectId == 'p1' AND body CONTAINS 'none'"

    /// A harness whose turns have that bound, with a user whose project holds 100 items.
    private static func world(changesInGroup: Int = 64) throws -> (harness: HubHarness, hog: HubClient) {
        let harness = try HubHarness { $0.limits.changesInGroup = changesInGroup }
        let hog = try harness.register("Hog")
        try hog.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try hog.write((0..<100).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "b"]] })
        return (harness, hog)
    }

    private func filterWrite(_ client: HubClient, _ filter: String = everything, body: String = "c") throws -> Sent {
        try Sent(client, "write", ["changes": [["update": "Item", "filter": filter, "set": ["body": body]]]])
    }

    private func small(_ client: HubClient) throws -> Sent {
        try Sent(client, "write", ["changes": [["create": "Project", "object": ["name": "Small"]]]])
    }

    /// A request that is not processed yet.
    struct Sent {
        let client: HubClient
        let id: Int
        let input: Input

        init(_ client: HubClient, _ method: String, _ params: [String: Any] = [:]) throws {
            self.client = client
            (id, input) = try client.request(method, params)
        }

        var isAnswered: Bool { client.messages.contains { $0["id"] as? Int == id } }
    }

    private func answered(_ sent: [Sent]) -> Int { sent.count { $0.isAnswered } }

    private func other(_ client: HubClient) throws -> String {
        let sessions = try client.call("sessions")["sessions"] as? [[String: Any]]
        return try #require(sessions?.first { $0["current"] as? Bool == false }?["id"] as? String)
    }

    // MARK: The bound

    @Test func `a turn ends at its bound, what it did is told, and the rest is left for the next ones`() throws {
        let (harness, hog) = try Self.world(changesInGroup: 4)
        let writes = try (0..<6).map { _ in try small(hog) }
        harness.turn(writes.map(\.input))
        let first = answered(writes)
        #expect(first > 0 && first < 6 && harness.hub.hasWork)
        while harness.hub.hasWork { harness.turn([]) }
        let versions = try writes.map { try #require(try hog.result(of: $0.id)["version"] as? Int64) }
        #expect(versions == versions.sorted())
    }

    @Test(arguments: [(nothing, 100_000), (everything, 10)])
    func `objects count that a filter only looks at, also where the write is refused`(filter: String, objectsMax: Int) throws {
        let harness = try HubHarness {
            $0.limits.changesInGroup = 10
            $0.limits.objectsTouched = objectsMax
        }
        let hog = try harness.login("Hog")
        try hog.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try hog.write((0..<20).map { ["create": "Item", "object": ["projectId": "p1", "itemId": "i\($0)", "body": "b"]] })
        let writes = try [filterWrite(hog, filter), filterWrite(hog, filter)]
        harness.turn(writes.map(\.input))
        #expect(writes.map(\.isAnswered) == [true, false])
        harness.process([])
        #expect(writes[1].isAnswered)
    }

    // MARK: Whose requests

    @Test func `a session whose write was large goes behind the others, also behind those who come later`() throws {
        let (harness, hog) = try Self.world()
        let ben = try harness.login("Ben")
        let large = try (0..<3).map { try filterWrite(hog, body: "c\($0)") }
        harness.turn(large.map(\.input))
        #expect(large.map(\.isAnswered) == [true, false, false])
        let first = try small(ben)
        harness.turn([first.input])
        let second = try small(ben)
        harness.turn([second.input])
        while harness.hub.hasWork { harness.turn([]) }
        let versions = try [large[0], first, large[1], second, large[2]].map {
            try #require(try $0.client.result(of: $0.id)["version"] as? Int64)
        }
        #expect(versions == versions.sorted())
    }

    @Test func `many connections of one user have as much as one connection of another`() throws {
        let (harness, hog) = try Self.world(changesInGroup: 1)
        let ben = try harness.login("Ben")
        let many = try (0..<20).map { _ in
            let client = harness.connect()
            try client.call("login", ["provider": "token", "token": hog.token])
            return try small(client)
        }
        let one = try small(ben)
        harness.turn(many.map(\.input) + [one.input])
        harness.turn([])
        #expect(one.isAnswered && answered(many) == 1)
        while harness.hub.hasWork { harness.turn([]) }
        #expect(answered(many) == many.count)
    }

    @Test func `each gets as much by what it costs, and nobody waits for ever`() throws {
        let (harness, hog) = try Self.world(changesInGroup: 1)
        let ben = try harness.login("Ben")
        let large = try (0..<3).map { try filterWrite(hog, body: "c\($0)") }
        harness.turn(large.map(\.input))
        var turns = 0
        // Small ones come without end, and one large one costs as much as a hundred of them.
        while !large[2].isAnswered, turns < 1000 {
            turns += 1
            harness.turn([try small(ben).input])
        }
        #expect(turns > 50 && turns < 1000)
    }

    // MARK: What goes ahead

    enum End: CaseIterable { case logout, sessionEnd, changePassword, disconnect, deleteUser, suspend }

    @Test(arguments: End.allCases)
    func `what ends log-ins goes ahead of the writes that wait, and is told before the next of them is begun`(end: End) throws {
        let (harness, hog) = try Self.world()
        let admin = try harness.loginAsAdmin("Root")
        let ann = try harness.register("Ann")
        let phone = try harness.logIn("Ann")
        let phoneId = try other(ann)
        let late = try (0..<3).map { _ in try small(phone) }
        let large = try (0..<3).map { try filterWrite(hog, body: "c\($0)") }
        harness.turn(large.map(\.input))
        #expect(large.map(\.isAnswered) == [true, false, false])
        let request: Sent? =
            switch end {
            case .logout: try Sent(ann, "logout", ["everywhere": true])
            case .sessionEnd: try Sent(ann, "session.end", ["id": phoneId])
            case .changePassword: try Sent(ann, "changePassword", ["old": "correct horse", "new": "battery staple"])
            case .disconnect: try Sent(admin, "admin.disconnect", ["userId": ann.userId])
            case .deleteUser: try Sent(admin, "admin.deleteUser", ["userId": ann.userId])
            case .suspend: nil
            }
        let begun = answered(large)
        if let request {
            harness.turn(late.map(\.input) + [request.input])
            if end == .changePassword {
                let job = try #require(harness.jobs.takeFirst())
                #expect(answered(large) == begun)
                harness.turn([.finished(job())])
            }
            _ = try request.client.result(of: request.id)
        } else {
            harness.turn(late.map(\.input) + [.operated(.suspend(name: "Ann", isSuspended: true), reply: { _ in })])
        }
        #expect(phone.closeCode == 4002)
        #expect(answered(large) == begun)
        #expect(answered(late) == 0)
        harness.process([])
        #expect(answered(large) == large.count)
        #expect(answered(late) == 0)
    }

    @Test func `who ends log-ins over and over holds up nobody`() throws {
        let (harness, hog) = try Self.world()
        let ben = try harness.login("Ben")
        let bogus = try (0..<50).map { try Sent(hog, "session.end", ["id": "none\($0)"]) }
        let write = try small(ben)
        harness.turn(bogus.map(\.input) + [write.input])
        harness.turn([])
        #expect(write.isAnswered)
        while harness.hub.hasWork { harness.turn([]) }
        #expect(answered(bogus) == bogus.count)
    }

    @Test func `what a session asked for before goes before what ends its log-in`() throws {
        let (harness, hog) = try Self.world()
        let writes = try (0..<3).map { try filterWrite(hog, body: "c\($0)") }
        let end = try Sent(hog, "logout")
        let late = try small(hog)
        harness.process(writes.map(\.input) + [end.input, late.input])
        for sent in writes + [end] { _ = try hog.result(of: sent.id) }
        #expect(throws: HubClient.Refused.self) { try hog.result(of: late.id) }
    }

    // MARK: Giving way

    @Test func `a large transaction gives way to what is urgent, leaves nothing, and is done afterwards, once`() throws {
        let (harness, hog) = try Self.world(changesInGroup: 1 << 20)
        let ben = try harness.login("Ben")
        try hog.call("subscribe", ["name": "items", "class": "Item"])
        hog.forgetMessages()
        let (before, behind) = (try small(ben), try small(hog))
        let params: [String: Any] = ["txn": "t1", "changes": [["update": "Item", "filter": Self.everything, "set": ["body": "c"]]]]
        let large = try Sent(hog, "write", params)
        var looks = 0
        harness.hub.isUrgentInputWaiting = {
            looks += 1
            return looks == 2
        }
        harness.turn([before.input, large.input, behind.input])
        #expect(looks >= 2 && before.isAnswered && !large.isAnswered && !behind.isAnswered)
        #expect(try harness.store.object(.item, "i0")?[2] == .string("b"))
        #expect(hog.notifications("change").isEmpty && harness.hub.hasWork)
        harness.process([])
        #expect(try hog.result(of: large.id)["duplicate"] == nil)
        #expect(try harness.store.object(.item, "i99")?[2] == .string("c"))
        let answers = hog.messages.count { $0["id"] as? Int == large.id }
        #expect(answers == 1)
        let versions = try [large, behind].map { try #require(try hog.result(of: $0.id)["version"] as? Int64) }
        #expect(versions[0] < versions[1])
        #expect(Set(hog.keys("items", "body")) == ["c"])
        #expect(try hog.call("write", params)["duplicate"] as? Bool == true)
    }

    @Test func `however much is urgent, a large transaction is done in the end`() throws {
        let (harness, hog) = try Self.world()
        harness.hub.isUrgentInputWaiting = { true }
        let large = try filterWrite(hog)
        var turns = 1
        harness.turn([large.input])
        while harness.hub.hasWork, turns < 100 {
            turns += 1
            harness.turn([])
        }
        #expect(large.isAnswered && turns > 1 && turns < 20)
    }
}
