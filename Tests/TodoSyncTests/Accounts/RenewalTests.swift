import Testing
import Todo
import TodoStore
import TodoSync

/// The life of a token slides while it is used, also on a connection that stays open.
struct RenewalTests {
    private static let day: Int64 = 86_400_000

    private func pass(_ milliseconds: Int64, _ harness: HubHarness) {
        harness.moment.wall = Timestamp(milliseconds: harness.moment.wall.milliseconds + milliseconds)
        harness.moment.monotonicMilliseconds += milliseconds
    }

    private func end(of client: HubClient, _ harness: HubHarness) throws -> Timestamp {
        try #require(try harness.store.token(hash: client.tokenHash)).expiresAt
    }

    @Test func `a connection in use keeps its log-in beyond the first life of its token`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let other = harness.connect()
        try other.call("login", ["provider": "token", "token": anna.token])
        for _ in 0..<45 {
            pass(Self.day, harness)
            try anna.call("query", ["class": "Project"])
        }
        #expect(try end(of: anna, harness).milliseconds >= harness.moment.wall.milliseconds + 29 * Self.day)
        // One log-in is one life, whichever of its connections is used.
        try other.call("query", ["class": "Project"])
        pass(31 * Self.day, harness)
        #expect(try anna.refused("query", ["class": "Project"]).code == -32009)
        #expect(try other.refused("query", ["class": "Project"]).code == -32009)
    }

    @Test func `hardly any request writes`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let commits = harness.hub.figures.commits
        let before = try end(of: anna, harness)
        for _ in 0..<20 {
            pass(60_000, harness)
            try anna.call("query", ["class": "Project"])
        }
        #expect(try end(of: anna, harness) == before)
        #expect(harness.hub.figures.commits == commits)
    }

    @Test(arguments: ["info", "login"]) func `what needs no log-in does not bring a token back that is over`(_ method: String) throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        let before = try end(of: anna, harness)
        pass(31 * Self.day, harness)
        if method == "info" {
            try anna.call("info")
        } else {
            _ = try? anna.call("login", ["provider": "password", "username": "Anna", "password": "not the password"])
        }
        #expect(try harness.store.token(hash: anna.tokenHash).map { $0.expiresAt } ?? before == before)
        #expect(try anna.refused("query", ["class": "Project"]).code == -32009)
    }
}
