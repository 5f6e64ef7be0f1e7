/// How long a client waits before it connects again: twice as long after every failure, and a random part of that, so that the clients
/// of a server that was away don't all come back in the same moment.
public struct Backoff: Sendable, Hashable {
    /// What the wait after the first failure is drawn from, at most.
    public var firstMilliseconds: Int
    /// What any wait is drawn from, at most.
    public var mostMilliseconds: Int
    private var failures = 0

    /// A wait that grows from the first to the second.
    public init(firstMilliseconds: Int = 500, mostMilliseconds: Int = 30_000) {
        precondition(
            firstMilliseconds > 0 && mostMilliseconds >= firstMilliseconds, "a wait is at least a millisecond, and does not shrink")
        self.firstMilliseconds = firstMilliseconds
        self.mostMilliseconds = mostMilliseconds
    }

    /// The next wait in milliseconds: between a half and the whole of what the failures so far allow.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Int {
        let doublings = min(failures, 30)
        failures += 1
        let (product, overflow) = firstMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        let most = overflow ? mostMilliseconds : min(mostMilliseconds, product)
        return Int.random(in: max(1, most / 2)...most, using: &generator)
    }

    /// A connection has come about: the next failure is the first again.
    public mutating func reset() {
        failures = 0
    }
}
