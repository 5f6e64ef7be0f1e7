import Bytes
import Network
import Todo
import TodoClient
import TodoProtocol

/// What each step does, and when it is done.
extension ScenarioRun {
    private static let entriesMax = 500
    /// Writes that the sessions miss while they are cut off.
    private static let missedWrites = 100
    /// Bytes that are written for each stalled session: more than what its socket and the server's bound hold.
    private static let floodBytes = 12 << 20
    private static let floodBody = 9_000
    /// One write in so many goes to the large list, where there is one.
    private static let writesToEachLarge = 10
    /// So many of these are under way at a time.
    private static let floodWrites = 16

    mutating func enter(_ next: Scenario.Step, _ loop: inout EventLoop) {
        switch next {
        case .join: toConnect = ArraySlice(readers)
        case .measure(Scenario.withFirstLists): takeLargeLists(&loop)
        case .drop:
            for place in readers { if let id = members[place].connection { loop.abort(id) } }
            writeNext(&loop)
        case .reconnect: toConnect = ArraySlice(readers)
        case .stall:
            for place in readers where project(of: place) == 0 {
                guard let id = members[place].connection else { continue }
                members[place].isStalled = true
                loop.pauseReading(id)
            }
            for _ in 0..<Self.floodWrites { writeNext(&loop) }
        case .wake:
            for place in readers where members[place].isStalled {
                members[place].isStalled = false
                if let id = members[place].connection { loop.resumeReading(id) }
            }
        case .verify: query(&loop)
        case .remove: remove(&loop)
        case .over: end(&loop)
        case .prepare, .measure: break
        }
    }

    /// On to the next step where this one is done.
    mutating func advance(_ loop: inout EventLoop) {
        while let next = toConnect.first, connecting < Self.connectingMax {
            toConnect.removeFirst()
            connect(next, &loop)
        }
        switch step {
        case .join where readyCount == options.sessions, .reconnect where readyCount == options.sessions: finishStep(&loop)
        case .drop where purposes.isEmpty && readyCount == 0 && written - writtenAtBegin >= Self.missedWrites: finishStep(&loop)
        case .stall where purposes.isEmpty && (written - writtenAtBegin) * Self.floodBody >= Self.floodBytes: finishStep(&loop)
        // What the stalled sessions are told is looked at when the lists are compared.
        case .wake: finishStep(&loop)
        case .measure:
            guard Instant.now().nanoseconds(since: begun) >= nanosecondsOfStep else { return }
            if endLargeLists(&loop), purposes.isEmpty { finishStep(&loop) }
        case .verify: compare(&loop)
        default: break
        }
    }

    // MARK: Writing

    func projectID(_ project: Int) -> String { "load-\(run)-\(project)" }
    private func itemID(_ project: Int, _ row: Int) -> String { "load-\(run)-\(project)-\(row)" }
    private func rows(of project: Int) -> Int { hasLargeList && project < options.projects ? 20 : rows }

    func preparedRows() -> [ChangeSpec] {
        var changes: [ChangeSpec] = []
        for project in 0..<projects {
            let id = Value.string(projectID(project))
            changes.append(
                .create(
                    .project, [("projectId", id), ("name", .string("Load test \(project + 1)")), ("access", .string("everyone-write"))]))
            for row in 0..<rows(of: project) {
                changes.append(
                    .create(
                        .item,
                        [("itemId", .string(itemID(project, row))), ("projectId", id), ("body", .string("Water the tomatoes, row \(row)"))])
                )
            }
        }
        return changes
    }

    /// The keeper writes the next part of what is prepared.
    mutating func prepare(_ loop: inout EventLoop) {
        guard !preparation.isEmpty else { return finishStep(&loop) }
        let part = Array(preparation.prefix(Self.entriesMax))
        preparation.removeFirst(part.count)
        request(.preparation) { session, workspace in session.write(txn: nil, part, &workspace) }
    }

    func dueTime(of write: Int) -> Instant {
        Instant(nanoseconds: begun.nanoseconds + options.dueNanoseconds(of: write))
    }

    mutating func writeWhatIsDue(_ loop: inout EventLoop) {
        guard case .measure = step else { return }
        let now = Instant.now()
        while dueTime(of: written - writtenAtBegin) <= now, now.nanoseconds(since: begun) < nanosecondsOfStep {
            let number = written - writtenAtBegin
            // Where somebody takes the large list, it changes meanwhile.
            let isToLargeList = hasLargeList && number % Self.writesToEachLarge == 0
            let project = isToLargeList ? options.projects : number % options.projects
            // Sessions that read nothing go on missing much.
            let isFlood = step == .measure("some stalled") && project == 0
            write(due: dueTime(of: number), project: project, padding: isFlood ? Self.floodBody : 0)
        }
        flush(&loop)
    }

    /// One write at a time, where it is not the time that counts.
    mutating func writeNext(_ loop: inout EventLoop) {
        switch step {
        case .drop where written - writtenAtBegin < Self.missedWrites:
            write(due: Instant.now(), project: written % options.projects, padding: 0)
        case .stall where (written - writtenAtBegin) * Self.floodBody < Self.floodBytes:
            write(due: Instant.now(), project: 0, padding: Self.floodBody)
        default: break
        }
        flush(&loop)
    }

    private mutating func write(due: Instant, project: Int, padding: Int) {
        let row = written / options.projects % rows(of: project)
        let body = "\(due.nanoseconds) " + String(repeating: "x", count: padding)
        written += 1
        let change = ChangeSpec.update(.item, id: itemID(project, row), set: [("body", .string(body))])
        request(.write(due: due)) { session, workspace in session.write(txn: nil, [change], &workspace) }
    }

    mutating func request(_ purpose: Purpose, _ body: (inout ClientSession, inout ClientWorkspace) -> Int64) {
        purposes[body(&members[keeper].session, &workspace)] = purpose
    }

    /// Sends what the keeper has to say.
    private mutating func flush(_ loop: inout EventLoop) {
        if let id = members[keeper].connection { send(to: id, &loop) }
    }

    // MARK: The end

    private mutating func query(_ loop: inout EventLoop) {
        expected.removeAll()
        for project in 0..<projects {
            let text = tasks(of: project)
            request(.query(project: project)) { session, workspace in session.query(QueryParams(text), &workspace) }
        }
        flush(&loop)
    }

    func tasks(of project: Int) -> QueryText {
        QueryText(.item, filter: "projectId == $0", args: [.value(.string(projectID(project)))], sort: ["position"])
    }

    /// Done when every list is what the server's query says; what is still on its way is waited for.
    private mutating func compare(_ loop: inout EventLoop) {
        guard expected.count == projects else { return }
        guard isLargeListRight(&loop) else { return }
        for place in readers where members[place].connection != nil {
            guard let rows = members[place].session.list("tasks")?.rows else { return fail("Session \(place + 1) has no list.", &loop) }
            guard rows != expected[project(of: place)] else { continue }
            guard Instant.now().nanoseconds(since: begun) > Int64(Self.patienceMilliseconds) * 1_000_000 else { return }
            let difference = ListComparison.firstDifference(rows, expected[project(of: place)] ?? []) ?? ""
            return fail("The list of session \(place + 1) is wrong: \(difference)", &loop)
        }
        finishStep(&loop)
    }

    private mutating func remove(_ loop: inout EventLoop) {
        guard serverProcess == nil else { return finishStep(&loop) }
        let changes = (0..<projects).map { ChangeSpec.delete(.project, id: projectID($0)) }
        request(.removal) { session, workspace in session.write(txn: nil, changes, &workspace) }
        flush(&loop)
    }
}
