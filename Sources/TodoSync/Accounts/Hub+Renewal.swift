import Todo
import TodoProtocol
import TodoStore

/// The life of tokens, which slides: it is counted anew whenever a log-in is used, once a while.
extension Hub {
    /// When the life of a token that starts now ends.
    func expiry() -> Timestamp {
        Timestamp(milliseconds: moment.wall.milliseconds + settings.limits.tokenMilliseconds)
    }

    /// When using a token has its life counted anew: after a thirtieth of it, so that hardly any request writes.
    func renewal(after renewedAt: Timestamp) -> Timestamp {
        Timestamp(milliseconds: renewedAt.milliseconds + settings.limits.tokenMilliseconds / 30)
    }

    /// Counts the token's life from now on, and says when it ends. What an identity provider vouched for ends when that said.
    func renew(_ record: TokenRecord) throws(StoreFailure) -> Timestamp {
        let isVouchedFor = try store.accounts(ofUser: record.userId).contains { $0.provider == Provider.jwt.rawValue }
        let expiresAt = isVouchedFor ? record.expiresAt : expiry()
        try store.touchToken(hash: record.hash, lastSeenAt: moment.wall, expiresAt: expiresAt)
        return expiresAt
    }

    /// Tells all sessions on the token.
    func noteRenewal(_ hash: [UInt8], _ view: UserView, _ expiresAt: Timestamp, _ renewsAt: Timestamp) {
        for session in view.sessions.values where session.login?.tokenHash == hash {
            session.login?.expiresAt = expiresAt
            session.login?.renewsAt = renewsAt
        }
    }

    /// A request is served: a connection that stays open keeps its log-in as one does that comes back. What is over stays over.
    func renewIfDue(_ session: Session) {
        guard let login = session.login, moment.wall >= login.renewsAt, !session.isExpired(at: moment.wall), isStoreWritable else { return }
        // Where it fails, the next try is as far away as after a success.
        let renewsAt = renewal(after: moment.wall)
        noteRenewal(login.tokenHash, login.view, login.expiresAt, renewsAt)
        do throws(StoreFailure) {
            try openGroup()
            try store.beginNested()
        } catch { return failGroup(error) }
        do throws(StoreFailure) {
            guard let record = try store.token(hash: login.tokenHash) else { return try store.rollbackNested() }
            let expiresAt = try renew(record)
            try store.commitNested()
            group.hasWrites = true
            group.effects.append { [unowned self] in noteRenewal(login.tokenHash, login.view, expiresAt, renewsAt) }
        } catch {
            noteStoreFailure(error)
            do throws(StoreFailure) { try store.rollbackNested() } catch { failGroup(error) }
        }
    }
}
