import Bytes
import Network
import Todo
import TodoClient
import TodoProtocol

/// Connections, log-ins and what comes in on them.
extension ScenarioRun {
    mutating func connect(_ place: Int, _ loop: inout EventLoop) {
        let member = members[place]
        do {
            try member.session.connect(&workspace)
            let id = try loop.connect(to: address, secured: context, host: endpoint.host)
            member.connection = id
            places.insert(place, for: id)
            connecting += 1
            send(to: id, &loop)
        } catch {
            workspace.output.removeAll()
            fail("Session \(place + 1) can't connect: \(error)", &loop)
        }
    }

    /// Sends what the session that was called last has to say.
    mutating func send(to id: ConnectionID, _ loop: inout EventLoop) {
        loop.send(emptying: &workspace.output, to: id)
    }

    mutating func logIn(_ member: ScenarioMember) {
        let request = member.session.login(.nickname(Sessions.nickname(member.index, keeper: keeper)), &workspace)
        if member.index == keeper { purposes[request] = .login }
    }

    mutating func handle(_ event: SessionEvent, _ member: ScenarioMember, _ loop: inout EventLoop) {
        switch event {
        case .opened:
            if member.session.login == nil { logIn(member) }
        case .result(let request, let result):
            if member.index == keeper { return handle(result, of: request, &loop) }
            if case .login = result { subscribe(member) }
        case .failure(_, let error):
            if let wait = error.waitMilliseconds, let id = member.connection {
                return loop.setDeadline(loop.now.advanced(milliseconds: wait), for: id)
            }
            fail("The server refused a request of session \(member.index + 1): \(error.message) (\(error.code))", &loop)
        case .initial(_, let isComplete):
            if isComplete { becomeReady(member, &loop) }
        case .change(let change):
            becomeReady(member, &loop)
            noteDelivery(change, member)
        case .refused(let status, let sentence): fail("The server refused the upgrade with HTTP status \(status): \(sentence)", &loop)
        case .violated(let sentence): fail("The server broke the protocol: \(sentence)", &loop)
        case .closed(let code, let reason): fail("The server closed session \(member.index + 1): \(code) \(reason)", &loop)
        case .subscriptionEnded(_, let error): fail("A list of session \(member.index + 1) ended: \(error.message)", &loop)
        case .loggedOut(let error): fail("Session \(member.index + 1) was logged out: \(error.message)", &loop)
        }
    }

    private mutating func subscribe(_ member: ScenarioMember) {
        _ = member.session.subscribe(SubscribeParams("tasks", to: tasks(of: project(of: member.index))), &workspace)
    }

    /// The session has its list whole, for the first time on this connection.
    private mutating func becomeReady(_ member: ScenarioMember, _ loop: inout EventLoop) {
        guard !member.isReady, member.session.list("tasks")?.isComplete == true else { return }
        member.isReady = true
        connecting -= 1
        readyCount += 1
    }

    /// How long the writes took that this change tells of; the body says when each was due.
    private mutating func noteDelivery(_ change: ChangeMessage, _ member: ScenarioMember) {
        guard case .measure = step, readers.contains(member.index), !member.isStalled else { return }
        let now = Instant.now().nanoseconds
        for update in change.updates {
            for modification in update.modifications {
                for case (ItemField.body, .string(let body)) in modification.set {
                    guard let due = body.split(separator: " ", maxSplits: 1).first.flatMap({ Int64($0) }), due >= begun.nanoseconds else {
                        continue
                    }
                    figures[figures.count - 1].toReaders.record(now - due)
                }
            }
        }
    }

    private mutating func handle(_ result: ServerResult, of request: Int64, _ loop: inout EventLoop) {
        guard let purpose = purposes.removeValue(forKey: request) else { return }
        switch (purpose, result) {
        case (.login, _):
            members[keeper].isReady = true
            connecting -= 1
            prepare(&loop)
        case (.preparation, _): prepare(&loop)
        case (.write(let due), _):
            if case .measure = step { figures[figures.count - 1].toResult.record(Instant.now().nanoseconds(since: due)) }
            writeNext(&loop)
        case (.query(let project), .query(_, let objects)): expected[project] = objects
        case (.removal, _): finishStep(&loop)
        default: fail("The server answered a request with the result of another kind of request.", &loop)
        }
    }
}
