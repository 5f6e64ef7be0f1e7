import Bytes
import Network
import Todo
import TodoClient
import TodoProtocol

/// The proof: every session's lists against the server's own answer at the same version, and every acknowledged write in it.
extension LoadRun {
    mutating func verifyStep(_ loop: inout EventLoop) {
        guard verification.unanswered == 0, loop.now.nanoseconds >= verification.pause else { return }
        if verification.round > 0, evaluate(&loop) { return }
        guard phase == .verifying else { return }
        guard verification.round < Verification.roundsMax else {
            report.fail("The server did not come to rest: in \(Verification.roundsMax) rounds no query met the sessions at one version.")
            return giveUp(&loop)
        }
        verification.round += 1
        ask(&loop)
    }

    /// One session of each project asks for the lists; every session asks where its own stand.
    private mutating func ask(_ loop: inout EventLoop) {
        for index in 0..<options.sessions {
            guard let id = ids[index], let member = members.pointer(to: id) else { continue }
            if index < options.projects {
                let project = plan.project(of: index)
                member.pointee.purposes[member.pointee.session.query(QueryParams(tasksQuery(project)), &workspace)] = .tasksQuery
                member.pointee.purposes[member.pointee.session.query(QueryParams(projectQuery(project)), &workspace)] = .projectQuery
                verification.unanswered += 2
            }
            member.pointee.purposes[member.pointee.session.info(&workspace)] = .standing
            verification.unanswered += 1
            send(to: id, &loop)
        }
    }

    /// Compares what can be compared.
    ///
    /// - Returns: whether the verdict is final.
    private mutating func evaluate(_ loop: inout EventLoop) -> Bool {
        var unsettled = 0
        for index in 0..<options.sessions {
            guard let id = ids[index], let member = members.pointer(to: id) else { continue }
            let project = plan.project(of: index)
            guard let tasks = verification.tasks[project], let row = verification.project[project],
                let standing = member.pointee.standing, tasks.version == standing, row.version == standing,
                member.pointee.session.version <= standing
            else {
                unsettled += 1
                continue
            }
            compare(member.pointee.session.list(Self.tasksName)?.rows, tasks.objects, "tasks", index, standing)
            compare(member.pointee.session.list(Self.projectName)?.rows, row.objects, "project", index, standing)
        }
        if unsettled > 0, report.differences == 0 {
            verification.pause = loop.now.advanced(milliseconds: 100).nanoseconds
            return false
        }
        if unsettled == 0 { account() }
        report.verified = options.sessions - unsettled
        report.version = verification.tasks.compactMap { $0?.version }.max() ?? 0
        if isServerOwn { enter(.leaving, &loop) } else { enter(.removing, &loop) }
        return true
    }

    private mutating func compare(_ own: [Object]?, _ server: [Object], _ name: String, _ index: Int, _ version: Int64) {
        let own = own ?? []
        guard let difference = ListComparison.firstDifference(own, server) else { return }
        report.noteDifference(
            "At version \(version) the list '\(name)' of session \(index + 1) (project \(plan.project(of: index) + 1)) is wrong: \(difference)."
        )
    }

    /// Holds the server's lists against what the acknowledged writes must have made of them.
    private mutating func account() {
        guard report.refusals.isEmpty else { return }
        for project in 0..<options.projects {
            let rows = verification.tasks[project]?.objects ?? []
            let found = Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            for task in plan.tasks[project] {
                guard let row = found[task.id] else {
                    report.noteDifference("The task \(task.id) of project \(project + 1) was acknowledged, but is not at the server.")
                    continue
                }
                if row["body"] != .string(task.body) || row["isDone"] != .boolean(task.isDone) || row["priority"] != .integer(task.priority)
                {
                    report.noteDifference(
                        "The last acknowledged write of task \(task.id) is not at the server: it should be \(task.body), "
                            + "\(task.isDone ? "done" : "open"), priority \(task.priority); it is \(row["body"]), \(row["isDone"]), "
                            + "\(row["priority"]).")
                }
            }
            if found.count > plan.tasks[project].count {
                report.noteDifference(
                    "Project \(project + 1) has \(found.count) tasks at the server; the acknowledged writes leave \(plan.tasks[project].count)."
                )
            }
            if verification.project[project]?.objects.first?["itemCount"] != .integer(Int64(found.count)) {
                report.noteDifference("The itemCount of project \(project + 1) is not the number of its tasks, \(found.count).")
            }
        }
    }

    // MARK: The end

    /// The keeper removes this run's projects from a server that stays.
    mutating func removeProjects(_ loop: inout EventLoop) {
        preparation = (0..<options.projects).map { .delete(.project, id: plan.projectID($0)) }
        removeMore(&loop)
    }

    mutating func removeMore(_ loop: inout EventLoop) {
        guard let id = ids[keeper], let member = members.pointer(to: id), !preparation.isEmpty else { return enter(.leaving, &loop) }
        // Few at a time: each takes its tasks with it.
        let part = Array(preparation.prefix(20))
        preparation.removeFirst(part.count)
        let request = member.pointee.session.write(txn: nil, part, &workspace)
        member.pointee.purposes[request] = .removal
        send(to: id, &loop)
    }

    mutating func leave(_ loop: inout EventLoop) {
        for index in ids.indices {
            guard let id = ids[index], let member = members.pointer(to: id) else { continue }
            member.pointee.stage = .leaving
            member.pointee.session.close(&workspace)
            if workspace.output.isEmpty { loop.abort(id) }
            send(to: id, &loop)
        }
    }
}
