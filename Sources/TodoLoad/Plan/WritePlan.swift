import Todo
import TodoProtocol

/// One write of the load.
struct PlannedWrite {
    var session: Int
    var project: Int
    var changes: [ChangeSpec]
}

/// What is written, by whom, in which order, and what must be there afterwards. Follows from a seed.
///
/// Every write changes something, so that it has a version of its own and every session of the project gets to see it; and no write
/// depends on what another session does meanwhile, so that none may be refused.
struct WritePlan {
    /// So many tasks a project has before the load begins.
    static let tasksAtFirst = 20
    /// Below and beyond these many tasks, creating and deleting change places: lists keep a size that people have.
    private static let tasksMin = 10
    private static let tasksMax = 60

    /// Tells this run's objects from those of other runs on the same server.
    let run: String
    let sessions: Int
    let projects: Int
    /// What every project must hold.
    private(set) var tasks: [[PlannedTask]]
    private var random: SplitMix
    private var tasksMade = 0
    private var writes = 0

    init(run: String, sessions: Int, projects: Int, seed: UInt64) {
        self.run = run
        self.sessions = sessions
        self.projects = projects
        random = SplitMix(seed: seed)
        tasks = Array(repeating: [], count: projects)
        for project in 0..<projects {
            for number in 0..<Self.tasksAtFirst {
                let members = (sessions - project - 1) / projects + 1
                tasks[project].append(makeTask(owner: project + number % members * projects, project))
            }
        }
    }

    /// The project whose lists a session keeps.
    func project(of session: Int) -> Int { session % projects }

    func projectID(_ project: Int) -> String { "load-\(run)-\(project)" }

    /// What makes the projects, and the tasks that they have at first.
    func preparation() -> [ChangeSpec] {
        var changes: [ChangeSpec] = []
        for project in 0..<projects {
            changes.append(
                .create(
                    .project,
                    [
                        ("projectId", .string(projectID(project))), ("name", .string("Load test \(project + 1)")),
                        ("access", .string("everyone-write")),
                    ]))
            for task in tasks[project] { changes.append(creation(of: task, project)) }
        }
        return changes
    }

    /// The next write.
    mutating func next() -> PlannedWrite {
        writes += 1
        let project = self.project(of: random.below(sessions))
        let count = tasks[project].count
        switch random.below(100) {
        case ..<20: return count < Self.tasksMax ? create(project) : delete(project)
        case ..<40: return count > Self.tasksMin ? delete(project) : create(project)
        case ..<70: return tick(project)
        case ..<90: return edit(project)
        default: return move(project)
        }
    }

    private mutating func create(_ project: Int) -> PlannedWrite {
        let members = (sessions - project - 1) / projects + 1
        let task = makeTask(owner: project + random.below(members) * projects, project)
        tasks[project].append(task)
        return PlannedWrite(session: task.owner, project: project, changes: [creation(of: task, project)])
    }

    private mutating func delete(_ project: Int) -> PlannedWrite {
        let place = random.below(tasks[project].count)
        tasks[project].swapAt(place, tasks[project].count - 1)
        let task = tasks[project].removeLast()
        return PlannedWrite(session: task.owner, project: project, changes: [.delete(.item, id: task.id)])
    }

    private mutating func tick(_ project: Int) -> PlannedWrite {
        change(project) { task, _ in
            task.isDone.toggle()
            return [.update(.item, id: task.id, set: [("isDone", .boolean(task.isDone))])]
        }
    }

    private mutating func edit(_ project: Int) -> PlannedWrite {
        let body = sentence()
        return change(project) { task, _ in
            task.body = body
            return [.update(.item, id: task.id, set: [("body", .string(body))])]
        }
    }

    /// A task goes to the top or the bottom and gets another priority: where it stands there already, the move alone would change nothing.
    private mutating func move(_ project: Int) -> PlannedWrite {
        change(project) { task, random in
            task.priority = (task.priority + 1) % 4
            let place: Place = random.below(2) == 0 ? .start : .end
            return [
                .move(id: task.id, to: place), .update(.item, id: task.id, set: [("priority", .integer(task.priority))]),
            ]
        }
    }

    private mutating func change(_ project: Int, _ body: (inout PlannedTask, inout SplitMix) -> [ChangeSpec]) -> PlannedWrite {
        let place = random.below(tasks[project].count)
        let changes = body(&tasks[project][place], &random)
        return PlannedWrite(session: tasks[project][place].owner, project: project, changes: changes)
    }

    private mutating func makeTask(owner: Int, _ project: Int) -> PlannedTask {
        tasksMade += 1
        return PlannedTask(id: "load-\(run)-t\(tasksMade)", owner: owner, body: sentence())
    }

    private func creation(of task: PlannedTask, _ project: Int) -> ChangeSpec {
        .create(
            .item, [("itemId", .string(task.id)), ("projectId", .string(projectID(project))), ("body", .string(task.body))])
    }

    private static let verbs = [
        "Buy", "Call", "Write to", "Fix", "Clean", "Plan", "Ask about", "Return", "Order", "Water", "Paint", "Book",
    ]
    private static let things = [
        "the garden fence", "milk and eggs", "the dentist", "Grandmother", "a birthday present", "the bicycle", "train tickets",
        "the tax office", "tomatoes", "the landlord", "a new lamp", "the school trip", "Käthe’s books", "the heating",
    ]

    /// What people write, with a number that tells it from what was there before.
    private mutating func sentence() -> String {
        let verb = Self.verbs[random.below(Self.verbs.count)]
        let thing = Self.things[random.below(Self.things.count)]
        return "\(verb) \(thing) (\(writes + tasksMade))"
    }
}
