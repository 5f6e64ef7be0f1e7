import Network
import TestSupport
import Testing

@Suite struct TimerHeapTests {
    @Test func `entries come out in the order of their instants, and only when they are due`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        var heap = TimerHeap()
        var model: [Int64] = []
        for step in 0..<4_000 {
            if Bool.random(using: &random) || model.isEmpty {
                let instant = Int64.random(in: 0...1_000, using: &random)
                heap.push(TimerHeap.Entry(instant: Instant(nanoseconds: instant), id: ConnectionID(slot: UInt32(step), generation: 1)))
                model.append(instant)
            } else {
                let now = Int64.random(in: 0...1_000, using: &random)
                let expected = model.min().flatMap { $0 <= now ? $0 : nil }
                let popped = heap.popDue(at: Instant(nanoseconds: now))
                #expect(popped?.instant.nanoseconds == expected)
                if let expected, let place = model.firstIndex(of: expected) { model.remove(at: place) }
            }
            #expect(heap.count == model.count)
            #expect(heap.soonest.nanoseconds == model.min() ?? .max)
        }
    }
}
