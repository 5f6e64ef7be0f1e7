import Testing
import Todo
import TodoClient
import TodoProtocol

@Suite("The client against the real server", .timeLimit(.minutes(2)))
struct TodoClientTests {
    private func client(_ server: LiveServer, _ name: String) async throws -> TodoClient {
        var options = ClientOptions()
        options.isStrict = true
        options.backoff = Backoff(firstMilliseconds: 20, mostMilliseconds: 200)
        let client = try await TodoClient.connect(server.url, options: options)
        try await client.login(.nickname(name))
        return client
    }

    private func project(_ client: TodoClient) async throws -> String {
        var id = ""
        try await client.write { id = $0.create(.project, ["name": "Garden", "access": "everyone-write"]) }
        return id
    }

    private func tasks(_ client: TodoClient, _ project: String) async throws -> LiveResults {
        let list = try await client.subscribe(
            "tasks", to: .item, filter: "projectId == $0", args: [.value(.string(project))], sort: ["position"])
        try await list.waitUntilComplete()
        return list
    }

    @Test("Two clients see each other's writes, and each its own before the write returns")
    func writes() async throws {
        let server = try LiveServer()
        let (ann, bob) = (try await client(server, "ann"), try await client(server, "bob"))
        let garden = try await project(ann)
        let (hers, his) = (try await tasks(ann, garden), try await tasks(bob, garden))

        var changes = his.changes.makeAsyncIterator()
        guard case .initial(let rows, _) = await changes.next() else { throw NoChange() }
        #expect(rows.isEmpty)
        var id = ""
        let created = try await ann.write { txn in
            id = txn.create(.item, ["projectId": .string(garden), "body": "Water the roses"])
            txn.create(.item, ["projectId": .string(garden), "body": "Paint the fence", "priority": 2])
        }
        #expect(created.ids == [id, hers.rows.last?.key])
        #expect(hers.rows.map { $0["body"] } == ["Water the roses", "Paint the fence"])
        guard case .update(let update) = await changes.next() else { throw NoChange() }
        #expect(update.insertions == [0, 1] && update.deletions.isEmpty && update.version == created.version)
        #expect(update.by == [ann.user?.userId])

        let moved = try await bob.write { $0.move(id, to: .end) }
        try await hers.wait(untilVersion: moved.version)
        #expect(hers.rows == his.rows)
        #expect(hers.rows.last?.key == id)
        guard case .update(let move) = await changes.next() else { throw NoChange() }
        #expect(move.moves == [LiveUpdate.Move(from: 0, to: 1)])

        let answer = try await ann.query(.item, filter: "projectId == $0", args: [.value(.string(garden))], sort: ["position"])
        #expect(answer.objects == hers.rows && answer.version == moved.version)
        await ann.close()
        await bob.close()
    }

