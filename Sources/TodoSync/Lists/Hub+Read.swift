import Todo
import TodoStore

/// Reading from a snapshot on another thread while writes go on.
extension Hub {
    /// Lets another thread read from the last committed state. `then` runs on the committer's thread; its outcome is `failed` where `read` throws, or
    /// there is no snapshot to be had.
    ///
    /// - Parameters:
    ///   - reader: the id of the user for whom it is read: users take turns.
    ///   - isWanted: asked before it begins; where it is not wanted any more, nothing comes of it.
    func readSnapshot(
        for reader: String, while isWanted: @escaping () -> Bool,
        _ read: @escaping @Sendable (any Snapshot) throws -> Finished.Outcome, then: @escaping (Finished.Outcome) -> Void
    ) {
        reads.append(
            ReadQueue.Read(reader: reader, isWanted: isWanted) { [unowned self] result in
                switch result {
                case .failure(let fault): then(.failed(fault))
                case .success(let snapshot):
                    let ticket = jobBook.open { [unowned self] outcome in
                        reads.end(of: reader)
                        beginReads()
                        then(outcome)
                    }
                    jobs.submit(.reading) {
                        defer { snapshot.release() }
                        do { return Finished(ticket: ticket, outcome: try read(snapshot)) } catch {
                            return Finished(ticket: ticket, outcome: .failed(JobFault(error)))
                        }
                    }
                }
            })
        beginReads()
    }

    /// The same for a request, whose session's next ones wait meanwhile; `then` runs while the session is open.
    func readSnapshot(
        for answer: Answer, _ read: @escaping @Sendable (any Snapshot) throws -> Finished.Outcome,
        then: @escaping (Finished.Outcome) -> Void
    ) {
        let session = answer.session
        session.wait = .job
        readSnapshot(for: session.login?.view.caller.userId ?? "", while: { session.isOpen }, read) { [unowned self] outcome in
            session.wait = .none
            guard session.isOpen else { return }
            if case .failed(let fault) = outcome { self.answer(answer, fault.response) } else { then(outcome) }
            schedule(session)
        }
    }

    /// Snapshots are connections to the database: only so many are open at once, and further readers wait for one.
    private func beginReads() {
        while let read = reads.next(atOnce: settings.limits.snapshots) {
            do {
                let snapshot = try store.snapshot()
                read.begin(.success(snapshot))
            } catch {
                reads.end(of: read.reader)
                read.begin(.failure(JobFault(error)))
            }
        }
    }
}
