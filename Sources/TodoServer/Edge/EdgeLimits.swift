import WebSocket

/// Every bound of the edge, with its default, its reason, and what happens past it.
struct EdgeLimits: Sendable {
    /// A message from a client. Past it: close 1009. The contract's 1 MiB.
    var messageBytesMax = 1 << 20
    /// A request head. Past it: 431. Browsers with large cookies stay below half of it.
    var headBytesMax = 16 << 10
    /// The body of a request that takes none: so much is read and thrown away to keep the connection, past it: 413 and the connection ends.
    var ignoredBodyBytesMax = 64 << 10
    /// What may wait for a session's socket behind the message that is on its way. Past it: the session's changes are merged until the
    /// socket has taken all.
    var outboundBytesMax = 1 << 20
    /// How long such a session's socket may take nothing at all. Past it: close 4003.
    var stuckMilliseconds = 30_000
    /// From the connection, or from the last answer's end, to the end of the next request's head. Past it: 408 if some of a head came, else the connection just ends.
    var headMilliseconds = 10_000
    /// How long a kept-alive connection may rest between two requests. Past it: it ends.
    var keepAliveMilliseconds = 60_000
    /// Silence after which the server pings.
    var pingMilliseconds = 25_000
    /// Silence after which the connection is dropped.
    var silenceMilliseconds = 60_000
    /// From the server's close frame or last answer to the peer's end. Past it: reset.
    var closeMilliseconds = 5_000
    /// How long a shutdown waits for the sessions' closing handshakes.
    var drainMilliseconds = 4_000
    /// Connections that wait for a request to be answered or upgraded, and sessions, in all of one loop. Past it: 503.
    var connectionsMax = 100_000
    /// The path at which sessions are opened.
    var sessionPath = "/sync"
    /// The subprotocol that is spoken there.
    var subprotocol = "todosync.v1"
    /// Origins that may open sessions beside the server's own, such as `https://app.example`.
    var allowedOrigins: [String] = []
    /// Whether pages must come from a name of this machine: where nobody is asked for a password.
    var isForLoopbackOnly = false
}

extension EdgeLimits {
    /// Which pages may open sessions.
    var origins: OriginPolicy {
        isForLoopbackOnly ? .sameLoopbackOrigin(or: allowedOrigins) : .sameOrigin(or: allowedOrigins)
    }

    /// The bounds that `info` shows, by their names on the wire.
    var shown: [(name: String, maximum: Int)] {
        [
            ("messageBytes", messageBytesMax), ("outboundBytes", outboundBytesMax), ("stuckSeconds", stuckMilliseconds / 1000),
            ("pingSeconds", pingMilliseconds / 1000),
            ("silenceSeconds", silenceMilliseconds / 1000),
        ]
    }
}
