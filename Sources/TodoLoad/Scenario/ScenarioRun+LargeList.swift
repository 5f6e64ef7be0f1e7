import Network
import Synchronization
import Todo
import TodoClient

/// The large list of `first-list`, which another thread takes.
extension ScenarioRun {
    /// How long is written in a step that measures.
    var nanosecondsOfStep: Int64 {
        Int64(options.seconds * 1e9) / Int64(hasLargeList ? Scenario.turns : 1)
    }

    mutating func takeLargeLists(_ loop: inout EventLoop) {
        do {
            if large == nil {
                large = try LargeListReader(endpoint: endpoint, address: address, context: context, query: tasks(of: options.projects))
            }
            large?.post(.begin)
        } catch {
            fail("The large list can't be taken: \(error)", &loop)
        }
    }

    /// No large list is begun any more, and whether none is on its way; where they are taken, one at least has come by then.
    mutating func endLargeLists(_ loop: inout EventLoop) -> Bool {
        guard let findings = large?.findings else { return true }
        if !isPausing { large?.post(.pause) }
        isPausing = true
        let (isIdle, count, failure) = findings.state.withLock { ($0.isIdle, $0.times.count, $0.failure) }
        if let failure { fail(failure, &loop) }
        return isIdle && (count > 0 || step != .measure(Scenario.withFirstLists))
    }

    /// Adds what the other thread has found since it was last asked.
    func takeFindings(into figures: inout StepFigures) {
        large?.findings.state.withLock { state in
            for time in state.times { figures.firstLists.record(time) }
            figures.bytesReceived += state.bytesReceived
            state.times = []
            state.bytesReceived = 0
        }
    }

    /// Whether the last session with the large list has it as the server's query tells; what is still on its way is waited for.
    mutating func isLargeListRight(_ loop: inout EventLoop) -> Bool {
        guard let findings = large?.findings else { return true }
        let (rows, failure) = findings.state.withLock { state in
            defer { state.rows = nil }
            return (state.rows, state.failure)
        }
        if let failure {
            fail(failure, &loop)
            return false
        }
        if let rows, rows == expected[options.projects] { return true }
        if Instant.now().nanoseconds(since: begun) > Int64(Self.patienceMilliseconds) * 1_000_000 {
            let difference = ListComparison.firstDifference(rows ?? [], expected[options.projects] ?? []) ?? "it was not told"
            fail("The large list is wrong: \(difference)", &loop)
        } else {
            large?.post(.tell)
        }
        return false
    }
}
