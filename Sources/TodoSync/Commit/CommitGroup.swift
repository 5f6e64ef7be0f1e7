import Bytes
import Todo
import TodoProtocol
import TodoStore

/// The transactions that will become durable together: one database transaction, a savepoint each.
struct CommitGroup {
    /// Whether the store has the database transaction open.
    var isOpen = false
    /// Whether anything of it goes to the store: a commit of nothing tells nothing of the disk.
    var hasWrites = false
    /// What the transactions did, one entry each, in the order of their versions.
    var entries: [LogEntry] = []
    /// Answers that may not leave before the commit; `nil` for a notification's.
    var replies: [(answer: Answer, text: SharedBytes?)] = []
    /// What the commit changes in memory.
    var effects: [() -> Void] = []
    /// Requests that wait for the end of the group, committed or not.
    var followers: [() -> Void] = []
    /// The sessions that wait for the commit.
    var sessions: [Session] = []
    /// The sessions whose log-in it ends.
    var ending: [Session] = []
}

/// Group commit: many transactions, one `fsync`.
extension Hub {
    /// Runs one session's work inside the open group, under a savepoint: what throws leaves nothing and is answered alone.
    ///
    /// The answer that `body` gives leaves when the whole group is durable. `writes` is false where the body writes nothing to the store.
    func inGroup(_ answer: Answer, writes: Bool = true, _ body: () throws -> Void) {
        let session = answer.session
        do {
            try openGroup()
            try store.beginNested()
        } catch {
            failGroup(error)
            return self.answer(answer, .unavailable)
        }
        if session.wait != .group {
            session.wait = .group
            group.sessions.append(session)
        }
        let entries = group.entries.count
        let effects = group.effects.count
        let replies = group.replies.count
        let volatile = live.mark
        do {
            try body()
            try store.commitNested()
            if writes { group.hasWrites = true }
        } catch {
            group.entries.removeSubrange(entries...)
            group.effects.removeSubrange(effects...)
            group.replies.removeSubrange(replies...)
            live.rollback(to: volatile)
            if error is GaveWay { turn.gaveWay = true } else { refuse(answer, error) }
            do { try store.rollbackNested() } catch { failGroup(error) }
        }
    }

    /// Has a session wait for the end of the open group, however it ends, and goes on with its request then.
    func afterGroup(_ answer: Answer, _ request: @escaping () -> Void) {
        let session = answer.session
        session.wait = .job
        group.followers.append {
            session.wait = .none
            guard session.isOpen else { return }
            request()
            self.schedule(session)
        }
    }

    /// Gives the changes the next version and logs them.
    func append(_ changes: [Change], by user: String?) throws(StoreFailure) {
        let entry = LogEntry(version: store.nextVersion, at: moment.wall, by: user, changes: changes)
        try store.append(entry)
        try forgetInvites(changes)
        group.entries.append(entry)
        group.hasWrites = true
    }

    func openGroup() throws(StoreFailure) {
        guard !group.isOpen else { return }
        try store.begin()
        group.isOpen = true
    }

    /// Makes the group durable; only then does anybody hear of it: the changes first, the writers' results behind them.
    func finishGroup() {
        guard group.isOpen else { return }
        do {
            try store.commit()
        } catch {
            return failGroup(error)
        }
        if group.hasWrites { noteStoreWorks() }
        live.settle()
        let finished = takeGroup()
        publish(finished.entries)
        for effect in finished.effects { effect() }
        for (answer, text) in finished.replies { send(text, answer) }
        for session in released { bringUpToDate(session) }
        released.removeAll()
        for follower in finished.followers { follower() }
    }

    /// Nothing of the group was written: everybody in it hears so.
    func failGroup(_ failure: StoreFailure) {
        noteStoreFailure(failure)
        store.rollback()
        live.rollback(to: 0)
        let failed = takeGroup()
        for (answer, text) in failed.replies {
            let error = text == nil ? nil : self.text { writer in MessageEncoder.error(answer.id, .unavailable, into: &writer) }
            send(error, answer)
        }
        for follower in failed.followers { follower() }
    }

    private func takeGroup() -> CommitGroup {
        var taken = CommitGroup()
        swap(&taken, &group)
        for session in taken.sessions {
            session.wait = .none
            schedule(session)
        }
        for session in taken.ending {
            session.isEnding = false
            schedule(session)
        }
        return taken
    }

    /// The open group ends these log-ins of the user: no request behind that is to come into the same commit, which is made right now.
    func holdBack(ofUser userId: String, where isEnded: (Session) -> Bool = { _ in true }) {
        turn.hurry()
        guard let view = users[userId] else { return }
        for session in view.sessions.values where !session.isEnding && isEnded(session) {
            session.isEnding = true
            group.ending.append(session)
        }
    }

    /// Answers with what was thrown.
    func refuse(_ answer: Answer, _ error: any Error) {
        switch error {
        case let refusal as Refusal: self.answer(answer, ErrorResponse(refusal))
        case let response as ErrorResponse: self.answer(answer, response)
        case let failure as StoreFailure:
            noteStoreFailure(failure)
            self.answer(answer, .unavailable)
        default:
            log(.error, "a request failed: \(error)")
            self.answer(answer, .internalError)
        }
    }
}
