import Todo
import TodoProtocol

/// One turn: what runs between two looks at the inputs, and ends with one durable commit of what was written.
struct Turn {
    /// What its requests have cost: objects looked at by filters and written, and one at least a request.
    var work = 0
    /// Whether no further request begins in it.
    var isOver = false
    /// Whether it does what others wait for urgently, and nothing else.
    private(set) var isHurried = false
    /// Whether the request under way may give way to something urgent.
    var mayGiveWay = false
    /// Whether it did, and is to run again.
    var gaveWay = false

    /// It is to end at once, so that what it did is told.
    mutating func hurry() {
        isHurried = true
        isOver = true
    }
}

/// Which requests run, and when a turn ends.
extension Hub {
    /// How often a transaction gives way: then it runs to its end.
    private static let gaveWayMost = 5

    /// The session has a request that may run.
    func schedule(_ session: Session) {
        guard !session.isReady, nextRequest(of: session) != nil else { return }
        session.isReady = true
        ready.append(session)
    }

    /// Runs requests up to the bound of a turn, and makes durable what they wrote.
    ///
    /// Where some end log-ins, these only: then their commit and the closes are told before anybody's write is begun.
    func runTurn() {
        while turn.work < settings.limits.changesInGroup, let session = ready.nextAhead() {
            session.isReady = false
            guard nextRequest(of: session) != nil else { continue }
            ready.wentAhead(session)
            step(session, requestsMost: 1)
            turn.hurry()
        }
        if !turn.isHurried {
            ready.beginRound()
            while !turn.isOver, let session = ready.next() {
                session.isReady = false
                step(session)
            }
        }
        finishGroup()
        publishPresences()
    }

    /// Runs requests of the session until it has had its part; what is left waits behind the others.
    private func step(_ session: Session, requestsMost: Int = .max) {
        let share = session.share
        let before = turn.work
        var requests = 0
        while requests < requestsMost, turn.work - before < settings.limits.objectsInStep, requests == 0 || !turn.isOver,
            let work = nextRequest(of: session)
        {
            if work.readsLog, !mayReadLog {
                postpone(session, .requests)
                break
            }
            requests += 1
            run(work, of: session)
        }
        ready.charge(share, turn.work - before)
        schedule(session)
    }

    private func run(_ work: Work, of session: Session) {
        let before = turn.work
        _ = session.work.popFirst()
        turn.mayGiveWay = work.gaveWayCount < Self.gaveWayMost
        turn.gaveWay = false
        handle(work)
        if turn.gaveWay {
            var again = work
            again.gaveWayCount += 1
            session.work.putBack(again)
            turn.isOver = true
            figures.requests -= 1
        }
        turn.work = max(turn.work, before + 1)
        // Something is done whatever is urgent: who asks for urgent things over and over does not take the others' group commits from them.
        let mayEnd = turn.work >= settings.limits.objectsBetweenLooks
        if turn.work >= settings.limits.changesInGroup || mayEnd && isUrgentInputWaiting() { turn.isOver = true }
        if !turn.gaveWay { countWorked(work, session) }
    }

    /// The session's next request, if it can run now.
    private func nextRequest(of session: Session) -> Work? {
        guard session.isOpen, session.takesAnswers, !session.isEnding, let work = session.work.first else { return nil }
        if work.readsLog, session.postponed.contains(.requests) { return nil }
        switch session.wait {
        case .none: return work.isWrite && session.listsAwaited > 0 ? nil : work
        case .group: return work.isWrite ? work : nil
        case .job: return nil
        }
    }

    /// The checks in the contract's order: envelope, method, logged in, token alive, parameters.
    private func handle(_ work: Work) {
        figures.requests += 1
        switch work.body {
        case .invalid(let error):
            answer(work.answer, error)
        case .unknownMethod(let name):
            answer(work.answer, .unknownMethod(name))
        case .badParams(let method, let error):
            answer(work.answer, gate(method, work.answer.session) ?? error)
        case .call(let call):
            if let refusal = gate(call.method, work.answer.session) {
                answer(work.answer, refusal)
            } else {
                renewIfDue(work.answer.session)
                perform(call, work.answer)
            }
        }
    }

    private func gate(_ method: Method, _ session: Session) -> ErrorResponse? {
        guard method.needsLogin else { return nil }
        guard session.login != nil else { return .notLoggedIn }
        if session.isExpired(at: moment.wall) { return .tokenExpired }
        guard method.needsAdmin, session.login?.view.caller.isAdmin != true else { return nil }
        auditRefusal(method.rawValue, session, reason: "no admin")
        return .adminsOnly
    }

    private func perform(_ call: Call, _ answer: Answer) {
        switch call {
        case .info: info(answer)
        case .register(let username, let password): register(username: username, password: password, answer)
        case .login(let request): login(request, answer)
        case .logout(let everywhere): logout(everywhere: everywhere, answer)
        case .changePassword(let old, let new): changePassword(old: old, new: new, answer)
        case .sessions: listSessions(answer)
        case .endSession(let id): endSession(id, answer)
        case .subscribe(let params): subscribe(params, answer)
        case .unsubscribe(let name): unsubscribe(name, answer)
        case .query(let params): query(params, answer)
        case .write(let params): write(params, answer)
        case .findUser(let reference): findUser(reference, answer)
        case .invite(let call): invite(call, answer)
        case .admin(let call): admin(call, answer)
        }
    }
}
