/// How one session's socket takes what waits for it, without a socket: whether the session is behind, has caught up, or takes nothing at all.
///
/// Whoever writes to the socket tells it what happens there, and does what it answers.
public struct OutboundWatch: Sendable {
    /// What follows.
    public enum Step: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// The session is to be told no more changes for now; ask to hear when the socket has taken all, and set the deadline.
        case fellBehind
        /// The socket has taken all: the session is told what it missed.
        case caughtUp
        /// More has come to wait meanwhile: ask once more to hear when the socket has taken all.
        case goOnWaiting
        /// The socket has taken nothing since the deadline was set.
        case stuck
    }

    /// What waited when that was last looked at; `nil` while the session is not behind.
    private var waited: Int?

    /// A session of which nothing waits.
    public init() {}

    /// Whether the session is behind.
    public var isBehind: Bool { waited != nil }

    /// More waits than a session is given.
    public mutating func overflowed(queuedBytes: Int) -> Step {
        guard waited == nil else { return .nothing }
        waited = queuedBytes
        return .fellBehind
    }

    /// The socket has taken what waited when that was last asked for.
    public mutating func drained(queuedBytes: Int) -> Step {
        guard waited != nil else { return .nothing }
        guard queuedBytes == 0 else { return .goOnWaiting }
        waited = nil
        return .caughtUp
    }

    /// The deadline has passed. Only a reader that takes nothing at all is stuck.
    public mutating func deadlinePassed(queuedBytes: Int) -> Step {
        guard let waited else { return .nothing }
        guard queuedBytes < waited else { return .stuck }
        self.waited = queuedBytes
        return .goOnWaiting
    }
}
