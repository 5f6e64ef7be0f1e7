import Bytes
import Network
import Todo
import TodoClient
import TodoProtocol

/// Connections, log-ins and what comes in on them.
extension LoadRun {
    static let tasksName = "tasks"
    static let projectName = "project"

    mutating func connect(_ index: Int, _ loop: inout EventLoop) {
        do {
            var options = ClientSession.Options()
            options.resumes = false
            var session = try ClientSession(endpoint, options: options)
            try session.connect(&workspace)
            let id = try loop.connect(to: address, secured: context, host: endpoint.host)
            ids[index] = id
            members.insert(Member(index: index, session: session), for: id)
            send(to: id, &loop)
        } catch {
            workspace.output.removeAll()
            lose(index, "\(error)", &loop)
        }
    }

    /// Sends what the session that was called last has to say.
    mutating func send(to id: ConnectionID, _ loop: inout EventLoop) {
        loop.send(emptying: &workspace.output, to: id)
    }

    mutating func handle(_ event: SessionEvent, _ member: UnsafeMutablePointer<Member>, _ id: ConnectionID, _ loop: inout EventLoop) {
        switch event {
        case .change(let change): noteChange(change, member)
        case .result(let request, let result): handle(result, of: request, member, &loop)
        case .failure(let request, let error): handle(error, of: request, member, id, &loop)
        case .initial(_, let isComplete):
            guard isComplete else { break }
            member.pointee.listsPending -= 1
            becomeReady(member)
            heard = loop.now
        case .opened:
            member.pointee.stage = .loggingIn
            logIn(member)
        case .refused(let status, let sentence):
            lose(member, "The server refused the upgrade\(status == 0 ? "" : " with HTTP status \(status)"): \(sentence)", id, &loop)
        case .violated(let sentence): lose(member, "The server broke the protocol: \(sentence)", id, &loop)
        case .closed(let code, let reason):
            if member.pointee.stage == .leaving { return loop.finish(id) }
            lose(member, "The server closed the connection: \(code) \(reason)", id, &loop)
        case .subscriptionEnded(let name, let error):
            report.fail("The list '\(name)' of session \(member.pointee.index + 1) ended: \(error.message)")
            giveUp(&loop)
        case .loggedOut: break
        }
    }

    mutating func logIn(_ member: UnsafeMutablePointer<Member>) {
        let name = Sessions.nickname(member.pointee.index, keeper: keeper)
        let request = member.pointee.session.login(.nickname(name), &workspace)
        member.pointee.purposes[request] = .login
    }

    private mutating func handle(
        _ result: ServerResult, of request: Int64, _ member: UnsafeMutablePointer<Member>, _ loop: inout EventLoop
    ) {
        guard let purpose = member.pointee.purposes.removeValue(forKey: request) else { return }
        heard = loop.now
        switch (purpose, result) {
        case (.login, _):
            if member.pointee.index == keeper { prepare(member, &loop) } else { subscribe(member) }
        case (.subscribe, _): break
        case (.preparation, _): prepare(member, &loop)
        case (.write(let project, let intended), .write(let version, _, let isDuplicate)):
            noteAnswer(project, intended, version, isDuplicate)
        case (.standing, .info(let info)):
            member.pointee.standing = info.version
            verification.unanswered -= 1
        case (.tasksQuery, .query(let version, let objects)):
            verification.tasks[plan.project(of: member.pointee.index)] = (version, objects)
            verification.unanswered -= 1
        case (.projectQuery, .query(let version, let objects)):
            verification.project[plan.project(of: member.pointee.index)] = (version, objects)
            verification.unanswered -= 1
        case (.removal, _): removeMore(&loop)
        default:
            report.fail("The server answered a request with the result of another kind of request.")
            giveUp(&loop)
        }
    }

    private mutating func handle(
        _ error: ServerError, of request: Int64?, _ member: UnsafeMutablePointer<Member>, _ id: ConnectionID, _ loop: inout EventLoop
    ) {
        heard = loop.now
        guard let request, let purpose = member.pointee.purposes.removeValue(forKey: request) else {
            report.fail("The server could not read a message: \(error.message) (\(error.code))")
            return giveUp(&loop)
        }
        switch purpose {
        case .write(let project, _):
            unanswered -= 1
            tracker.refused(project: project)
            report.noteRefusal(error)
        case .login:
            if let wait = error.waitMilliseconds { return loop.setDeadline(loop.now.advanced(milliseconds: wait), for: id) }
            report.fail(error.code == -32008 ? Self.nicknamesOff : "A log-in was refused: \(error.message) (\(error.code))")
            giveUp(&loop)
        case .removal:
            report.fail("The projects of this run could not be removed from the server: \(error.message) (\(error.code))")
            enter(.leaving, &loop)
        default:
            report.fail("The server refused what the load begins or ends with: \(error.message) (\(error.code))")
            giveUp(&loop)
        }
    }

    private static let nicknamesOff = """
        This server does not allow log-in by nickname, which the load needs for its many sessions. Start the server with
        --providers password,nickname (or --demo) for the time of the test, or leave --url out: todo-load then starts a server of its own.
        """

    private mutating func subscribe(_ member: UnsafeMutablePointer<Member>) {
        member.pointee.stage = .subscribing
        member.pointee.listsPending = 2
        let project = plan.project(of: member.pointee.index)
        let tasks = member.pointee.session.subscribe(SubscribeParams(Self.tasksName, to: tasksQuery(project)), &workspace)
        member.pointee.purposes[tasks] = .subscribe
        let row = member.pointee.session.subscribe(SubscribeParams(Self.projectName, to: projectQuery(project)), &workspace)
        member.pointee.purposes[row] = .subscribe
    }

    func tasksQuery(_ project: Int) -> QueryText {
        QueryText(.item, filter: "projectId == $0", args: [.value(.string(plan.projectID(project)))], sort: ["position"])
    }

    func projectQuery(_ project: Int) -> QueryText {
        QueryText(.project, filter: "projectId == $0", args: [.value(.string(plan.projectID(project)))])
    }

    private mutating func becomeReady(_ member: UnsafeMutablePointer<Member>) {
        guard member.pointee.stage == .subscribing, member.pointee.listsPending == 0 else { return }
        member.pointee.stage = .ready
        readyCount += 1
    }

    private mutating func lose(_ member: UnsafeMutablePointer<Member>, _ sentence: String, _ id: ConnectionID, _ loop: inout EventLoop) {
        member.pointee.stage = .leaving
        let index = member.pointee.index
        loop.finish(id)
        lose(index, sentence, &loop)
    }

    /// A session is lost: the run goes on no longer, as nothing that it would prove counts.
    mutating func lose(_ index: Int, _ sentence: String, _ loop: inout EventLoop) {
        let name = index == keeper ? "The session that makes the projects" : "Session \(index + 1)"
        report.noteLoss("\(name) was lost: \(sentence)")
        giveUp(&loop)
    }
}
