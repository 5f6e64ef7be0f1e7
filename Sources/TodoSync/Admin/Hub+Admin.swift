import Todo
import TodoProtocol
import TodoStore

/// The methods for admins. Whether the caller is one was checked before the parameters were.
extension Hub {
    func admin(_ call: AdminCall, _ answer: Answer) {
        guard let caller = answer.session.login?.view.caller else { return self.answer(answer, .notLoggedIn) }
        auditLook(call, caller, answer.session)
        switch call {
        case .stats:
            self.answer(answer) { writer in MessageEncoder.numbers(answer.id, stats, into: &writer) }
        case .users(let offset, let limit): listUsers(offset, limit, answer)
        case .sessions(let userId):
            let shown = sessions.values.filter { userId == nil || $0.login?.view.caller.userId == userId }
                .sorted { ($0.id.loop, $0.id.connection) < ($1.id.loop, $1.id.connection) }
            self.answer(answer) { writer in MessageEncoder.sessions(answer.id, shown.map(SessionResult.init), into: &writer) }
        case .disconnectSession(let name):
            guard let session = sessions.values.first(where: { $0.id.name == name }) else {
                return self.answer(answer, .notFound("There is no session with the id '\(name)'.", path: "sessionId"))
            }
            guard session !== answer.session else {
                return self.answer(
                    answer, .notPermitted("That is the connection that you ask from; 'logout' ends its log-in.", path: "sessionId"))
            }
            disconnect([session], tokens: session.login.map { [$0.tokenHash] } ?? [], caller, answer)
        case .disconnectUser(let userId): disconnectUser(userId, caller, answer)
        case .deleteUser(let userId, let ownProjects):
            inGroup(answer) { [unowned self] in
                guard userId != caller.userId else {
                    throw Refusal(.notPermitted, "notPermitted", "Another admin may delete you; you can't.", path: "userId")
                }
                let name = try store.object(.user, userId)?.text(UserField.name) ?? ""
                try deleteUser(userId, ownProjects, by: caller.userId, from: answer.session.peer.address)
                let line = Audit(
                    event: "user.delete", by: caller.userId, user: userId, address: answer.session.peer.address, details: [("name", name)])
                group.effects.append { [unowned self] in audit(line) }
                self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
            }
        }
    }

    /// Notes a look at others' accounts and connections; what is done to them has a line when it is done.
    private func auditLook(_ call: AdminCall, _ caller: Caller, _ session: Session) {
        let (event, user): (String, String?)
        switch call {
        case .users: (event, user) = ("admin.users", nil)
        case .sessions(let userId): (event, user) = ("admin.sessions", userId)
        case .stats, .disconnectSession, .disconnectUser, .deleteUser: return
        }
        audit(Audit(event: event, by: caller.userId, user: user, address: session.peer.address))
    }

    /// What the server holds and has done since it started.
    private var stats: [(name: String, value: Int)] {
        [
            ("sessions", sessions.count), ("usersOnline", users.count), ("lists", index.lists.count), ("presences", live.count),
            ("version", Int(store.version)), ("messages", figures.messages), ("requests", figures.requests), ("commits", figures.commits),
            ("transactions", figures.transactions), ("changes", figures.changes), ("frames", figures.frames),
            ("deliveries", figures.deliveries),
        ]
    }

    private func listUsers(_ offset: Int, _ limit: Int, _ answer: Answer) {
        let query: Query
        do throws(Refusal) { query = try Query(.user, sort: ["name[c]"], user: "") } catch {
            return self.answer(answer, ErrorResponse(error))
        }
        let searchBytesMax = settings.limits.readSearchBytes
        readSnapshot(for: answer) { snapshot in
            .listed(ListWindow(query: query, rows: try SnapshotRows.read(query, .everything, snapshot, searchBytesMax)))
        } then: { [unowned self] outcome in
            guard case .listed(let rows) = outcome else { preconditionFailure("users were listed and something else came of it") }
            let first = min(offset, rows.count)
            let shown = rows[first..<min(first + limit, rows.count)].map { user in (user, users[user.key]?.sessions.count ?? 0) }
            self.answer(answer) { writer in MessageEncoder.users(answer.id, shown, count: rows.count, into: &writer) }
        }
    }

    private func disconnectUser(_ userId: String, _ caller: Caller, _ answer: Answer) {
        do {
            guard try store.object(.user, userId) != nil else {
                return self.answer(answer, .notFound("There is no user with the id '\(userId)'.", path: "userId"))
            }
            let tokens = try store.tokens(ofUser: userId).map(\.hash)
            disconnect(Array((users[userId]?.sessions ?? [:]).values), tokens: tokens, caller, answer)
        } catch { refuse(answer, error) }
    }

    /// Ends the tokens and closes every connection on them, but the one that asks.
    private func disconnect(_ named: [Session], tokens: [[UInt8]], _ caller: Caller, _ answer: Answer) {
        inGroup(answer) { [unowned self] in
            let own = answer.session.login?.tokenHash
            let dead = Set(tokens.filter { $0 != own })
            for hash in dead { try store.deleteToken(hash: hash) }
            let ids = Set(named.map(\.id))
            let ended = sessions.values.filter { session in
                session !== answer.session && (ids.contains(session.id) || session.login.map { dead.contains($0.tokenHash) } ?? false)
            }
            for session in ended {
                if let userId = session.login?.view.caller.userId { holdBack(ofUser: userId) { $0 === session } }
            }
            let lines = ended.map {
                Audit(
                    event: "admin.disconnect", by: caller.userId, user: $0.login?.view.caller.userId, address: answer.session.peer.address,
                    details: [("session", $0.id.name)])
            }
            group.effects.append { [unowned self] in
                for session in ended { close(session, code: SessionCloseCode.revoked.rawValue, reason: "an admin ended the session") }
                for line in lines { audit(line) }
            }
            self.answer(answer) { writer in MessageEncoder.numbers(answer.id, [("disconnected", ended.count)], into: &writer) }
        }
    }
}

extension SessionResult {
    fileprivate init(_ session: Session) {
        self.init(
            sessionId: session.id.name, userId: session.login?.view.caller.userId, address: session.peer.address,
            userAgent: session.peer.userAgent, openedAt: session.openedAt, subscriptions: session.subscriptions.count)
    }
}
