import Network

/// What one connection has sent of late, against its rates: an instant for each, which is all that a leaky bucket has to remember.
///
/// The instant is when all that came so far would have come at the allowed rate. How far it lies ahead of now is how much of the advance is used up.
struct RateMeter {
    private var frames = Instant(nanoseconds: .min)
    private var bytes = Instant(nanoseconds: .min)
    private var emptyFrames = Instant(nanoseconds: .min)

    /// What has come over it.
    enum Verdict: Equatable {
        /// Within the rates.
        case fine
        /// Read nothing until then, and it is within the rates again.
        case wait(until: Instant)
        /// A flood of frames that say nothing.
        case flood
    }

    /// How many seconds' worth may come at once.
    private static var advanceSeconds: Int64 { 2 }
    private static var emptyAdvanceSeconds: Int64 { 10 }

    /// Counts what one read has brought.
    mutating func take(bytes byteCount: Int, frames frameCount: Int, emptyFrames emptyCount: Int, _ limits: EdgeLimits, now: Instant)
        -> Verdict
    {
        Self.add(frameCount, perSecond: limits.framesPerSecond, to: &frames, now)
        Self.add(byteCount, perSecond: limits.bytesPerSecond, to: &bytes, now)
        if emptyCount > 0 {
            Self.add(emptyCount, perSecond: limits.emptyFramesPerSecond, to: &emptyFrames, now)
            if emptyFrames.nanoseconds(since: now) > Self.emptyAdvanceSeconds * 1_000_000_000 { return .flood }
        }
        let ahead = max(frames.nanoseconds(since: now), bytes.nanoseconds(since: now)) - Self.advanceSeconds * 1_000_000_000
        return ahead <= 0 ? .fine : .wait(until: now.advanced(milliseconds: Int(ahead / 1_000_000) + 1))
    }

    private static func add(_ count: Int, perSecond rate: Int, to instant: inout Instant, _ now: Instant) {
        // A count is at most what one read brings, so this can't overflow.
        let cost = Int64(count) * 1_000_000_000 / Int64(rate)
        instant = Instant(nanoseconds: max(instant, now).nanoseconds + cost)
    }
}
