import Network
import Testing

@testable import TodoServer

@Suite struct RateMeterTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    private func limits() -> EdgeLimits {
        var limits = EdgeLimits()
        limits.framesPerSecond = 100
        limits.bytesPerSecond = 10_000
        limits.emptyFramesPerSecond = 5
        return limits
    }

    @Test func `two seconds' worth may come at once, and what is more waits until it would have come`() {
        var meter = RateMeter()
        #expect(meter.take(bytes: 0, frames: 200, emptyFrames: 0, limits(), now: start) == .fine)
        guard case .wait(let until) = meter.take(bytes: 0, frames: 50, emptyFrames: 0, limits(), now: start) else {
            Issue.record("fifty too many are half a second too many")
            return
        }
        #expect(until.nanoseconds(since: start) >= 500_000_000 && until.nanoseconds(since: start) <= 510_000_000)
        #expect(meter.take(bytes: 0, frames: 0, emptyFrames: 0, limits(), now: until) == .fine)
    }

    @Test func `bytes are counted apart from frames`() {
        var meter = RateMeter()
        #expect(meter.take(bytes: 20_000, frames: 1, emptyFrames: 0, limits(), now: start) == .fine)
        #expect(meter.take(bytes: 1, frames: 1, emptyFrames: 0, limits(), now: start) != .fine)
    }

    @Test func `whoever keeps to the rates is never held, for however long`() {
        var meter = RateMeter()
        for second in 0..<10_000 {
            let now = start.advanced(milliseconds: second * 1_000)
            #expect(meter.take(bytes: 10_000, frames: 100, emptyFrames: 5, limits(), now: now) == .fine)
        }
    }

    @Test func `ten seconds' worth of empty frames may come at once, and one more is a flood`() {
        var meter = RateMeter()
        #expect(meter.take(bytes: 0, frames: 50, emptyFrames: 50, limits(), now: start) == .fine)
        #expect(meter.take(bytes: 0, frames: 1, emptyFrames: 1, limits(), now: start) == .flood)
        #expect(meter.take(bytes: 0, frames: 1, emptyFrames: 1, limits(), now: start.advanced(milliseconds: 1_000)) == .fine)
    }

    @Test func `it takes 24 bytes`() {
        #expect(MemoryLayout<RateMeter>.size == 24)
    }
}
