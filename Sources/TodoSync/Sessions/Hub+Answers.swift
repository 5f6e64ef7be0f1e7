import Bytes
import Todo
import TodoProtocol

/// How answers leave: at once, with the group that their session waits for, or with their batch.
extension Hub {
    /// Encodes one message.
    func text(_ encode: (inout JSONWriter) -> Void) -> SharedBytes {
        writer.removeAll()
        encode(&writer)
        return writer.finish()
    }

    func answer(_ answer: Answer, _ error: ErrorResponse) {
        log(.debug, "session \(answer.session.id.connection): refused \(error.code.rawValue) \(error.reason)")
        self.answer(answer) { writer in MessageEncoder.error(answer.id, error, into: &writer) }
    }

    /// Answers in the order of the requests: behind the group's commit where the session has a part in it.
    func answer(_ answer: Answer, _ encode: (inout JSONWriter) -> Void) {
        let reply = answer.id == .absent ? nil : text(encode)
        if answer.session.wait == .group {
            group.replies.append((answer, reply))
        } else {
            send(reply, answer)
        }
    }

    /// Hands the encoded answer out, or to its batch; `nil` where the request was a notification.
    func send(_ reply: SharedBytes?, _ answer: Answer) {
        guard let batch = answer.batch else {
            if let reply { deliver(reply, to: answer.session) }
            return
        }
        if let reply { batch.append(bounded(reply, answer, in: batch)) }
        batch.remaining -= 1
        guard batch.remaining == 0, !batch.replies.isEmpty else { return }
        deliver(text { writer in MessageEncoder.batch(batch.replies, into: &writer) }, to: answer.session)
    }

    /// The answers of a batch go out in one message, so they share the bound of one answer.
    private func bounded(_ reply: SharedBytes, _ answer: Answer, in batch: BatchReplies) -> SharedBytes {
        let maximum = settings.limits.queryBytes
        guard batch.byteCount + reply.count > maximum, !batch.replies.isEmpty else { return reply }
        let error = ErrorResponse.limit(
            "queryBytes", maximum: maximum, "The answers of the batch have more than \(maximum) bytes; send its requests one by one.")
        return text { writer in MessageEncoder.error(answer.id, error, into: &writer) }
    }

    /// Lets another thread work for the session, whose next requests wait meanwhile. `whenDone` runs in any case, `then` only while
    /// the session is open.
    func work(
        for answer: Answer, _ lane: JobLane, _ job: @escaping @Sendable () -> Finished.Outcome, whenDone: @escaping () -> Void = {},
        then: @escaping (Finished.Outcome) -> Void
    ) {
        let session = answer.session
        session.wait = .job
        let ticket = jobBook.open { [unowned self] outcome in
            session.wait = .none
            whenDone()
            guard session.isOpen else { return }
            then(outcome)
            schedule(session)
        }
        jobs.submit(lane) { Finished(ticket: ticket, outcome: job()) }
    }
}
