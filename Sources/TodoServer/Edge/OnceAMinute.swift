import Network

/// Keeps what clients can bring about as often as they like from filling the log.
struct OnceAMinute {
    private var next = Instant(nanoseconds: .min)

    /// Whether it has not been due for a minute; then it is due once.
    mutating func isDue(_ now: Instant) -> Bool {
        guard now >= next else { return false }
        next = now.advanced(milliseconds: 60_000)
        return true
    }
}
