import WebSocket

/// Every bound of the edge, with its default, its reason, and what happens past it.
struct EdgeLimits: Sendable {
    /// Connections in all, refused ones included while they are told so. Past it: 503.
    var connectionsMax = 100_000
    /// Connections of one address; of an IPv6 address its /64 counts, which is what one customer has. Past it: 429. Enough for an office behind
    /// one address; loopback is not counted, as that is this machine's own proxy or a test.
    var connectionsPerAddressMax = 500
    /// A message from a client. Past it: close 1009. The contract's 1 MiB.
    var messageBytesMax = 1 << 20
    /// Frames a second from one connection, each request of a batch counted as one, with two seconds' worth in advance. Past it: nothing is read from it until that is made up for. Far more
    /// than the committer serves one session, and a small part of what a loop takes in.
    var framesPerSecond = 10_000
    /// Bytes a second from one connection, counted alike.
    var bytesPerSecond = 16 << 20
    /// Frames that bring nothing of a message (pings, pongs, empty fragments) a second, with ten seconds' worth in advance. Past it: close 1008. Honest
    /// clients send one in many seconds.
    var emptyFramesPerSecond = 50
    /// A request head. Past it: 431. Browsers with large cookies stay below half of it.
    var headBytesMax = 16 << 10
    /// The lines of such a head, and their number; a request line has its own answer, 414. Long enough for a token in an address or a cookie.
    var startLineBytesMax = 8 << 10
    var headerLineBytesMax = 8 << 10
    var headerLinesMax = 100
    /// The body of a request that takes none: so much is read and thrown away to keep the connection, past it: 413 and the connection ends.
    var ignoredBodyBytesMax = 64 << 10
    /// What may wait for a session's socket behind the message that is on its way. Past it: the session's changes are merged, and nothing is read
    /// from it, until the socket has taken all.
    var outboundBytesMax = 1 << 20
    /// How long such a session's socket may take nothing at all. Past it: close 4003.
    var stuckMilliseconds = 30_000
    /// From the connection, or from the last answer's end, to the end of the next request's head. Past it: 408 if some of a head came, else the connection just ends.
    var headMilliseconds = 10_000
    /// The same for a connection that is one too many, whose place is needed for the next to be told so. Past it: 503 or 429, unasked.
    var refusedHeadMilliseconds = 2_000
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
}

extension EdgeLimits {
    /// Those of a request's head, as the parser takes them.
    var http: HTTPLimits {
        HTTPLimits(
            startLineBytesMax: startLineBytesMax, headerLineBytesMax: headerLineBytesMax, headerCountMax: headerLinesMax,
            headBytesMax: headBytesMax)
    }
}
