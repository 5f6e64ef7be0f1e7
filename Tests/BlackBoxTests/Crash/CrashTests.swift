import Foundation
import Synchronization
import TestSupport
import Testing
import Todo
import TodoClient
import TodoProtocol

/// `kill -9` at random moments of a load. `TODO_SEED` replays the writers' choices; the moments differ.
@Suite struct CrashTests {
    private let kills = 9
    private let sharedProjectId = "shared"

    @Test func `no acknowledged write is lost, doubled or half there when the server is killed under load`() async throws {
        var random = SplitMix.fromEnvironment()
        print("The crash test runs with TODO_SEED=\(random.seed)")
        try await withServer(.init(access: "everyone-read")) { server in
            try await run(server, &random)
        }
    }

    private func run(_ server: ServerProcess, _ random: inout SplitMix) async throws {
        // These lose their connection with the server, and ask what has become of what they had under way.
        var writers = (0..<6).map { CrashWriter("w\($0)", sharedProjectId: sharedProjectId, seed: random.next()) }
        // These don't notice: their client comes back and sends it again.
        var steadfast = (0..<2).map { CrashWriter("s\($0)", sharedProjectId: sharedProjectId, seed: random.next()) }
        let steadfastClients = try await prepare(server, writers + steadfast)
        let watcher = try await connect(to: server, as: "watcher")
        let items = try await watcher.subscribe("items", to: .item, sort: ["projectId", "position"])
        let projects = try await watcher.subscribe("projects", to: .project)
        let epoch = try await watcher.info().epoch
        var total = 0
        var resent = (applied: 0, lost: 0)
        var lastVersion: Int64 = 0

        for number in 1...kills {
            let round = CrashRound()
            let clients = try await Self.open(writers, to: server.url)
            let load = Task { [writers] in try await Self.write(clients, writers, round) }
            let steadfastLoad = Task { [steadfast] in try await Self.write(steadfastClients, steadfast, round) }
            let wanted = Int.random(in: 20...120, using: &random)
            try await eventually("\(wanted) writes of round \(number) are acknowledged", seconds: 60) {
                round.acknowledged.load(ordering: .relaxed) >= wanted
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000, using: &random)))
            server.kill()
            round.isOver.store(true, ordering: .relaxed)
            writers = try await load.value
            total += round.acknowledged.load(ordering: .relaxed)
            if Bool.random(using: &random) {
                // Killed again while it starts, which may be before or after it has opened the store.
                try server.launch()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
                server.kill()
            }
            try await server.start()
            steadfast = try await steadfastLoad.value

            let auditor = try await connect(to: server, as: "auditor")
            #expect(try await auditor.info().epoch == epoch)
            let audit = try await CrashAudit(auditor)
            #expect(audit.contradictions == [])
            let acknowledged = (writers + steadfast).map(\.version).max() ?? 0
            #expect(audit.version >= max(acknowledged, lastVersion), "the store has gone back")
            for writer in steadfast { #expect(audit.standing(of: writer) == .asAcknowledged) }
            try await settle(&writers, audit, server, &resent)
            lastVersion = audit.version
        }

        let audit = try await CrashAudit(watcher)
        #expect(audit.contradictions == [])
        for writer in writers + steadfast { #expect(audit.standing(of: writer) == .asAcknowledged) }
        let inOrder = try await watcher.query(.item, sort: ["projectId", "position"]).objects
        try await eventually("the list that lived through it is as the store") {
            items.rows == inOrder && projects.rows == audit.projects
        }
        #expect(items.error == nil && projects.error == nil)
        #expect(try await server.stop() == .exit(0))
        print("\(kills) kills, \(total) writes acknowledged; of those under way \(resent.applied) had been applied, \(resent.lost) not")
    }

    /// Makes the projects and the accounts, and the clients of those who keep theirs.
    private func prepare(_ server: ServerProcess, _ writers: [CrashWriter]) async throws -> [TodoClient] {
        var clients: [TodoClient] = []
        for writer in writers {
            let client = try await connect(to: server, as: writer.name)
            if writer.name == writers.first?.name {
                try await client.makeProject(sharedProjectId, name: "Shared", access: "everyone-write")
            }
            try await client.makeProject(writer.ownProjectId, name: writer.name)
            if writer.name.hasPrefix("s") { clients.append(client) }
        }
        return clients
    }

    /// Sends again what was under way: applied exactly once in total, whatever had become of it.
    private func settle(
        _ writers: inout [CrashWriter], _ audit: CrashAudit, _ server: ServerProcess, _ resent: inout (applied: Int, lost: Int)
    ) async throws {
        for index in writers.indices {
            let standing = audit.standing(of: writers[index])
            if case .wrong(let sentence) = standing { Issue.record("\(sentence)") }
            let wasApplied = standing == .withPending
            let client = try await connect(to: server, as: writers[index].name)
            guard let result = try await writers[index].resend(on: client) else { continue }
            #expect(result.isDuplicate == wasApplied)
            if wasApplied {
                resent.applied += 1
                let found = audit.tasks(of: writers[index]).mapValues(\.id)
                #expect(found == writers[index].tasks.mapValues(\.id), "the first result is not the one that was applied")
                #expect(result.version <= audit.version)
            } else {
                resent.lost += 1
                #expect(result.version > audit.version)
            }
            await client.close()
        }
    }

    /// Connections that end with the server.
    private static func open(_ writers: [CrashWriter], to url: String) async throws -> [TodoClient] {
        var options = ClientOptions()
        options.reconnects = false
        var clients: [TodoClient] = []
        for writer in writers {
            let client = try await TodoClient.connect(url, options: options)
            try await client.login(.nickname(writer.name))
            // A list of its own, so that results wait for changes as they do in use.
            _ = try await client.subscribe("shared", to: .item, filter: "projectId == 'shared'", sort: ["position"])
            clients.append(client)
        }
        return clients
    }

    private static func write(_ clients: [TodoClient], _ writers: [CrashWriter], _ round: CrashRound) async throws -> [CrashWriter] {
        try await withThrowingTaskGroup(of: (Int, CrashWriter).self) { group in
            for (index, writer) in writers.enumerated() {
                group.addTask { [client = clients[index]] in
                    (index, try await writer.writing(on: client, in: round))
                }
            }
            var written = writers
            for try await (index, writer) in group { written[index] = writer }
            return written
        }
    }
}
