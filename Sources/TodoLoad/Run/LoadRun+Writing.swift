import Bytes
import Network
import Todo
import TodoClient
import TodoProtocol

/// The keeper's preparation, and the load itself.
extension LoadRun {
    /// So many entries one transaction of the keeper has: well within the server's limit.
    private static let entriesMax = 500

    /// The keeper writes the projects and their first tasks, part by part.
    mutating func prepare(_ member: UnsafeMutablePointer<Member>, _ loop: inout EventLoop) {
        guard phase == .preparing else { return }
        guard !preparation.isEmpty else {
            member.pointee.stage = .ready
            return enter(.joining, &loop)
        }
        let part = Array(preparation.prefix(Self.entriesMax))
        preparation.removeFirst(part.count)
        let request = member.pointee.session.write(txn: nil, part, &workspace)
        member.pointee.purposes[request] = .preparation
    }

    func dueTime(of write: Int) -> Instant {
        Instant(nanoseconds: begun.nanoseconds + options.dueNanoseconds(of: write))
    }

    mutating func writeWhatIsDue(_ loop: inout EventLoop) {
        guard !isEntering else { return }
        let now = Instant.now()
        while phase == .writing {
            let due = dueTime(of: nextWrite)
            guard due.nanoseconds(since: begun) < Int64(options.seconds * 1e9) else {
                if now.nanoseconds(since: begun) >= Int64(options.seconds * 1e9) { enter(.draining, &loop) }
                return
            }
            guard due <= now else { return }
            write(due: due, now, &loop)
        }
    }

    private mutating func write(due: Instant, _ now: Instant, _ loop: inout EventLoop) {
        let write = plan.next()
        nextWrite += 1
        guard let id = ids[write.session], let member = members.pointer(to: id) else { return }
        let request = member.pointee.session.write(txn: "\(plan.run)-\(nextWrite)", write.changes, &workspace)
        member.pointee.purposes[request] = .write(project: write.project, intended: due.nanoseconds)
        tracker.sent(project: write.project)
        unanswered += 1
        report.lateness.record(now.nanoseconds(since: due))
        send(to: id, &loop)
    }

    mutating func noteChange(_ change: ChangeMessage, _ member: UnsafeMutablePointer<Member>) {
        let now = Instant.now()
        report.deliveries += 1
        tracker.applied(session: member.pointee.index, version: change.version, at: now.nanoseconds)
        if phase == .draining { heard = now }
    }

    mutating func noteAnswer(_ project: Int, _ intended: Int64, _ version: Int64, _ isDuplicate: Bool) {
        report.acknowledged += 1
        unanswered -= 1
        if isDuplicate { report.fail("The server took a new write for one that it had seen: version \(version).") }
        report.toResult.record(Instant.now().nanoseconds - intended)
        tracker.accepted(project: project, version: version, intended: intended)
    }

    /// What has been used so far.
    func usages(_ loop: borrowing EventLoop) -> Usages {
        Usages(
            at: Instant.now().nanoseconds, bytesRead: loop.bytesRead, bytesWritten: loop.bytesWritten, own: ProcessorTime.own(),
            server: serverProcess.flatMap { ProcessorTime.of(process: $0) }, deliveries: report.deliveries,
            acknowledged: report.acknowledged)
    }
}
