import Network
import TodoSync

/// Threads for what must not stop the committer: one that hashes passwords, one that reads snapshots.
final class JobPool: JobRunner {
    private typealias Job = @Sendable () -> Finished
    private let lanes: [JobLane: Mailbox<Job>]
    private let committer: Mailbox<CommitterMessage>

    /// Starts the threads; outcomes go to the committer's mailbox.
    init(committer: Mailbox<CommitterMessage>) throws {
        self.committer = committer
        var lanes: [JobLane: Mailbox<Job>] = [:]
        for lane in JobLane.allCases {
            let mailbox = try Mailbox<Job>()
            lanes[lane] = mailbox
            _ = try NamedThread(name: "\(lane)") { Self.run(mailbox, committer) }
        }
        self.lanes = lanes
    }

    func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished) {
        _ = lanes[lane]?.post(job)
    }

    private static func run(_ mailbox: Mailbox<Job>, _ committer: Mailbox<CommitterMessage>) {
        var jobs: [Job] = []
        while true {
            _ = mailbox.wait(timeoutMilliseconds: -1)
            mailbox.takeAll(into: &jobs)
            for job in jobs { _ = committer.post(.input(.finished(job()))) }
            jobs.removeAll(keepingCapacity: true)
        }
    }
}
