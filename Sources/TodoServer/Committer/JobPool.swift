import Network
import Synchronization
import TodoSync

/// Threads for what must not stop the committer: one that hashes passwords, and some that read snapshots, so that a long query does not
/// hold up other people's.
final class JobPool: JobRunner {
    typealias Job = @Sendable () -> Finished

    private let hashers: [Worker]
    private let readers: [Worker]

    private static let readerCount = 3

    /// Starts the threads; outcomes go to the committer's mailbox.
    init(committer: Mailbox<CommitterMessage>) throws {
        hashers = [try Worker("hashing", committer)]
        readers = try (0..<Self.readerCount).map { try Worker("reading \($0)", committer) }
    }

    /// Gives the job to the thread of its lane that has the fewest.
    func submit(_ lane: JobLane, _ job: @escaping Job) {
        let workers = lane == .hashing ? hashers : readers
        workers.min { $0.waiting < $1.waiting }?.take(job)
    }
}

/// One thread and the jobs that wait for it.
private final class Worker: Sendable {
    private let mailbox: Mailbox<JobPool.Job>
    private let count = Atomic(0)

    init(_ name: String, _ committer: Mailbox<CommitterMessage>) throws {
        mailbox = try Mailbox()
        _ = try NamedThread(name: name) { [self] in run(committer) }
    }

    /// How many jobs wait or run.
    var waiting: Int { count.load(ordering: .relaxed) }

    func take(_ job: @escaping JobPool.Job) {
        count.add(1, ordering: .relaxed)
        _ = mailbox.post(job)
    }

    private func run(_ committer: Mailbox<CommitterMessage>) {
        var jobs: [JobPool.Job] = []
        while true {
            _ = mailbox.wait(timeoutMilliseconds: -1)
            mailbox.takeAll(into: &jobs)
            for job in jobs {
                committer.send(.input(.finished(job())))
                count.subtract(1, ordering: .relaxed)
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }
}
