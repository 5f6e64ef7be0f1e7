import TodoSync

/// Work of other threads, done when the run says so, in the order in which it came: nothing is left to chance.
final class HeldJobs: JobRunner, @unchecked Sendable {
    // The hub and its runner live on one thread; the protocol asks for Sendable because the server's pool has several.
    private var waiting: [@Sendable () -> Finished] = []

    var isEmpty: Bool { waiting.isEmpty }

    func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished) {
        waiting.append(job)
    }

    func takeFirst() -> (@Sendable () -> Finished)? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
