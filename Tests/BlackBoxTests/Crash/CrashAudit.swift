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

    /// How the store stands to what a writer knows.
    enum Standing: Equatable {
        /// It holds all that was acknowledged, and nothing of the transaction under way.
        case asAcknowledged
        /// It holds the transaction under way as well.
        case withPending
        /// It holds something else.
        case wrong(String)
    }

    /// How the tasks of a writer stand.
    func standing(of writer: CrashWriter) -> Standing {
        let found = tasks(of: writer)
        if Self.agree(found, writer.tasks) { return .asAcknowledged }
        if let tasks = writer.tasksWithPending, Self.agree(found, tasks) { return .withPending }
        return .wrong(
            """
            \(writer.name) was told of \(Self.sentence(writer.tasks))
            and had under way \(String(describing: writer.pending));
            the store has \(Self.sentence(found))
            """)
    }

    /// What contradicts itself in the store, whoever wrote what.
    var contradictions: [String] {
        var found: [String] = []
        let bodies = items.map { $0["body"].string ?? "" }
        let copies = Dictionary(grouping: bodies, by: { $0 }).mapValues(\.count)
        for (body, count) in copies where count > 1 { found.append("\(count) tasks are '\(body)'") }
        for project in projects {
            let own = items.filter { $0["projectId"].string == project.key }
            let open = own.count { $0["isDone"] == false }
            if project["itemCount"] != .integer(Int64(own.count)) {
                found.append("itemCount of \(project.key) is \(project["itemCount"]), and there are \(own.count)")
            }
            if project["openCount"] != .integer(Int64(open)) {
                found.append("openCount of \(project.key) is \(project["openCount"]), and there are \(open)")
            }
            if Set(own.map { $0["position"] }).count != own.count { found.append("two tasks of \(project.key) are in one place") }
        }
        for item in items where item["isDone"].boolean == item["completedAt"].isNull {
            found.append("isDone and completedAt of \(item.key) differ")
        }
        return found
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
