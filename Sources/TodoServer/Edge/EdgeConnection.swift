import Network
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
        /// Nothing is read from the client for now, so that its silence says nothing.
        static var isPaused: Flags { Flags(rawValue: 8) }
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

    init(address: String, limits: HTTPLimits, now: Instant) {
        http = HTTPExchange(address: address, limits: limits)
        lastHeard = now
    }
}

/// The HTTP side of a connection.
final class HTTPExchange {
    var parser: HTTPRequestParser
    let address: String
    /// Bytes of a request's body that are still to come and to be thrown away.
    var bodyBytesLeft = 0
    /// Whether the deadline that runs is that of a request that has begun.
    var isInRequest = false
    /// What waited to be written at the last deadline: a download that gets on is left alone.
    var unsentBytes = 0

    init(address: String, limits: HTTPLimits) {
        self.address = address
        parser = HTTPRequestParser(limits: limits)
    }
}
