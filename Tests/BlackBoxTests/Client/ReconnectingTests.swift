import Testing
import Todo
import TodoClient
import TodoProtocol

/// Connections that break, and what is left of them.
@Suite struct ReconnectingTests {
    @Test func `a list whose connection broke goes on from where it was, without being sent anew`() async throws {
        try await withServer(.init(access: "everyone-write")) { server in
            let ann = try await connect(to: server, as: "ann")
            let bob = try await connect(to: server, as: "bob")
            try await ann.makeProject("garden", name: "Garden", tasks: ["beans", "peas"])
            let his = try await bob.tasks(of: "garden")
            var changes = his.changes.makeAsyncIterator()
            _ = await changes.next()

            try bob.dropConnection()
            try await ann.write { transaction in
                transaction.delete(.item, "beans")
                transaction.addTask("weed", to: "garden")
            }
            try await his.wait(for: ["peas", "weed"])

            // Empty where the connection was back before the write, or the write was sent before the break was noticed.
            while true {
                let update = try await changes.nextUpdate()
                if update.rows.map({ $0.key }) == ["peas", "weed"] { break }
            }
            #expect(bob.user?.name == "bob")
        }
    }

    @Test func `writes that a broken connection left unanswered are applied once`() async throws {
        try await withServer { server in
            let ann = try await connect(to: server, as: "ann")
            try await ann.makeProject("garden", name: "Garden")
            let tasks = try await ann.tasks(of: "garden")
            for round in 0..<5 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<10 {
                        group.addTask {
                            // The server chooses the id, so a second application would be a second task.
                            let entry = #"{"create":"Item","object":{"projectId":"garden","body":"\#(round)-\#(number)"}}"#
                            try await ann.write { $0.raw(entry) }
                        }
                        if number == round * 2 { try ann.dropConnection() }
                    }
                    try await group.waitForAll()
                }
            }
            try await eventually("the list is complete again") { tasks.isComplete }
            let expected = (0..<5).flatMap { round in (0..<10).map { "\(round)-\($0)" } }.sorted()
            #expect(tasks.texts.sorted() == expected)
            #expect(try await ann.query(.item, sort: ["position"]).objects == tasks.rows)
        }
    }

    @Test func `the same txn answers with its first result, on another connection too`() async throws {
        try await withServer { server in
            let ann = try await connect(to: server, as: "ann")
            let entry = #"{"create":"Project","object":{"name":"Garden"}}"#
            let first = try await ann.write(txn: "plant-1") { $0.raw(entry) }
            let elsewhere = try await connect(to: server, as: "ann")
            let second = try await elsewhere.write(txn: "plant-1") { $0.raw(entry) }
            #expect(!first.isDuplicate && second.isDuplicate)
            #expect(second.version == first.version && second.ids == first.ids)
            #expect(try await ann.query(.project).objects.map { $0.key } == first.ids)
        }
    }

    @Test func `a server that stops closes in order, and clients come back when it does`() async throws {
        try await withServer(.init(access: "everyone-write")) { server in
            let ann = try await connect(to: server, as: "ann")
            let raw = try await RawConnection.connect(server.url)
            try await ann.makeProject("garden", name: "Garden", tasks: ["beans"])
            let tasks = try await ann.tasks(of: "garden")

            #expect(try await server.stop() == .exit(0))
            #expect(try await raw.waitForClose().code == 1001)
            try await server.start()

            try await eventually("the client is back; it is \(ann.state)") { ann.state == .open }
            try await ann.write { $0.addTask("peas", to: "garden") }
            try await tasks.wait(for: ["beans", "peas"])
        }
    }

    @Test func `a list of thousands of rows arrives whole while others write into it`() async throws {
        try await withServer(.init(access: "everyone-write")) { server in
            let ann = try await connect(to: server, as: "ann")
            try await ann.makeProject("long", name: "Long")
            for part in 0..<2 {
                try await ann.write { transaction in
                    for number in 0..<600 { transaction.addTask("task-\(part)-\(number)", to: "long") }
                }
            }
            let bob = try await connect(to: server, as: "bob")
            async let arrived = bob.tasks(of: "long")
            for number in stride(from: 0, to: 600, by: 100) {
                try await ann.write { transaction in
                    transaction.move("task-0-\(number)", to: .start)
                    transaction.delete(.item, "task-1-\(number)")
                }
            }
            let his = try await arrived
            let truth = try await ann.query(.item, sort: ["position"]).objects
            #expect(truth.count == 1_194)
            try await eventually("both have the same rows") { his.rows == truth }
        }
    }
}
