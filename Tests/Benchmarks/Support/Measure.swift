import Glibc

/// Measures processor time of this thread, which other programs on the machine disturb less than they do the clock.
enum Measure {
    /// The processor time of this thread so far, in nanoseconds.
    static var processorNanoseconds: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }
    /// The time that has passed, in nanoseconds.
    static var clockNanoseconds: UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The processor time of one round in nanoseconds, the best of some repetitions.
    static func best(rounds: Int, repetitions: Int = 5, _ body: (Int) throws -> Void) rethrows -> UInt64 {
        var best = UInt64.max
        for repetition in 0..<repetitions {
            let start = processorNanoseconds
            for round in 0..<rounds { try body(repetition * rounds + round) }
            best = min(best, processorNanoseconds - start)
        }
        return best / UInt64(rounds)
    }

    /// The processor time of one call.
    static func once(_ body: () throws -> Void) rethrows -> UInt64 {
        let start = processorNanoseconds
        try body()
        return processorNanoseconds - start
    }

    /// Prints the processor time of one round, the best of some repetitions.
    static func report(_ name: String, rounds: Int, _ body: (Int) throws -> Void) rethrows {
        print("\(pad(name)) \(time(try best(rounds: rounds, body)))")
    }

    static func pad(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 66 - name.count))
    }

    /// A duration in a unit that fits it.
    static func time(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case ..<10_000: "\(nanoseconds) ns"
        case ..<10_000_000: "\(nanoseconds / 1000) µs"
        default: "\(nanoseconds / 1_000_000) ms"
        }
    }

    /// A size in bytes, kilobytes or megabytes.
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) B"
        case ..<10_000_000: "\(bytes / 1000) kB"
        default: "\(bytes / 1_000_000) MB"
        }
    }

    /// A ratio with two decimals.
    static func ratio(_ one: UInt64, _ other: UInt64) -> String {
        let hundredths = other == 0 ? 0 : one * 100 / other
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
