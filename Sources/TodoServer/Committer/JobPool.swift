import Network
import Synchronization
import TodoSync

/// Threads for what must not stop the committer: one that hashes passwords, some that read snapshots, so that a long query does not hold up other
/// people's, and one that encodes.
///
/// They are nice: where the cores do not suffice for all, the committer and the loops come first, and with them everybody's writes.
final class JobPool: JobRunner {
    typealias Job = @Sendable () -> Finished

    private let hashers: [Worker]
    private let readers: [Worker]
    private let encoders: [Worker]

    private static let readerCount = 3

    /// Starts the threads; outcomes go to the committer's mailbox, with their messages framed, and compressed while `status` counts sessions that
    /// take such.
    init(committer: Mailbox<CommitterMessage>, status: ServerStatus) throws {
        hashers = [try Worker("hashing", committer, status)]
        readers = try (0..<Self.readerCount).map { try Worker("reading \($0)", committer, status) }
        encoders = [try Worker("encoding", committer, status)]
    }

    /// Gives the job to the thread of its lane that has the fewest.
    func submit(_ lane: JobLane, _ job: @escaping Job) {
        let workers =
            switch lane {
            case .hashing: hashers
            case .reading: readers
            case .encoding: encoders
            }
        workers.min { $0.waiting < $1.waiting }?.take(job)
    }
}

/// One thread and the jobs that wait for it.
private final class Worker: Sendable {
    private let mailbox: Mailbox<JobPool.Job>
    private let count = Atomic(0)
    private let status: ServerStatus

    init(_ name: String, _ committer: Mailbox<CommitterMessage>, _ status: ServerStatus) throws {
        mailbox = try Mailbox()
        self.status = status
        _ = try NamedThread(name: name, niceness: Self.niceness) { [self] in run(committer) }
    }

    /// Against a thread that is not nice, about a tenth of a core.
    private static let niceness = 10

    /// How many jobs wait or run.
    var waiting: Int { count.load(ordering: .relaxed) }

    func take(_ job: @escaping JobPool.Job) {
        count.add(1, ordering: .relaxed)
        _ = mailbox.post(job)
    }

    private func run(_ committer: Mailbox<CommitterMessage>) {
        var framer = TextFramer(status: status)
        var jobs: [JobPool.Job] = []
        while true {
            _ = mailbox.wait(timeoutMilliseconds: -1)
            mailbox.takeAll(into: &jobs)
            for job in jobs {
                let finished = job().framed { text in framer.frame(text) }
                committer.send(.input(.finished(finished)))
                count.subtract(1, ordering: .relaxed)
            }
            jobs.removeAll(keepingCapacity: true)
        }
    }
}
