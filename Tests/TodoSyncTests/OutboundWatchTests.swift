import Testing
import TodoSync

struct OutboundWatchTests {
    @Test func `a session that was told more while it was slow has caught up when that is taken too`() {
        var watch = OutboundWatch()
        #expect(watch.drained(queuedBytes: 0) == .nothing)
        #expect(watch.overflowed(queuedBytes: 2000) == .fellBehind)
        #expect(watch.overflowed(queuedBytes: 2500) == .nothing)
        // What was on its way from the committer came behind the place that was marked.
        #expect(watch.drained(queuedBytes: 500) == .goOnWaiting)
        #expect(watch.isBehind)
        #expect(watch.drained(queuedBytes: 0) == .caughtUp)
        #expect(!watch.isBehind)
        #expect(watch.drained(queuedBytes: 0) == .nothing)
    }

    @Test func `only a reader that takes nothing at all is stuck`() {
        var watch = OutboundWatch()
        #expect(watch.deadlinePassed(queuedBytes: 0) == .nothing)
        _ = watch.overflowed(queuedBytes: 2000)
        #expect(watch.deadlinePassed(queuedBytes: 1999) == .goOnWaiting)
        #expect(watch.deadlinePassed(queuedBytes: 1999) == .stuck)
    }
}