    @Test("A refusal is a value with its code, word and place")
    func refusals() async throws {
        let server = try LiveServer()
        let ann = try await client(server, "ann")
        let missing = await #expect(throws: ClientError.self) { try await ann.write { $0.delete(.item, "nowhere") } }
        #expect(missing?.code == -32003)
        let syntax = await #expect(throws: ClientError.self) { try await ann.query(.item, filter: "body ==") }
        #expect(syntax?.code == -32602 && syntax?.path == "filter" && syntax?.reason != nil)
        let badName = await #expect(throws: ClientError.self) {
            try await ann.write { $0.create(.project, ["name": ""]) }
        }
        #expect(badName?.path == "changes[0].object.name")
        await ann.close()
        let ended = await #expect(throws: ClientError.self) { try await ann.info() }
        #expect(ended == .ended)
    }

    @Test("A cut connection is made again: log-in, list and an unanswered write go on")
    func reconnecting() async throws {
        let server = try LiveServer()
        let (ann, bob) = (try await client(server, "ann"), try await client(server, "bob"))
        let garden = try await project(ann)
        let (hers, his) = (try await tasks(ann, garden), try await tasks(bob, garden))
        var last: Int64 = 0
        for round in 0..<10 {
            try ann.dropConnection()
            // One writes while the other is away, and she herself without knowing that she is.
            let body = Value.string("round \(round)")
            async let first = bob.write { $0.create(.item, ["projectId": .string(garden), "body": body]) }
            async let second = ann.write { $0.create(.item, ["projectId": .string(garden), "body": body]) }
            last = max(try await first.version, try await second.version)
        }
        try await hers.wait(untilVersion: last)
        try await his.wait(untilVersion: last)
        #expect(hers.rows.count == 20)
        #expect(hers.rows == his.rows)
        #expect(ann.state == .open)
        await ann.close()
        await bob.close()
    }

    @Test("A server that was killed and came back finds its clients again, and nothing that was acknowledged is lost")
    func killed() async throws {
        let server = try LiveServer()
        let ann = try await client(server, "ann")
        let garden = try await project(ann)
        let list = try await tasks(ann, garden)
        try await ann.write { $0.create(.item, ["projectId": .string(garden), "body": "before"]) }
        server.kill()
        async let later = ann.write { $0.create(.item, ["projectId": .string(garden), "body": "after"]) }
        try server.restart()
        let result = try await later
        try await list.wait(untilVersion: result.version)
        #expect(list.rows.map { $0["body"] } == ["before", "after"])
        await ann.close()
    }

    @Test("A list ends with its subscription, with the log-out, and with the client")
    func endings() async throws {
        let server = try LiveServer()
        let ann = try await client(server, "ann")
        let garden = try await project(ann)
        let first = try await tasks(ann, garden)
        var changes = first.changes.makeAsyncIterator()
        _ = await changes.next()
        try await ann.unsubscribe("tasks")
        #expect(first.error == .ended)
        #expect(await changes.next() == nil)
        let second = try await tasks(ann, garden)
        #expect(second !== first)
        try await ann.logout()
        #expect(second.error == .ended && ann.user == nil)
        try await ann.login(.nickname("ann"))
        let third = try await tasks(ann, garden)
        await ann.close()
        #expect(third.error == .ended)
        #expect(ann.state == .closed(.ended))
    }

    @Test("The same name gives the same list; an update turns it into another")
    func update() async throws {
        let server = try LiveServer()
        let ann = try await client(server, "ann")
        let garden = try await project(ann)
        let list = try await tasks(ann, garden)
        #expect(try await tasks(ann, garden) === list)
        await #expect(throws: ClientError.self) { try await ann.subscribe("tasks", to: .item) }
        let other = try await ann.subscribe("tasks", to: .project, update: true)
        try await other.waitUntilComplete()
        #expect(other.rows.map(\.key) == [garden])
        #expect(list.error == .ended)
        await ann.close()
    }

    @Test("Nobody there is an error at once")
    func nobody() async throws {
        let error = await #expect(throws: ClientError.self) { try await TodoClient.connect("ws://127.0.0.1:1/sync") }
        guard case .cannotConnect = error else { throw NoChange() }
        await #expect(throws: ClientError.self) { try await TodoClient.connect("http://127.0.0.1:1/sync") }
    }
}

@Suite("Raw connections", .timeLimit(.minutes(1)))
struct RawConnectionTests {
    @Test("Any text goes out, every message comes in, and so does the close code")
    func messages() async throws {
        let server = try LiveServer()
        let raw = try await RawConnection.connect(server.url)
        #expect(raw.subprotocol == "todosync.v1")
        try raw.send("no JSON")
        #expect(try await raw.receive().contains("-32700"))
        try raw.send(#"{"jsonrpc":"2.0","id":"x","method":"info"}"#)
        #expect(try await raw.receive().contains(#""id":"x""#))
        let silence = await #expect(throws: ClientError.self) { try await raw.receive(withinMilliseconds: 50) }
        #expect(silence == .timedOut)
        try raw.send(binary: [1, 2, 3])
        #expect(try await raw.waitForClose().code == 1003)
    }

    @Test("Bytes that are no frame, and an upgrade that is refused")
    func refusals() async throws {
        let server = try LiveServer()
        let raw = try await RawConnection.connect(server.url)
        try raw.send(bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try await raw.waitForClose().code == 1002)
        let refused = await #expect(throws: ClientError.self) {
            try await RawConnection.connect(server.url, subprotocols: ["other.v9"])
        }
        guard case .refused(status: 400, _) = refused else { throw NoChange() }
        let wrongPath = await #expect(throws: ClientError.self) {
            try await RawConnection.connect(server.url.replacing("/sync", with: "/nowhere"))
        }
        guard case .refused = wrongPath else { throw NoChange() }
    }
}
