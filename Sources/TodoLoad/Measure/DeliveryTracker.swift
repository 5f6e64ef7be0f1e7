/// Finds out when each write had reached every session of its project.
///
/// A write's version is known when its result comes; sessions may have applied that version before, or apply it later. A session has
/// applied a write with its first change of that version or a higher one. So each session's recent changes are remembered for as
/// long as a write that was sent before them is unanswered, and each write waits for the sessions that are still behind.
struct DeliveryTracker {
    /// A change that a session has applied.
    private struct Applied {
        var version: Int64
        var at: Int64
    }

    private struct Session {
        var project: Int
        var version: Int64 = 0
        var applied: [Applied] = []
    }

    /// An answered write that some sessions have not applied yet.
    private struct Waiting {
        var version: Int64
        var intended: Int64
        var sessionsLeft: Int
        var last: Int64
    }

    private struct Project {
        var sessions: [Int] = []
        /// Writes that are not answered.
        var unanswered = 0
        /// Ascending by version.
        var waiting: [Waiting] = []
    }

    private var sessions: [Session]
    private var projects: [Project]
    /// From the intended send time to the moment that one session has applied the write.
    private(set) var toOne = Histogram()
    /// From the intended send time to the moment that the last session has applied it.
    private(set) var toEvery = Histogram()

    /// Sessions are spread over the projects by `project`.
    init(sessions count: Int, projects projectCount: Int, project: (Int) -> Int) {
        sessions = (0..<count).map { Session(project: project($0)) }
        projects = Array(repeating: Project(), count: projectCount)
        for session in 0..<count { projects[sessions[session].project].sessions.append(session) }
    }

    /// Writes that are answered and have not reached every session.
    var waitingCount: Int { projects.reduce(0) { $0 + $1.waiting.count } }

    /// How far the sessions of the project are behind its writes, for a diagnosis.
    func laggards(ofProject project: Int) -> (version: Int64, sessions: [Int])? {
        guard let version = projects[project].waiting.last?.version else { return nil }
        return (version, projects[project].sessions.filter { sessions[$0].version < version })
    }

    /// A write is sent.
    mutating func sent(project: Int) {
        projects[project].unanswered += 1
    }

    /// A write was refused: nobody will see it.
    mutating func refused(project: Int) {
        answered(project)
    }

    /// A write has that version, of its own.
    mutating func accepted(project: Int, version: Int64, intended: Int64) {
        var write = Waiting(version: version, intended: intended, sessionsLeft: 0, last: 0)
        for session in projects[project].sessions {
            if sessions[session].version < version {
                write.sessionsLeft += 1
            } else {
                let at = firstApplied(session, version)
                toOne.record(at - intended)
                write.last = max(write.last, at)
            }
        }
        if write.sessionsLeft == 0 {
            toEvery.record(write.last - intended)
        } else {
            let place = projects[project].waiting.lastIndex { $0.version < version }.map { $0 + 1 } ?? 0
            projects[project].waiting.insert(write, at: place)
        }
        answered(project)
    }

    /// A session has applied a change and stands at that version.
    mutating func applied(session: Int, version: Int64, at: Int64) {
        let before = sessions[session].version
        guard version > before else { return }
        sessions[session].version = version
        let project = sessions[session].project
        if projects[project].unanswered > 0 {
            sessions[session].applied.append(Applied(version: version, at: at))
        } else if !sessions[session].applied.isEmpty {
            sessions[session].applied.removeAll(keepingCapacity: true)
        }
        if !projects[project].waiting.isEmpty { deliver(project, before, version, at) }
    }

    private mutating func deliver(_ project: Int, _ before: Int64, _ version: Int64, _ at: Int64) {
        var isAnyComplete = false
        // From the back: what a session applies now is mostly the newest.
        var index = projects[project].waiting.count - 1
        while index >= 0, projects[project].waiting[index].version > before {
            if projects[project].waiting[index].version <= version {
                toOne.record(at - projects[project].waiting[index].intended)
                projects[project].waiting[index].sessionsLeft -= 1
                projects[project].waiting[index].last = max(projects[project].waiting[index].last, at)
                if projects[project].waiting[index].sessionsLeft == 0 {
                    toEvery.record(projects[project].waiting[index].last - projects[project].waiting[index].intended)
                    isAnyComplete = true
                }
            }
            index -= 1
        }
        if isAnyComplete { projects[project].waiting.removeAll { $0.sessionsLeft == 0 } }
    }

    /// When the session applied the version, or the one that had it in it.
    private func firstApplied(_ session: Int, _ version: Int64) -> Int64 {
        let applied = sessions[session].applied
        var (low, high) = (0, applied.count)
        while low < high {
            let middle = (low + high) / 2
            if applied[middle].version < version { low = middle + 1 } else { high = middle }
        }
        return low < applied.count ? applied[low].at : 0
    }

    private mutating func answered(_ project: Int) {
        projects[project].unanswered -= 1
        guard projects[project].unanswered == 0 else { return }
        for session in projects[project].sessions where !sessions[session].applied.isEmpty {
            sessions[session].applied.removeAll(keepingCapacity: true)
        }
    }
}
