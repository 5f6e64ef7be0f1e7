import Todo
import TodoStore

/// A little content for the demonstration, so that the first look at the page shows what it does.
enum SampleData {
    private struct Task {
        let body: String
        var isDone = false
        var priority: Int64 = 0
        var dueInDays: Int64?
        var notes = ""
    }

    private static let projects: [(name: String, tasks: [Task])] = [
        (
            "Weekend at the lake",
            [
                Task(body: "Book the cabin", isDone: true),
                Task(body: "Ask Noor whether the boat is free", priority: 2),
                Task(body: "Check the weather", dueInDays: 3),
                Task(body: "Pack the lanterns", notes: "The box under the stairs; take spare batteries."),
            ]
        ),
        (
            "Groceries",
            [
                Task(body: "Oat milk"), Task(body: "Coffee beans", priority: 1), Task(body: "Crème fraîche"),
                Task(body: "Bread", isDone: true),
            ]
        ),
        (
            "Open this page twice",
            [
                Task(body: "Put two windows side by side"),
                Task(body: "Tick a task in one and watch the other", priority: 3),
                Task(body: "Drag a task, or move it with Alt and an arrow key"),
                Task(body: "Stop the server, change something, start it again", notes: "What you did meanwhile is sent when it is back."),
            ]
        ),
    ]

    /// Writes the sample projects, owned by a user named Sam, in one transaction.
    static func write(into store: some Store, access: Access, now: Timestamp) throws {
        var last = 0
        func makeId() -> String {
            last += 1
            return "sample-\(last)"
        }
        let user = Object(.user, [.string("sam"), .string("Sam"), .boolean(false)])
        let settings = TransactionSettings(
            caller: Caller(userId: user.key, isAdmin: false), now: now, accessOfNewProjects: access, objectsMax: 1000, searchBytesMax: 0)
        try store.begin()
        do {
            _ = try store.claimName("sam", user: user.key)
            try store.insert(user)
            var run = TransactionRun(store: store, settings: settings, makeId: makeId)
            for project in projects.reversed() { try write(project.name, project.tasks, now, &run) }
            let created = Change(.user, key: user.key, before: nil, after: user)
            try store.append(LogEntry(version: store.nextVersion, at: now, by: user.key, changes: [created] + run.changes))
            try store.commit()
        } catch {
            store.rollback()
            throw error
        }
    }

    private static func write(_ name: String, _ tasks: [Task], _ now: Timestamp, _ run: inout TransactionRun<some Store>) throws {
        guard let projectId = try run.apply([.create(.project, values: [(place(.project, "name"), .string(name))])])[0] else { return }
        _ = try run.apply(
            tasks.map { task in
                var values: FieldValues = [
                    (place(.item, "projectId"), .string(projectId)), (place(.item, "body"), .string(task.body)),
                    (place(.item, "isDone"), .boolean(task.isDone)), (place(.item, "priority"), .integer(task.priority)),
                    (place(.item, "notes"), .string(task.notes)),
                ]
                if let days = task.dueInDays {
                    values.append((place(.item, "dueDate"), .date(Timestamp(milliseconds: now.milliseconds + days * 86_400_000))))
                }
                return .create(.item, values: values)
            })
    }

    private static func place(_ className: ClassName, _ field: String) -> Int {
        guard let place = className.schema.place(of: field) else { preconditionFailure("\(className.name) has no field \(field)") }
        return place
    }
}
