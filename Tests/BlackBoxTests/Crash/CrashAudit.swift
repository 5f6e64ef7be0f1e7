import Testing
import Todo
import TodoClient
import TodoProtocol

/// The whole store at one version, held against what its writers know.
struct CrashAudit {
    let version: Int64
    let items: [Object]
    let projects: [Object]

    /// Asks the server, while nobody writes.
    init(_ client: TodoClient) async throws {
        let first = try await client.query(.item)
        let second = try await client.query(.project)
        try #require(first.version == second.version, "nobody writes between the two queries")
        version = first.version
        items = first.objects
        projects = second.objects
    }

    /// The tasks of a writer by their bodies, which begin with its name.
    func tasks(of writer: CrashWriter) -> [String: CrashWriter.Task] {
        var tasks: [String: CrashWriter.Task] = [:]
        for item in items {
            guard let body = item["body"].string, body.hasPrefix("\(writer.name)-") else { continue }
            tasks[body] = CrashWriter.Task(
                id: item.key, projectId: item["projectId"].string ?? "", isDone: item["isDone"] == true,
                priority: item["priority"].integer ?? -1)
        }
        return tasks
    }

    /// Whether the transaction that the writer had under way has been applied. Records an issue where its tasks are as neither.
    func hasPending(of writer: CrashWriter) -> Bool {
        let found = tasks(of: writer)
        if Self.agree(found, writer.tasks) { return false }
        if let tasks = writer.tasksWithPending, Self.agree(found, tasks) { return true }
        Issue.record(
            """
            \(writer.name) was told of \(Self.sentence(writer.tasks))
            and had under way \(String(describing: writer.pending));
            the store has \(Self.sentence(found))
            """)
        return false
    }

    /// What must hold whoever wrote what.
    func checkConsistency() {
        let bodies = items.map { $0["body"].string ?? "" }
        #expect(Set(bodies).count == bodies.count, "a task is there twice")
        for project in projects {
            let own = items.filter { $0["projectId"].string == project.key }
            #expect(project["itemCount"] == .integer(Int64(own.count)), "itemCount of \(project.key)")
            #expect(project["openCount"] == .integer(Int64(own.count { $0["isDone"] == false })), "openCount of \(project.key)")
            #expect(Set(own.map { $0["position"] }).count == own.count, "two tasks of \(project.key) are in one place")
        }
        for item in items { #expect(item["isDone"].boolean == !item["completedAt"].isNull, "completedAt of \(item.key)") }
    }

    /// Equal, where the key of a task whose answer was lost may be any.
    private static func agree(_ found: [String: CrashWriter.Task], _ expected: [String: CrashWriter.Task]) -> Bool {
        guard found.count == expected.count else { return false }
        return found.allSatisfy { body, task in
            guard var other = expected[body] else { return false }
            other.id = other.id ?? task.id
            return task == other
        }
    }

    private static func sentence(_ tasks: [String: CrashWriter.Task]) -> String {
        tasks.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n  ")
    }
}
