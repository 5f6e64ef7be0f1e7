/// What of one session's requests waits for its turn, against what may: kept where its messages are read, and asked after each of them.
///
/// Whoever reads stops in the middle of what has arrived when it is used up, so that the bound holds for messages of any size; what is worked
/// off is reported by the hub, a quarter of the bound at a time.
public struct RequestAllowance: Sendable {
    private var requests: Int32 = 0
    private var isLoggedIn = false
    private var bytes = 0

    /// A session of which nothing waits, and on which nobody is logged in.
    public init() {}

    /// A message with so many requests was handed over.
    public mutating func take(requests count: Int, bytes byteCount: Int) {
        requests += Int32(clamping: count)
        bytes += byteCount
    }

    /// The hub has worked off so much.
    public mutating func takeBack(_ report: WorkReport) {
        requests -= Int32(clamping: report.requests)
        bytes -= report.bytes
        isLoggedIn = report.isLoggedIn
    }

    /// Whether nothing more is to be taken from the session for now.
    public func isUsedUp(_ limits: SyncLimits) -> Bool {
        let room = limits.queue(isLoggedIn: isLoggedIn)
        return requests >= room.requests || bytes >= room.bytes
    }

    /// Whether so much is worked off that the session is to be read again.
    public func isHalfFree(_ limits: SyncLimits) -> Bool {
        let room = limits.queue(isLoggedIn: isLoggedIn)
        return requests <= room.requests / 2 && bytes <= room.bytes / 2
    }
}

/// Requests of a session that no longer wait, since the last report.
public struct WorkReport: Sendable, Hashable {
    /// How many they are, those of a batch counted one by one.
    public var requests = 0
    /// The size of the messages that they came in.
    public var bytes = 0
    /// Whether somebody is logged in now: the bounds are narrower before.
    public var isLoggedIn = false

    /// Nothing yet.
    public init() {}
}

extension SyncLimits {
    /// What may wait of one session.
    func queue(isLoggedIn: Bool) -> (requests: Int, bytes: Int) {
        if isLoggedIn { return (queuedRequests, queuedBytes) }
        return (min(queuedRequests, queuedRequestsBeforeLogin), min(queuedBytes, queuedBytesBeforeLogin))
    }
}
