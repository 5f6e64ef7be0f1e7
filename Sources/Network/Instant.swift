import CLinux
import Glibc

/// A point on the monotonic clock, in nanoseconds since an arbitrary start. Never goes back, unaffected by the wall clock.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's start.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the clock's start.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock (some 20 ns; an event loop reads it once a turn).
    public static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Later than every instant that the clock reaches: "no deadline".
    @inlinable
    public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    /// The instant `milliseconds` after this one; stays `distantFuture` past the end of the clock.
    @inlinable
    public func advanced(milliseconds: Int) -> Instant {
        let (product, overflow) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, carried) = nanoseconds.addingReportingOverflow(product)
        return overflow || carried ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// How many nanoseconds lie between `earlier` and this instant.
    @inlinable
    public func nanoseconds(since earlier: Instant) -> Int64 {
        nanoseconds &- earlier.nanoseconds
    }

    /// Whether `left` comes before `right`.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
