import Testing
import Todo
import TodoClient
import TodoProtocol

/// Logging in and out, as a Swift program does it.
@Suite struct AccountTests {
    @Test func `a user registers, comes back by password and by token, and not by a wrong password`() async throws {
        try await withServer(.init(providers: "password")) { server in
            let first = try await connect(to: server)
            #expect(try await first.info().providers == ["password"])
            let account = try await first.register(username: "ann", password: "correct horse")
            #expect(account.name == "ann" && !account.isAdmin)

            let second = try await connect(to: server)
            #expect(try await refusal { _ = try await second.login(.password(username: "ann", password: "wrong horse")) }?.code == -32008)
            let closedDoor = try await refusal { _ = try await second.login(.nickname("ann")) }
            #expect(closedDoor?.code == -32008 && closedDoor?.message.contains("Invalid parameter 'provider'") == true)
            #expect(try await second.login(.password(username: "ann", password: "correct horse")).userId == account.userId)

            let third = try await connect(to: server)
            let byToken = try await third.login(.token(account.token))
            #expect(byToken.token == account.token)
            #expect(byToken.userId == account.userId)
        }
    }

    @Test func `logging out kills the token, for the other connections on it as well`() async throws {
        try await withServer { server in
            let here = try await connect(to: server, as: "ann")
            let token = try #require(here.user).token
            let there = try await connect(to: server)
            try await there.login(.token(token))
            let list = try await there.subscribe("projects", to: .project)

            try await here.logout()

            #expect(here.user == nil)
            try await eventually("the other connection is closed with 4002; it is \(there.state)") {
                if case .closed(.closed(4002, _)) = there.state { true } else { false }
            }
            #expect(list.error != nil)
            #expect(try await refusal { _ = try await here.login(.token(token)) }?.code == -32009)
            #expect(try await here.login(.nickname("ann")).token != token)
        }
    }

    @Test func `an account and its token outlive the server`() async throws {
        try await withServer { server in
            let before = try await connect(to: server, as: "ann")
            let account = try #require(before.user)
            server.kill()
            try await server.start()
            let after = try await connect(to: server)
            #expect(try await after.login(.token(account.token)).userId == account.userId)
        }
    }
}
