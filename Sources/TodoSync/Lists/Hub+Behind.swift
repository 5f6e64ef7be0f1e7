import Bytes
import Todo
import TodoProtocol
import TodoStore

/// Sessions that can't be told of changes for a while: they cost one number, and afterwards get one merged change.
extension Hub {
    /// More waits for the session's socket than it is given: from here on its changes are merged.
    func fallBehind(_ session: Session) {
        session.isSlow = true
        session.behindSince = session.behindSince ?? store.version
        log(.debug, "session \(session.id.connection) reads slowly: its changes are merged from version \(store.version) on")
    }

    /// So many closed as too slow are named one by one, between two ticks.
    private static let stuckNamedMax = 10

    /// The session's socket took nothing at all, and the connection is being closed with 4003.
    func noteStuck(_ session: Session, _ seconds: Int) {
        stuckSessions += 1
        guard stuckSessions <= Self.stuckNamedMax else { return }
        let user = session.login.map { "user \($0.view.caller.userId)" } ?? "a session without log-in"
        log(
            .warning,
            "\(user) from \(session.peer.address) was closed with 4003: it had more waiting than it is given, and took nothing for \(seconds) s"
        )
    }

    /// Counts, once a tick, those that were not named.
    func tellOfStuckSessions() {
        let unnamed = stuckSessions - Self.stuckNamedMax
        stuckSessions = 0
        guard unnamed > 0 else { return }
        log(.warning, "\(unnamed) more were closed with 4003 at the same time: they took nothing of what waited for them")
    }

    /// The session's socket has taken what waited.
    func catchUp(_ session: Session) {
        session.isSlow = false
        // What happened meanwhile is told as of a commit.
        finishGroup()
        bringUpToDate(session)
        schedule(session)
    }

    // MARK: What one turn has no time for

    /// Whether this turn has time for one more who is told what happened since a version; who had to wait comes first.
    var mayReadLog: Bool { catchUpRowsLeftInTurn > 0 && postponed.isEmpty }

    /// Leaves that for the next turn.
    func postpone(_ session: Session, _ what: Session.Postponed) {
        if session.postponed.isEmpty { postponed.append(session) }
        session.postponed.insert(what)
    }

    /// Does what earlier turns have left, as far as this one has time for it.
    func takePostponed() {
        guard !postponed.isEmpty else { return }
        let sessions = postponed
        postponed = []
        for session in sessions {
            let what = session.postponed
            session.postponed = []
            guard session.isOpen else { continue }
            guard mayReadLog else {
                postpone(session, what)
                continue
            }
            if what.contains(.catchUp) { catchUp(session) }
            if what.contains(.lists) { beginHeld(session) }
            schedule(session)
            runTurn()
        }
    }

    /// Begins with the lists that have been read and of which the client has yet to be told.
    private func beginHeld(_ session: Session) {
        for subscription in session.subscriptions.values.sorted(by: { $0.name < $1.name }) where subscription.isHeld { begin(subscription) }
    }

    /// Holds every session whose token is expired by now.
    func holdExpired(beforeVersion version: Int64) {
        guard let earliest = earliestExpiry, earliest <= moment.wall else { return }
        earliestExpiry = nil
        for session in sessions.values {
            guard let login = session.login else { continue }
            if login.expiresAt > moment.wall {
                earliestExpiry = min(earliestExpiry ?? login.expiresAt, login.expiresAt)
            } else {
                session.behindSince = session.behindSince ?? version
            }
        }
    }

    /// Tells a session that was behind all that happened meanwhile, in one change; a list for which that can't be told is sent anew.
    func bringUpToDate(_ session: Session) {
        guard session.isOpen, !session.isSlow, !session.isExpired(at: moment.wall), let since = session.behindSince else { return }
        session.behindSince = nil
        var updates: [SharedBytes] = []
        var writers: [String] = []
        var untold: [Subscription] = []
        for subscription in session.subscriptions.values.sorted(by: { $0.name < $1.name }) where subscription.isComplete {
            guard let catchUp = catchUp(subscription, since: since), !isDearer(catchUp.diff, than: subscription) else {
                untold.append(subscription)
                continue
            }
            guard !catchUp.diff.isEmpty else { continue }
            for writer in self.writers(of: catchUp, subscription, since: since)
            where writers.count < MessageEncoder.writersMax && !writers.contains(writer) { writers.append(writer) }
            updates.append(
                catchUp.fragment(subscription.name) {
                    text { writer in MessageEncoder.update(name: subscription.name, catchUp.diff, into: &writer) }
                })
        }
        // What the client has of these is old: it must not take them for complete when the next message names the present version.
        for subscription in untold { beginAnew(subscription) }
        if !updates.isEmpty { sendUpdates(updates, by: writers, to: session) }
        for subscription in untold { startSending(subscription) }
        beginHeld(session)
        sendParts(session)
    }

    /// Tells the client to begin with an empty list.
    private func beginAnew(_ subscription: Subscription) {
        let part = text { writer in
            MessageEncoder.initial(name: subscription.name, index: 0, objects: [][...], completeAt: nil, into: &writer)
        }
        deliver(part, to: subscription.session)
    }
}
