import Testing
import Todo
import TodoProtocol

@testable import TodoLoad

@Suite("The plan of what is written")
struct WritePlanTests {
    @Test("The same seed gives the same writes, another seed others")
    func seeded() {
        func writes(_ seed: UInt64) -> [String] {
            var plan = WritePlan(run: "r", sessions: 7, projects: 3, seed: seed)
            return (0..<200).map { _ in "\(plan.next())" }
        }
        #expect(writes(1) == writes(1))
        #expect(writes(1) != writes(2))
    }

    @Test("Every write changes something that is there, by the session that owns it", arguments: [(1, 1), (7, 3), (200, 20), (30, 30)])
    func effective(sessions: Int, projects: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("write plan: seed \(seed)")
        var plan = WritePlan(run: "r", sessions: sessions, projects: projects, seed: seed)
        var owners: [String: Int] = [:]
        var state: [String: (body: Value, isDone: Value, priority: Value)] = [:]
        for task in plan.tasks.joined() {
            owners[task.id] = task.owner
            state[task.id] = (.string(task.body), .boolean(task.isDone), .integer(task.priority))
        }
        var kinds: Set<String> = []
        for _ in 0..<3_000 {
            let write = plan.next()
            #expect(plan.project(of: write.session) == write.project)
            var isEffective = false
            for change in write.changes {
                switch change {
                case .create(.item, let fields):
                    let id = try #require(fields.first { $0.name == "itemId" }?.value.string)
                    #expect(owners.updateValue(write.session, forKey: id) == nil)
                    state[id] = (fields.first { $0.name == "body" }?.value ?? .null, .boolean(false), .integer(0))
                    isEffective = true
                    kinds.insert("create")
                case .delete(.item, let id, _):
                    #expect(owners.removeValue(forKey: id) == write.session)
                    isEffective = true
                    kinds.insert("delete")
                case .update(.item, let id, let set, _):
                    #expect(owners[id] == write.session)
                    var row = try #require(state[id])
                    for (name, value) in set {
                        kinds.insert(name)
                        switch name {
                        case "body": (isEffective, row.body) = (row.body != value, value)
                        case "isDone": (isEffective, row.isDone) = (row.isDone != value, value)
                        default: (isEffective, row.priority) = (row.priority != value, value)
                        }
                    }
                    state[id] = row
                case .move(let id, _):
                    #expect(owners[id] == write.session)
                    kinds.insert("move")
                default: Issue.record("an entry of an unexpected kind: \(change)")
                }
            }
            #expect(isEffective)
        }
        #expect(kinds == ["create", "delete", "body", "isDone", "priority", "move"])
        #expect(plan.tasks.joined().count == owners.count)
        for task in plan.tasks.joined() {
            let row = try #require(state[task.id])
            #expect(row.body == .string(task.body) && row.isDone == .boolean(task.isDone) && row.priority == .integer(task.priority))
        }
        #expect(plan.tasks.allSatisfy { (9...61).contains($0.count) })
    }

    @Test(
        "Before the load every project is there for everyone, with tasks of sessions that keep its lists",
        arguments: [(1, 1), (5, 3), (9, 9)])
    func preparation(sessions: Int, projects: Int) {
        let plan = WritePlan(run: "r", sessions: sessions, projects: projects, seed: 1)
        #expect(plan.preparation().count == projects * (1 + WritePlan.tasksAtFirst))
        for project in 0..<projects {
            #expect(plan.tasks[project].allSatisfy { $0.owner < sessions && plan.project(of: $0.owner) == project })
        }
    }
}

@Suite("Where two lists differ")
struct ListComparisonTests {
    private func user(_ id: String, _ name: String) -> Object {
        Object(.user, [.string(id), .string(name), .boolean(false)])
    }

    @Test("The first difference is named")
    func differences() {
        let (ann, bob) = (user("a", "Ann"), user("b", "Bob"))
        #expect(ListComparison.firstDifference([ann, bob], [ann, bob]) == nil)
        #expect(ListComparison.firstDifference([ann], [ann, bob])?.contains("1 rows, but 2") == true)
        #expect(ListComparison.firstDifference([bob, ann], [ann, bob])?.contains("row 0 is b, but a") == true)
        #expect(ListComparison.firstDifference([user("a", "Anna")], [ann])?.contains("name of row 0") == true)
    }
}
