import Network
import TodoSync
import WebSocket

/// One connection of the edge: first HTTP requests, then perhaps a session.
struct EdgeConnection: ~Copyable {
    struct Flags: OptionSet {
        var rawValue: UInt8

        /// The session handler knows this session and has yet to hear of its end.
        static var isOpened: Flags { Flags(rawValue: 1) }
        /// Counted among the sessions that take compressed messages.
        static var isDeflating: Flags { Flags(rawValue: 4) }
        /// A close frame or last answer is queued: nothing more is taken from the client.
        static var isClosing: Flags { Flags(rawValue: 2) }
        /// As many of its requests wait as may: read again when the session handler says so.
        static var isPaused: Flags { Flags(rawValue: 8) }
        /// It sends faster than it may: read again when its rate allows.
        static var isThrottled: Flags { Flags(rawValue: 16) }
        /// It does not take what waits for it: read again when it has.
        static var isFull: Flags { Flags(rawValue: 32) }
        /// Some of what was read from it has yet to be taken, when nothing holds it.
        static var hasUnread: Flags { Flags(rawValue: 64) }
        /// The reasons for which nothing is read from the client; meanwhile its silence says nothing.
        static var holds: Flags { [.isPaused, .isThrottled, .isFull] }
    }

    /// Only while the connection speaks HTTP: an idle session does not carry it along.
    var http: HTTPExchange?
    /// Only while it speaks WebSocket.
    var webSocket: WebSocketConnection?
    var flags: Flags = []
    /// When the client was last heard of.
    var lastHeard: Instant
    /// The `lastHeard` of the silence into which a ping was sent.
    var pingedSilence = Instant(nanoseconds: .min)
    /// When the session handler wants to be told.
    var sessionDeadline = Instant.distantFuture
    /// Where it is counted.
    var place: ConnectionCensus.Place
    /// What it sends, against what it may.
    var meter = RateMeter()
    /// What of its requests waits.
    var allowance = RequestAllowance()

    init(_ arrival: Arrival, limits: HTTPLimits, now: Instant) {
        http = HTTPExchange(arrival, limits: limits)
        place = arrival.place
        lastHeard = now
    }
}

/// A connection on its way from where it was accepted to the loop that serves it.
struct Arrival: Sendable {
    /// The other end; nil over a Unix socket.
    let peer: IPAddress?
    let verdict: ConnectionCensus.Verdict
    let place: ConnectionCensus.Place
}

/// The HTTP side of a connection.
final class HTTPExchange {
    var parser: HTTPRequestParser
    /// The other end; nil over a Unix socket.
    let peer: IPAddress?
    /// Whether its requests are served; where not, all but those for the server's health are told so.
    let verdict: ConnectionCensus.Verdict
    /// Bytes of a request's body that are still to come and to be thrown away.
    var bodyBytesLeft = 0
    /// Whether the deadline that runs is that of a request that has begun.
    var isInRequest = false
    /// What waited to be written at the last deadline: a download that gets on is left alone.
    var unsentBytes = 0
    /// What has been read and has to wait until the answers before it are taken: at most one read, as nothing more is read meanwhile.
    var unread: UnreadBytes?
    /// Whether the peer has ended its side while something was unread.
    var hasPeerEnded = false

    init(_ arrival: Arrival, limits: HTTPLimits) {
        peer = arrival.peer
        verdict = arrival.verdict
        parser = HTTPRequestParser(limits: limits)
    }
}

/// The end of a read that is taken later, with as much readable memory behind it as there is behind what was just read.
struct UnreadBytes {
    private var bytes: [UInt8]
    private let end: Int
    /// How many bytes, the last ones, have yet to be taken.
    var count: Int

    init(copying source: UnsafeRawBufferPointer) {
        bytes = Array(source)
        end = source.count
        count = source.count
        bytes.append(contentsOf: repeatElement(0, count: EventLoop.readPaddingBytes))
    }

    /// Calls `body` with the bytes that have yet to be taken.
    mutating func withUnsafeMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        let range = end - count..<end
        return bytes.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    }
}
