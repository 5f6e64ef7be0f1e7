/// How often each latency came, in buckets that are at most 1/128 wide of the value they stand for, so that a quantile is right to
/// within 0.8 % at any magnitude. Recording takes a few instructions and no memory.
struct Histogram {
    /// Bits of a value that its bucket keeps below the leading one.
    private static let precisionBits = 7

    private var counts = [Int](repeating: 0, count: (64 - Histogram.precisionBits) << Histogram.precisionBits)
    /// How many values were recorded.
    private(set) var count = 0
    /// The greatest value, exactly.
    private(set) var max: Int64 = 0

    /// Records a value; below zero counts as zero.
    mutating func record(_ value: Int64) {
        let value = Swift.max(0, value)
        counts[Self.bucket(UInt64(value))] += 1
        count += 1
        max = Swift.max(max, value)
    }

    /// The value that this part of all values does not exceed; 0 where there are none.
    func quantile(_ part: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let rank = Swift.min(count, Swift.max(1, Int((part * Double(count)).rounded(.up))))
        var seen = 0
        for (bucket, count) in counts.enumerated() where count > 0 {
            seen += count
            if seen >= rank { return Swift.min(max, Self.greatest(in: bucket)) }
        }
        return max
    }

    private static func bucket(_ value: UInt64) -> Int {
        guard value >= 1 << precisionBits else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount - precisionBits
        return (exponent + 1) << precisionBits + Int(value >> UInt64(exponent)) - 1 << precisionBits
    }

    private static func greatest(in bucket: Int) -> Int64 {
        guard bucket >= 1 << precisionBits else { return Int64(bucket) }
        let exponent = bucket >> precisionBits - 1
        let mantissa = UInt64(bucket & (1 << precisionBits - 1) | 1 << precisionBits)
        let end = (mantissa + 1) << UInt64(exponent)
        return Int64(clamping: end - 1)
    }
}
