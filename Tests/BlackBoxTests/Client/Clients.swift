import Todo
import TodoClient
import TodoProtocol

/// A client that is held to every rule of the protocol and comes back quickly.
func connect(to server: ServerProcess, reconnects: Bool = true) async throws -> TodoClient {
    var options = ClientOptions()
    options.isStrict = true
    options.reconnects = reconnects
    options.backoff = Backoff(firstMilliseconds: 20, mostMilliseconds: 200)
    return try await TodoClient.connect(server.url, options: options)
}

/// A client that is logged in by that nickname.
func connect(to server: ServerProcess, as nickname: String, reconnects: Bool = true) async throws -> TodoClient {
    let client = try await connect(to: server, reconnects: reconnects)
    try await client.login(.nickname(nickname))
    return client
}

extension TodoClient {
    /// The id of the logged-in user.
    var userId: String { user?.userId ?? "" }

    /// A project's tasks in their order, live.
    func tasks(of projectId: String) async throws -> LiveResults {
        let list = try await subscribe(
            "tasks-\(projectId)", to: .item, filter: "projectId == $0", args: [.value(.string(projectId))], sort: ["position"])
        try await list.waitUntilComplete()
        return list
    }

    /// A project with tasks of these texts, whose ids are the texts.
    func makeProject(_ projectId: String, name: String, access: String? = nil, tasks: [String] = []) async throws {
        try await write { transaction in
            if let access {
                transaction.create(.project, ["projectId": .string(projectId), "name": .string(name), "access": .string(access)])
            } else {
                transaction.create(.project, ["projectId": .string(projectId), "name": .string(name)])
            }
            for task in tasks { transaction.addTask(task, to: projectId) }
        }
    }
}

extension WriteBuilder {
    /// A task whose id is its text.
    mutating func addTask(_ text: String, to projectId: String) {
        create(.item, ["itemId": .string(text), "projectId": .string(projectId), "body": .string(text)])
    }

    /// Gives a user a role in a project.
    mutating func give(_ role: String, in projectId: String, to userId: String) {
        create(.permission, ["projectId": .string(projectId), "userId": .string(userId), "role": .string(role)])
    }
}

extension LiveResults {
    /// The texts of its tasks.
    var texts: [String] { rows.map { $0["body"].string ?? "" } }
    /// The names of its projects.
    var names: [String] { rows.map { $0["name"].string ?? "" } }

    /// Waits until it shows these tasks.
    func wait(for texts: [String]) async throws {
        try await eventually("the list shows \(texts); it shows \(self.texts)") { isComplete && self.texts == texts }
    }
}

/// The error that the server answered, `nil` where it did as asked.
func refusal(_ body: () async throws -> Void) async throws -> ServerError? {
    do {
        try await body()
        return nil
    } catch let error as ClientError {
        guard case .server(let answer) = error else { throw error }
        return answer
    }
}
