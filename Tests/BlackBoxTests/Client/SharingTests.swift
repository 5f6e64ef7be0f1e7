import Testing
import Todo
import TodoClient
import TodoProtocol

/// What two people see of each other.
@Suite struct SharingTests {
    @Test func `two clients see each other's changes, each as the rows that changed`() async throws {
        try await withServer(.init(access: "everyone-write")) { server in
            let ann = try await connect(to: server, as: "ann")
            let bob = try await connect(to: server, as: "bob")
            try await ann.makeProject("garden", name: "Garden", tasks: ["beans", "peas", "water"])
            let hers = try await ann.tasks(of: "garden")
            let his = try await bob.tasks(of: "garden")
            var changes = his.changes.makeAsyncIterator()
            guard case .initial(let rows, _)? = await changes.next() else { throw StillNotSo(description: "an initial list") }
            #expect(rows.map { $0.key } == ["beans", "peas", "water"])

            try await ann.write { $0.update(.item, "peas", set: ["isDone": true]) }
            let tick = try await changes.nextUpdate()
            #expect(tick.modifications == [1] && tick.deletions == [] && tick.insertions == [] && tick.by == [ann.userId])
            #expect(tick.rows[1]["isDone"] == true && !tick.rows[1]["completedAt"].isNull)

            try await ann.write { $0.move("water", to: .start) }
            let move = try await changes.nextUpdate()
            #expect(move.moves.map { [$0.from, $0.to] } == [[2, 0]])

            try await bob.write { transaction in
                transaction.delete(.item, "beans")
                transaction.addTask("weed", to: "garden")
            }
            try await hers.wait(for: ["water", "peas", "weed"])
            #expect(his.texts == ["water", "peas", "weed"])
            #expect(his.rows == hers.rows)
            let counts = try await ann.query(.project).objects
            #expect(counts.map { $0["itemCount"] } == [3] && counts.map { $0["openCount"] } == [2])
        }
    }

    @Test func `a right that is given shows the project, and taken away it takes the rows along`() async throws {
        try await withServer { server in
            let ann = try await connect(to: server, as: "ann")
            let bob = try await connect(to: server, as: "bob")
            try await ann.makeProject("diary", name: "Diary", tasks: ["secret"])
            let projects = try await bob.subscribe("projects", to: .project)
            try await projects.waitUntilComplete()
            let tasks = try await bob.tasks(of: "diary")
            #expect(projects.rows.isEmpty && tasks.rows.isEmpty)

            try await ann.write { $0.give("viewer", in: "diary", to: bob.userId) }
            try await tasks.wait(for: ["secret"])
            #expect(projects.names == ["Diary"])
            #expect(try await refusal { try await bob.write { $0.delete(.item, "secret") } }?.code == -32002)

            try await ann.write { $0.update(.permission, "diary:\(bob.userId)", set: ["role": "editor"]) }
            try await bob.write { $0.addTask("answer", to: "diary") }
            #expect(tasks.texts == ["secret", "answer"])

            try await ann.write { $0.delete(.permission, "diary:\(bob.userId)") }
            try await tasks.wait(for: [])
            #expect(projects.rows.isEmpty && projects.error == nil && tasks.error == nil)
            #expect(try await refusal { try await bob.write { $0.delete(.item, "secret") } }?.code == -32003)
            try await ann.write { $0.give("viewer", in: "diary", to: bob.userId) }
            try await tasks.wait(for: ["secret", "answer"])
        }
    }

    @Test func `a deleted project is gone for everyone, with its tasks`() async throws {
        try await withServer(.init(access: "everyone-read")) { server in
            let ann = try await connect(to: server, as: "ann")
            let bob = try await connect(to: server, as: "bob")
            try await ann.makeProject("trip", name: "Trip", tasks: ["tickets", "bags"])
            try await ann.makeProject("home", name: "Home", tasks: ["sweep"])
            let projects = try await bob.subscribe("projects", to: .project)
            try await projects.waitUntilComplete()
            let tasks = try await bob.subscribe("tasks", to: .item, sort: ["body"])
            try await tasks.waitUntilComplete()
            #expect(tasks.texts == ["bags", "sweep", "tickets"])

            try await ann.write { $0.delete(.project, "trip") }

            try await tasks.wait(for: ["sweep"])
            #expect(projects.names == ["Home"])
        }
    }

    @Test func `a transaction with one wrong entry leaves nothing`() async throws {
        try await withServer { server in
            let ann = try await connect(to: server, as: "ann")
            try await ann.makeProject("garden", name: "Garden", tasks: ["beans"])
            let before = try await ann.query(.item)
            let error = try await refusal {
                try await ann.write { transaction in
                    transaction.addTask("peas", to: "garden")
                    transaction.delete(.item, "beans", if: ["isDone": true])
                }
            }
            #expect(error?.code == -32004)
            let after = try await ann.query(.item)
            #expect(after.objects == before.objects && after.version == before.version)
        }
    }

    @Test func `the demonstration shows its sample data to anybody with a nickname`() async throws {
        try await withServer(.init(isDemo: true)) { server in
            let guest = try await connect(to: server, as: "guest")
            let projects = try await guest.subscribe("projects", to: .project, sort: ["-timestamp", "name"])
            try await projects.waitUntilComplete()
            #expect(projects.rows.count == 3)
            let tasks = try await guest.query(.item).objects
            #expect(projects.rows.reduce(0) { $0 + ($1["itemCount"].integer ?? 0) } == Int64(tasks.count))
            let task = try #require(tasks.first { $0["isDone"] == false })
            try await guest.write { $0.update(.item, task.key, set: ["isDone": true]) }
            #expect(try await server.stop() == .exit(0))
        }
    }
}

extension LiveChanges.Iterator {
    /// The next change, which must be one of some rows.
    mutating func nextUpdate() async throws -> LiveUpdate {
        switch await next() {
        case .update(let update)?: return update
        case let other: throw StillNotSo(description: "some rows change; instead came \(String(describing: other))")
        }
    }
}
