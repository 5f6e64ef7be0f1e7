import TestSupport
import Synchronization
import Todo
import TodoClient
import TodoProtocol

/// Counts the acknowledged writes between two kills, and ends the writing.
final class CrashRound: Sendable {
    let acknowledged = Atomic(0)
    let isOver = Atomic(false)
}

/// Writes one transaction after the other, and knows what the store must hold of it: everything that was acknowledged, and the one transaction that
/// was under way either wholly or not at all.
struct CrashWriter: Sendable {
    /// What one of its tasks must be like. The key is the server's choice, so that a transaction applied twice would be two tasks.
    struct Task: Sendable, Equatable {
        var id: String?
        var projectId: String
        var isDone = false
        var priority: Int64 = 0
    }

    /// One transaction; none of them could be applied twice unnoticed.
    enum Step: Sendable {
        case add(body: String, projectId: String)
        case addPair(bodies: [String], projectIds: [String])
        case tick(body: String, id: String)
        case raise(body: String, id: String, from: Int64)
        case remove(body: String, id: String)
    }

    /// A transaction without an answer.
    struct Pending: Sendable {
        let txn: String
        let step: Step
    }

    let name: String
    let sharedProjectId: String
    /// By body, which is unique in the store.
    private(set) var tasks: [String: Task] = [:]
    private(set) var pending: Pending?
    /// The highest version that was acknowledged.
    private(set) var version: Int64 = 0
    private var count = 0
    private var random: SplitMix

    var ownProjectId: String { "own-\(name)" }

    init(_ name: String, sharedProjectId: String, seed: UInt64) {
        self.name = name
        self.sharedProjectId = sharedProjectId
        random = SplitMix(seed: seed)
    }

    /// Writes as fast as answers come, until the connection is lost or `isOver` says that this was the last.
    func writing(on client: TodoClient, in round: CrashRound) async throws(ClientError) -> CrashWriter {
        var writer = self
        while !round.isOver.load(ordering: .relaxed) {
            let pending = writer.choose()
            do throws(ClientError) {
                writer.settle(try await client.write(txn: pending.txn, Self.changes(of: pending.step)))
                round.acknowledged.add(1, ordering: .relaxed)
            } catch {
                // Only a lost connection is to be expected.
                guard case .closed = error else { throw error }
                break
            }
        }
        return writer
    }

    /// Sends the transaction that was under way once more, under its `txn`.
    mutating func resend(on client: TodoClient) async throws -> WriteResult? {
        guard let pending else { return nil }
        let result = try await client.write(txn: pending.txn, Self.changes(of: pending.step))
        settle(result)
        return result
    }

    /// The tasks as they are when the transaction under way has been applied; `nil` where there is none.
    var tasksWithPending: [String: Task]? {
        guard let pending else { return nil }
        var tasks = tasks
        Self.apply(pending.step, ids: [], to: &tasks)
        return tasks
    }

    private mutating func choose() -> Pending {
        count += 1
        let step: Step
        let known = tasks.keys.sorted()
        switch Int.random(in: 0..<(known.count > 30 ? 14 : 10), using: &random) {
        case 0..<2: step = .add(body: "\(name)-\(count)", projectId: ownProjectId)
        case 2..<4: step = .add(body: "\(name)-\(count)", projectId: sharedProjectId)
        case 4: step = .addPair(bodies: ["\(name)-\(count)", "\(name)-\(count)-too"], projectIds: [ownProjectId, sharedProjectId])
        case let choice:
            guard let body = known.randomElement(using: &random), let task = tasks[body], let id = task.id else {
                step = .add(body: "\(name)-\(count)", projectId: ownProjectId)
                break
            }
            switch choice {
            case 5...6 where !task.isDone:
                step = .tick(body: body, id: id)
            case 7...8 where task.priority < 3:
                step = .raise(body: body, id: id, from: task.priority)
            default: step = .remove(body: body, id: id)
            }
        }
        let pending = Pending(txn: "\(name)_\(count)", step: step)
        self.pending = pending
        return pending
    }

    private mutating func settle(_ result: WriteResult) {
        guard let pending else { return }
        version = max(version, result.version)
        Self.apply(pending.step, ids: result.ids, to: &tasks)
        self.pending = nil
    }

    private static func apply(_ step: Step, ids: [String?], to tasks: inout [String: Task]) {
        func id(_ place: Int) -> String? { place < ids.count ? ids[place] : nil }
        switch step {
        case .add(let body, let projectId): tasks[body] = Task(id: id(0), projectId: projectId)
        case .addPair(let bodies, let projectIds):
            for place in bodies.indices { tasks[bodies[place]] = Task(id: id(place), projectId: projectIds[place]) }
        case .tick(let body, _): tasks[body]?.isDone = true
        case .raise(let body, _, let priority): tasks[body]?.priority = priority + 1
        case .remove(let body, _): tasks[body] = nil
        }
    }

    private static func changes(of step: Step) -> [ChangeSpec] {
        var builder = WriteBuilder()
        func add(_ body: String, _ projectId: String) {
            builder.raw(#"{"create":"Item","object":{"projectId":"\#(projectId)","body":"\#(body)"}}"#)
        }
        switch step {
        case .add(let body, let projectId): add(body, projectId)
        case .addPair(let bodies, let projectIds): for place in bodies.indices { add(bodies[place], projectIds[place]) }
        case .tick(_, let id): builder.update(.item, id, set: ["isDone": true], if: ["isDone": false])
        case .raise(_, let id, let priority):
            builder.update(.item, id, set: ["priority": .integer(priority + 1)], if: ["priority": .integer(priority)])
        case .remove(_, let id): builder.delete(.item, id)
        }
        return builder.changes
    }
}
