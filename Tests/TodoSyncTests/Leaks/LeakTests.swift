import Foundation
import Testing
import Todo
import TodoSync

/// Nothing leaks: over long random histories of writes, grants, revocations, moves, invitations, presences, slow readers and
/// reconnects, no byte that is delivered to a user holds an id, a name or a body of a state that this user may not have seen.
///
/// `TODO_SEED` replays one history, `TODO_LEAK_STEPS` makes each longer.
struct LeakTests {
    private static let stepsInAll = 100_000

    private static var seeds: [UInt64] {
        if let text = ProcessInfo.processInfo.environment["TODO_SEED"], let seed = UInt64(text) { return [seed] }
        let first = UInt64.random(in: 0...UInt64(UInt32.max))
        return (0..<4).map { first + $0 }
    }

    private static var stepsOfEach: Int {
        ProcessInfo.processInfo.environment["TODO_LEAK_STEPS"].flatMap { Int($0) } ?? stepsInAll / 4
    }

    @Test(arguments: seeds)
    func `no delivered byte tells a user what that user may not have seen`(seed: UInt64) throws {
        var run = try LeakRun(seed: seed)
        do {
            while run.steps < Self.stepsOfEach { try run.turn() }
        } catch let leak as LeakHarness.Leak {
            Issue.record("seed \(seed), step \(run.steps): user \(leak.user) was told \(LeakModel.text(leak.token)) in \(leak.text)")
            return
        } catch {
            Issue.record("seed \(seed), step \(run.steps): \(error)")
            return
        }
        print("leak search: seed \(seed), \(run.steps) steps, \(run.taken) taken, \(run.harness.bytesSearched) bytes searched")
        #expect(run.taken > run.steps / 10, "most attempts were refused: the history is too quiet to find anything")
    }
}
