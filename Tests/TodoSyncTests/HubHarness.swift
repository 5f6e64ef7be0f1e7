import Bytes
import Crypto
import Foundation
import Testing
import Todo
import TodoProtocol
import TodoStore
import TodoSync

/// Jobs run when the harness says so, in the order in which they came: nothing is left to chance.
final class HeldJobs: JobRunner, @unchecked Sendable {
    // The harness and the hub live on one thread; the protocol asks for Sendable because the server's pool has several.
    private(set) var waiting: [@Sendable () -> Finished] = []

    func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished) {
        waiting.append(job)
    }

    func takeFirst() -> (@Sendable () -> Finished)? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
}

/// Lines of a log, kept.
final class LogLines: @unchecked Sendable {
    // The harness and the hub live on one thread; a log may be written from several.
    private(set) var all: [String] = []

    func append(_ line: String) { all.append(line) }

    /// The audit lines of that event, read as JSON.
    func audits(_ event: String) -> [[String: String]] {
        all.filter { $0.hasPrefix("audit ") }.compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8)) as? [String: String]
            return object?["event"] == event ? object : nil
        }
    }
}

/// A hub with its store, a clock that is set by hand, and clients that speak JSON to it; all in one thread.
final class HubHarness {
    let store: SQLiteStore
    let hub: Hub
    let jobs = HeldJobs()
    /// What was logged, at any level.
    let lines = LogLines()
    var moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)
    private var clients: [UInt64: HubClient] = [:]
    private var lastConnection: UInt64 = 0

    init(providers: [Provider] = [.nickname, .password], access: Access = .private, change: (inout SyncSettings) -> Void = { _ in }) throws
    {
        store = try SQLiteStore.temporary()
        var settings = SyncSettings(server: "test", providers: providers, accessOfNewProjects: access)
        settings.passwordCost = try #require(PasswordHash.Cost(logN: 2, blockSize: 1, parallelism: 1))
        change(&settings)
        // Nothing in these tests lets the store fail: an error that is logged is a fault that was swallowed.
        let lines = lines
        let log = Log(level: .debug) { level, line in
            if level == .error { Issue.record("logged: \(line)") }
            lines.append(line)
        }
        hub = Hub(store: store, settings: settings, loops: 2, jobs: jobs, log: log, moment: moment)
    }

    deinit { store.close() }

    func connect(from address: String = "test", userAgent: String? = nil) -> HubClient {
        lastConnection += 1
        let client = HubClient(SessionID(loop: Int(lastConnection % 2), connection: lastConnection), self)
        clients[lastConnection] = client
        process([.opened(client.id, Peer(address: address, userAgent: userAgent))])
        return client
    }

    /// A client that is logged in under that nickname.
    func login(_ nickname: String) throws -> HubClient {
        let client = connect()
        let result = try client.call("login", ["provider": "nickname", "nickname": nickname])
        client.userId = (result["user"] as? [String: Any])?["userId"] as? String ?? ""
        client.token = result["token"] as? String ?? ""
        return client
    }

    /// A client that is logged in as an admin of that name, by token: no method of the protocol makes an admin of anybody, and no nickname lets
    /// one in.
    func loginAsAdmin(_ nickname: String) throws -> HubClient {
        let first = try login(nickname)
        let userId = first.userId
        _ = first.leave()
        let user = try #require(try store.object(.user, userId))
        var admin = user
        admin[UserField.isAdmin] = .boolean(true)
        try store.begin()
        try store.update(admin, from: user)
        try store.append(
            LogEntry(
                version: store.nextVersion, at: moment.wall, by: nil, changes: [Change(.user, key: userId, before: user, after: admin)]))
        try store.commit()
        let client = connect()
        try client.call("login", ["provider": "token", "token": first.token])
        client.userId = userId
        client.token = first.token
        return client
    }

    /// Gives the inputs to the hub at once, hands the deliveries to their clients after each turn, and goes on until nothing is left to do.
    func process(_ inputs: [Input], runJobs: Bool = true) {
        takeTurns(inputs)
        while runJobs, let job = jobs.takeFirst() { takeTurns([.finished(job())]) }
    }

    private func takeTurns(_ inputs: [Input]) {
        turn(inputs)
        while hub.hasWork { turn([]) }
    }

    /// One turn only.
    func turn(_ inputs: [Input]) {
        hub.process(inputs, at: moment)
        handOut()
    }

    func tick() {
        hub.tick(at: moment)
        handOut()
        while hub.hasWork { turn([]) }
    }

    private func handOut() {
        var drained: [Input] = []
        for loop in 0..<2 {
            for delivery in hub.takeDeliveries(loop: loop) {
                switch delivery {
                case .broadcast(let message, let connections):
                    for connection in connections { clients[connection]?.take(message) }
                case .message(let message, let connection, let reportsDrained, _):
                    guard let client = clients[connection] else { continue }
                    client.take(message)
                    if reportsDrained {
                        if client.isStalled { client.owedDrained += 1 } else { drained.append(.drained(client.id)) }
                    }
                case .framed: preconditionFailure("no job frames anything here")
                case .worked(let connection, let report): clients[connection]?.reports.append(report)
                case .watch(let connection): clients[connection]?.isWatched = true
                case .close(let connection, let code, _):
                    clients[connection]?.closeCode = code
                    clients[connection] = nil
                }
            }
        }
        if !drained.isEmpty { turn(drained) }
    }
}
