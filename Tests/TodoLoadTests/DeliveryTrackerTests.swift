import Testing

@testable import TodoLoad

@Suite("When a write has reached every session")
struct DeliveryTrackerTests {
    /// Sessions 0 and 2 belong to project 0, sessions 1 and 3 to project 1.
    private func tracker() -> DeliveryTracker {
        DeliveryTracker(sessions: 4, projects: 2) { $0 % 2 }
    }

    @Test("Sessions that were there before the result, and one that comes after it")
    func aroundTheResult() {
        var tracker = tracker()
        tracker.sent(project: 0)
        tracker.applied(session: 0, version: 5, at: 130)
        tracker.accepted(project: 0, version: 5, intended: 100)
        #expect(tracker.toOne.count == 1 && tracker.toOne.max == 30)
        #expect(tracker.toEvery.count == 0 && tracker.waitingCount == 1)
        #expect(tracker.laggards(ofProject: 0)?.sessions == [2])
        tracker.applied(session: 2, version: 5, at: 190)
        #expect(tracker.toOne.count == 2)
        #expect(tracker.toEvery.count == 1 && tracker.toEvery.max == 90)
        #expect(tracker.waitingCount == 0 && tracker.laggards(ofProject: 0) == nil)
    }

    @Test("All sessions were there before the result: the last of them counts")
    func beforeTheResult() {
        var tracker = tracker()
        tracker.sent(project: 0)
        tracker.applied(session: 2, version: 5, at: 170)
        tracker.applied(session: 0, version: 5, at: 130)
        tracker.applied(session: 0, version: 6, at: 180)
        tracker.accepted(project: 0, version: 5, intended: 100)
        #expect(tracker.toEvery.max == 70)
        #expect(tracker.waitingCount == 0)
    }

    @Test("One change that brings several versions delivers all of their writes")
    func merged() {
        var tracker = tracker()
        for _ in 0..<3 { tracker.sent(project: 1) }
        tracker.accepted(project: 1, version: 7, intended: 10)
        tracker.accepted(project: 1, version: 5, intended: 0)
        tracker.applied(session: 1, version: 8, at: 50)
        tracker.applied(session: 3, version: 6, at: 60)
        #expect(tracker.toEvery.count == 1 && tracker.toEvery.max == 60)
        tracker.applied(session: 3, version: 8, at: 90)
        #expect(tracker.toEvery.count == 2 && tracker.toEvery.max == 80)
        tracker.accepted(project: 1, version: 8, intended: 20)
        #expect(tracker.toEvery.count == 3 && tracker.waitingCount == 0)
    }

    @Test("Another project's sessions, and refused writes, wait for nothing")
    func others() {
        var tracker = tracker()
        tracker.sent(project: 0)
        tracker.sent(project: 0)
        tracker.refused(project: 0)
        tracker.accepted(project: 0, version: 3, intended: 0)
        tracker.applied(session: 1, version: 9, at: 5)
        #expect(tracker.toOne.count == 0 && tracker.waitingCount == 1)
    }

    @Test("Random writes and deliveries agree with a naive reckoning")
    func model() {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("delivery tracker: seed \(seed)")
        var random = SplitMix(seed: seed)
        for _ in 0..<300 {
            var tracker = DeliveryTracker(sessions: 3, projects: 1) { _ in 0 }
            let writes = 1 + random.below(12)
            // Every write has its version and is due when it is sent; each session applies the versions in jumps; results come in any order.
            var arrivals: [[Int64]] = []
            var events: [(at: Int64, kind: Int, session: Int, version: Int64)] = []
            for session in 0..<3 {
                var applied: [Int64] = Array(repeating: 0, count: writes + 1)
                var version = 0
                var at: Int64 = Int64(writes)
                while version < writes {
                    let next = min(writes, version + 1 + random.below(3))
                    at += Int64(1 + random.below(50))
                    for skipped in (version + 1)...next { applied[skipped] = at }
                    events.append((at, 1, session, Int64(next)))
                    version = next
                }
                arrivals.append(applied)
            }
            for version in 1...writes { events.append((Int64(writes + random.below(200)), 2, 0, Int64(version))) }
            for version in 1...writes {
                _ = version
                tracker.sent(project: 0)
            }
            for event in events.sorted(by: { $0.at < $1.at }) {
                if event.kind == 1 {
                    tracker.applied(session: event.session, version: event.version, at: event.at)
                } else {
                    tracker.accepted(project: 0, version: event.version, intended: event.version)
                }
            }
            var expected = Histogram()
            var expectedOne = Histogram()
            for version in 1...writes {
                for session in 0..<3 { expectedOne.record(arrivals[session][version] - Int64(version)) }
                expected.record((arrivals.map { $0[version] }.max() ?? 0) - Int64(version))
            }
            for part in [0.1, 0.3, 0.5, 0.7, 0.9, 1] {
                #expect(tracker.toEvery.quantile(part) == expected.quantile(part))
                #expect(tracker.toOne.quantile(part) == expectedOne.quantile(part))
            }
            #expect(tracker.toEvery.count == writes && tracker.toOne.count == 3 * writes)
        }
    }
}
