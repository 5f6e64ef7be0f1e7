import Crypto
import Todo
import TodoProtocol
import TodoStore

/// `sessions` and `session.end`: where one is logged in, and ending one of these log-ins. A session is a token here, with all
/// connections on it.
extension Hub {
    func listSessions(_ answer: Answer) {
        guard let login = answer.session.login else { return self.answer(answer, .notLoggedIn) }
        do {
            let records = try store.tokens(ofUser: login.view.caller.userId).filter { $0.expiresAt > moment.wall }
            let sessions = records.map { info($0, login) }
            let hasPassword = try passwordAccount(ofUser: login.view.caller.userId) != nil
            self.answer(answer) { writer in MessageEncoder.sessions(answer.id, sessions, hasPassword: hasPassword, into: &writer) }
        } catch { refuse(answer, error) }
    }

    private func info(_ record: TokenRecord, _ login: Session.Login) -> SessionInfo {
        let open = login.view.sessions.values.filter { $0.login?.tokenHash == record.hash }
        // What a token's record says is as old as its last renewal; an open connection is there now.
        let latest = open.max { ($0.id.connection, $0.id.loop) < ($1.id.connection, $1.id.loop) }
        return SessionInfo(
            id: sessionId(ofToken: record.hash), created: record.createdAt, lastSeen: latest == nil ? record.lastSeenAt : moment.wall,
            expiresAt: record.expiresAt, userAgent: latest?.peer.userAgent ?? record.userAgent,
            address: (latest?.peer.address).flatMap { $0.isEmpty ? nil : $0 }, isCurrent: record.hash == login.tokenHash)
    }

    func endSession(_ id: String, _ answer: Answer) {
        let session = answer.session
        guard let login = session.login else { return self.answer(answer, .notLoggedIn) }
        let userId = login.view.caller.userId
        inGroup(answer) { [unowned self] in
            guard let record = try store.tokens(ofUser: userId).first(where: { sessionId(ofToken: $0.hash) == id }) else {
                throw ErrorResponse.noSuchSession
            }
            try store.deleteToken(hash: record.hash)
            holdBack(ofUser: userId) { $0.login?.tokenHash == record.hash }
            group.effects.append { [unowned self] in
                end(tokens: [record.hash], ofUser: userId, from: session, "another window or device ended the session")
                audit(
                    Audit(
                        event: "session.end", by: userId, user: userId, address: session.peer.address, details: [("session", id)]))
            }
            self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
        }
    }

    /// The id of a log-in: 96 bits of a digest of its token's hash, so that it leads back to neither.
    func sessionId(ofToken hash: [UInt8]) -> String {
        let digest = try? SHA256.hash(Array("todosync session ".utf8) + hash)
        return Base64.encodeURL(Array((digest ?? []).prefix(12)))
    }
}
