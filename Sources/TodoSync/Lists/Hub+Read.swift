import Todo
import TodoStore

/// Reading from a snapshot on another thread while writes go on.
extension Hub {
    /// Lets another thread read from the last committed state. `then` runs on the committer's thread; its outcome is `failed` where `read` throws, or
    /// there is no snapshot to be had.
    func readSnapshot(
        _ read: @escaping @Sendable (any Snapshot) throws -> Finished.Outcome, then: @escaping (Finished.Outcome) -> Void
    ) {
        withSnapshot { [unowned self] result in
            switch result {
            case .failure(let fault): then(.failed(fault))
            case .success(let snapshot):
                let ticket = jobBook.open { [unowned self] outcome in
                    endRead()
                    then(outcome)
                }
                jobs.submit(.reading) {
                    defer { snapshot.release() }
                    do { return Finished(ticket: ticket, outcome: try read(snapshot)) } catch {
                        return Finished(ticket: ticket, outcome: .failed(JobFault(error)))
                    }
                }
            }
        }
    }

    /// The same for a request, whose session's next ones wait meanwhile; `then` runs while the session is open.
    func readSnapshot(
        for answer: Answer, _ read: @escaping @Sendable (any Snapshot) throws -> Finished.Outcome,
        then: @escaping (Finished.Outcome) -> Void
    ) {
        let session = answer.session
        session.wait = .job
        readSnapshot(read) { [unowned self] outcome in
            session.wait = .none
            guard session.isOpen else { return }
            if case .failed(let fault) = outcome { self.answer(answer, fault.response) } else { then(outcome) }
            schedule(session)
        }
    }

    /// Snapshots are connections to the database: only so many are open at once, and further readers wait for one.
    private func withSnapshot(_ use: @escaping (Result<any Snapshot, JobFault>) -> Void) {
        guard readsUnderWay < settings.limits.snapshots else { return waitingReads.append(use) }
        do {
            let snapshot = try store.snapshot()
            readsUnderWay += 1
            use(.success(snapshot))
        } catch {
            use(.failure(JobFault(error)))
        }
    }

    private func endRead() {
        readsUnderWay -= 1
        guard !waitingReads.isEmpty else { return }
        withSnapshot(waitingReads.removeFirst())
    }
}
