import Testing

@testable import TodoLoad

@Suite("Histograms of latencies")
struct HistogramTests {
    @Test("Quantiles are those of the sorted values, to within a 128th", arguments: [1, 2, 10, 1_000, 20_000])
    func quantiles(count: Int) {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("histogram: seed \(seed)")
        var random = SplitMix(seed: seed)
        var histogram = Histogram()
        var values: [Int64] = []
        for _ in 0..<count {
            // Every magnitude from nanoseconds to hours.
            let value = Int64(random.next() >> UInt64(20 + random.below(44)))
            values.append(value)
            histogram.record(value)
        }
        values.sort()
        #expect(histogram.count == count)
        #expect(histogram.max == values.last)
        for part in [0.001, 0.5, 0.9, 0.99, 1] {
            let exact = values[max(0, Int((part * Double(count)).rounded(.up)) - 1)]
            let found = histogram.quantile(part)
            #expect(found >= exact && found - exact <= exact / 128, "\(part): \(found) instead of \(exact)")
        }
    }

    @Test("Small values are exact, negative ones are zero, the greatest one fits")
    func edges() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.5) == 0)
        for value: Int64 in [-5, 0, 1, 2, 127] { histogram.record(value) }
        #expect(histogram.quantile(0.4) == 0)
        #expect(histogram.quantile(0.6) == 1)
        #expect(histogram.quantile(1) == 127)
        histogram.record(.max)
        #expect(histogram.quantile(1) == .max && histogram.max == .max)
    }
}
