import Todo
import TodoProtocol
import TodoStore

/// Which sessions belong to which user, and what a log-out ends.
extension Hub {
    /// The session belongs to the user from now on; one that was held is brought up to date.
    func join(_ session: Session, user: Object, token: String, hash: [UInt8], expiresAt: Timestamp) {
        guard session.isOpen else { return }
        if session.login?.view.caller.userId != user.key { leave(session) }
        let view = users[user.key] ?? makeView(user)
        view.sessions[session.id] = session
        session.login = Session.Login(view: view, token: token, tokenHash: hash, expiresAt: expiresAt)
        for other in view.sessions.values where other.login?.tokenHash == hash { other.login?.expiresAt = expiresAt }
        earliestExpiry = min(earliestExpiry ?? expiresAt, expiresAt)
        if session.behindSince != nil { released.append(session) }
    }

    private func makeView(_ user: Object) -> UserView {
        let view = UserView(user: user)
        users[user.key] = view
        do {
            for permission in try store.permissions(ofUser: user.key) {
                let projectId = permission.text(PermissionField.projectId)
                view.roles[projectId] = Role(name: permission.text(PermissionField.role))
                viewers[projectId, default: []].insert(user.key)
            }
        } catch {
            log(.error, "the permissions of \(user.key) can't be read: \(error.message)")
        }
        return view
    }

    /// The session belongs to nobody any more.
    func leave(_ session: Session) {
        guard let view = session.login?.view else { return }
        session.login = nil
        session.behindSince = nil
        live.removePresences(ofSession: session.id.name)
        view.sessions[session.id] = nil
        guard view.sessions.isEmpty else { return }
        users[view.caller.userId] = nil
        for projectId in view.roles.keys {
            viewers[projectId]?.remove(view.caller.userId)
            if viewers[projectId]?.isEmpty == true { viewers[projectId] = nil }
        }
    }

    func logout(everywhere: Bool, _ answer: Answer) {
        let session = answer.session
        guard let login = session.login else { return self.answer(answer, .notLoggedIn) }
        inGroup(answer) { [unowned self] in
            var dead: Set<[UInt8]> = [login.tokenHash]
            _ = try store.deleteToken(hash: login.tokenHash)
            if everywhere { dead.formUnion(try store.deleteTokens(ofUser: login.view.caller.userId)) }
            group.effects.append { [unowned self] in
                for other in Array(login.view.sessions.values) where other !== session {
                    guard let hash = other.login?.tokenHash, dead.contains(hash) else { continue }
                    close(other, code: SessionCloseCode.revoked.rawValue, reason: "the session was ended by a log-out")
                }
                dropSubscriptions(session)
                leave(session)
                session.loginDeadline = moment.monotonicMilliseconds + settings.limits.loginMilliseconds
                loginDeadlines.append((session.loginDeadline, session.id))
            }
            self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
            log(.info, "\(session.peer.address): \(login.view.caller.userId) logged out\(everywhere ? " everywhere" : "")")
        }
    }
}
