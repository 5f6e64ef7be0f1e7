import TestSupport
import Testing
import TodoClient

@Suite("Waiting before the next connection")
struct BackoffTests {
    @Test("Every wait lies in the upper half of twice the one before, up to the most")
    func grows() {
        var random = SplitMix(seed: 7)
        var backoff = Backoff(firstMilliseconds: 100, mostMilliseconds: 1_000)
        for most in [100, 200, 400, 800, 1_000, 1_000, 1_000] {
            #expect((most / 2...most).contains(backoff.next(using: &random)))
        }
        backoff.reset()
        #expect((50...100).contains(backoff.next(using: &random)))
    }

    @Test("Clients that lost their server together don't come back together")
    func jitter() {
        let waits = (0..<50).map { seed -> Int in
            var random = SplitMix(seed: UInt64(seed))
            var backoff = Backoff(firstMilliseconds: 10_000, mostMilliseconds: 10_000)
            return backoff.next(using: &random)
        }
        #expect(Set(waits).count > 40)
    }

    @Test("A thousand failures overflow nothing")
    func long() {
        var random = SplitMix(seed: 1)
        var backoff = Backoff(firstMilliseconds: 1 << 40, mostMilliseconds: Int.max)
        for _ in 0..<1_000 { #expect(backoff.next(using: &random) > 0) }
    }
}
