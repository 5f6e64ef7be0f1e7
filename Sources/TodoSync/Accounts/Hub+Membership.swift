import Todo
import TodoProtocol
import TodoStore

/// Which sessions belong to which user, and what a log-out ends.
extension Hub {
    /// The session belongs to the user from now on; one that was held is brought up to date.
    ///
    /// - Parameter renewedAt: when the life of its token was last counted anew.
    func join(_ session: Session, user: Object, hash: [UInt8], expiresAt: Timestamp, renewedAt: Timestamp) {
        guard session.isOpen else { return }
        if session.login?.view.caller.userId != user.key { leave(session) }
        let view = users[user.key] ?? makeView(user)
        view.sessions[session.id] = session
        let renewsAt = renewal(after: renewedAt)
        session.login = Session.Login(view: view, tokenHash: hash, expiresAt: expiresAt, renewsAt: renewsAt)
        noteRenewal(hash, view, expiresAt, renewsAt)
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
        let userId = login.view.caller.userId
        inGroup(answer) { [unowned self] in
            var dead: Set<[UInt8]> = [login.tokenHash]
            // Whoever logs out was here: the token's record, from which the operator learns it, may be a day old.
            try store.touchToken(hash: login.tokenHash, lastSeenAt: moment.wall, expiresAt: login.expiresAt)
            _ = try store.deleteToken(hash: login.tokenHash)
            if everywhere { dead.formUnion(try store.deleteTokens(ofUser: userId)) }
            holdBack(ofUser: userId) { $0.login.map { dead.contains($0.tokenHash) } ?? false }
            group.effects.append { [unowned self] in
                end(tokens: dead, ofUser: userId, from: session, "another window or device logged out")
                let reach = everywhere ? "everywhere" : "here"
                audit(
                    Audit(
                        event: "logout", by: userId, user: userId, address: session.peer.address,
                        details: [("reach", reach), ("session", sessionId(ofToken: login.tokenHash))]))
            }
            self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
        }
    }

    /// Every connection on one of the tokens is closed, but for the one that asked for it: that one is as if nobody had logged in on it.
    func end(tokens dead: Set<[UInt8]>, ofUser userId: String, from asking: Session, _ reason: String) {
        guard let view = users[userId] else { return }
        for session in Array(view.sessions.values) {
            guard let hash = session.login?.tokenHash, dead.contains(hash) else { continue }
            guard session === asking else {
                close(session, code: SessionCloseCode.revoked.rawValue, reason: reason)
                continue
            }
            dropSubscriptions(session)
            leave(session)
            expectLogin(session)
        }
    }

    /// Closes the connections of the user, whatever their tokens are.
    func closeSessions(ofUser userId: String, except kept: Session? = nil, _ reason: String) {
        guard let view = users[userId] else { return }
        for session in Array(view.sessions.values) where session !== kept {
            close(session, code: SessionCloseCode.revoked.rawValue, reason: reason)
        }
    }

    /// The user may do everything from now on, or no longer: the lists of its sessions are sent anew, for they show something else.
    func turnAdmin(_ userId: String, _ isAdmin: Bool) {
        guard let view = users[userId], view.caller.isAdmin != isAdmin else { return }
        view.turnAdmin(isAdmin)
        for session in Array(view.sessions.values) { restartSubscriptions(session, view) }
    }
}
