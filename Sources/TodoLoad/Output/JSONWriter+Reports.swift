import Bytes

/// What the reports for programs have in common.
extension JSONWriter {
    /// Members with the quantiles that reports show and the greatest value, in milliseconds.
    mutating func quantiles(of histogram: Histogram) {
        for (name, part) in Histogram.shownQuantiles {
            key(escaping: name)
            value(Double(histogram.quantile(part)) / 1e6)
        }
        key("max")
        value(Double(histogram.max) / 1e6)
    }

    /// Members with numbers.
    mutating func counts(_ counts: [(name: String, count: Int)]) {
        for (name, count) in counts {
            key(escaping: name)
            value(count)
        }
    }
}

extension Histogram {
    /// The quantiles that reports show, with their names.
    static let shownQuantiles: [(name: String, part: Double)] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
}
