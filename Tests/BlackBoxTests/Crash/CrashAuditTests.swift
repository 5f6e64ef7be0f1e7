import Synchronization
import Testing
import Todo
import TodoClient

/// Whether the crash test would notice what it looks for.
@Suite struct CrashAuditTests {
    @Test func `a lost write, a doubled one and one with another content are noticed`() async throws {
        try await withServer(.init(access: "everyone-write")) { server in
            let client = try await connect(to: server, as: "w0")
            try await client.makeProject("shared", name: "Shared")
            try await client.makeProject("own-w0", name: "Own")
            let written = try await write(CrashWriter("w0", sharedProjectId: "shared", seed: 1), on: client)
            let body = try #require(written.tasks.keys.sorted().first)
            let id = try #require(written.tasks[body]?.id)

            let right = try await CrashAudit(client)
            #expect(right.standing(of: written) == .asAcknowledged)
            #expect(right.contradictions == [])

            let priority = try #require(written.tasks[body]).priority
            try await client.write { $0.update(.item, id, set: ["priority": .integer(3 - priority)]) }
            let changed = try await CrashAudit(client)
            #expect(changed.standing(of: written) != .asAcknowledged)

            try await client.write { $0.delete(.item, id) }
            let lost = try await CrashAudit(client)
            #expect(lost.standing(of: written) != .asAcknowledged)

            for _ in 0..<2 { try await client.write { $0.create(.item, ["projectId": "shared", "body": .string(body)]) } }
            let doubled = try await CrashAudit(client)
            #expect(doubled.contradictions == ["2 tasks are '\(body)'"])
        }
    }

    private func write(_ writer: CrashWriter, on client: TodoClient) async throws -> CrashWriter {
        let round = CrashRound()
        let load = Task { try await writer.writing(on: client, in: round) }
        try await eventually("twenty writes are acknowledged") { round.acknowledged.load(ordering: .relaxed) >= 20 }
        round.isOver.store(true, ordering: .relaxed)
        return try await load.value
    }
}
