public import Bytes
public import TodoProtocol
public import WebToken

/// What the committer has for one event loop's connections, in order.
public enum Delivery: Sendable {
    /// One text message for every connection in the list: encoded once, shared by all.
    case broadcast(SharedBytes, to: [UInt64])
    /// A text message for one connection. `reportsDrained`: the loop answers `.drained` when the socket has taken it whole. `isShared`: the same
    /// bytes go to other connections too, now or a little later.
    case message(SharedBytes, to: UInt64, reportsDrained: Bool, isShared: Bool)
    /// The same for a message that was framed by `Finished.framed(by:)`: what that made of it.
    case framed(any Sendable, to: UInt64, reportsDrained: Bool)
    /// So much of what the connection has sent no longer waits.
    case worked(UInt64, WorkReport)
    /// Requests of the connection wait because it does not take the answers to those before: look after it as after any that too much waits for.
    case watch(UInt64)
    /// Close the connection with that code and reason, behind what is queued.
    case close(UInt64, code: UInt16, reason: String)
}

/// What happens to the session layer.
public enum Input: Sendable {
    /// A WebSocket connection is open.
    case opened(SessionID, Peer)
    /// A whole message came.
    case message(SessionID, Incoming, bytes: Int = 0)
    /// The connection is gone.
    case closed(SessionID)
    /// The socket has taken a message that was to be reported. Told once for each, in their order.
    case drained(SessionID)
    /// More waits for the socket than a session is given: it is to be told no more changes for now.
    case fellBehind(SessionID)
    /// The socket has taken all of that.
    case caughtUp(SessionID)
    /// The socket took nothing at all for so long that the connection is being closed with 4003.
    case stuck(SessionID, seconds: Int)
    /// Work of another thread is done.
    case finished(Finished)
    /// The operator wants something done; what came of it goes to `reply`, once it is durable.
    case operated(OperatorCommand, reply: @Sendable (OperatorReply) -> Void)
    /// The keys for JSON Web Tokens were read anew.
    case tokenVerifier(TokenVerifier)
}

/// A message of another thread: its text, or what was made of it there for the sockets.
enum Outgoing: Sendable {
    case text(SharedBytes)
    case framed(any Sendable, byteCount: Int)

    /// How long the text is.
    var byteCount: Int {
        switch self {
        case .text(let text): text.count
        case .framed(_, let byteCount): byteCount
        }
    }

    func framed(by frame: (SharedBytes) -> any Sendable) -> Outgoing {
        guard case .text(let text) = self else { return self }
        return .framed(frame(text), byteCount: text.count)
    }
}

/// Deliveries collected during a turn, by event loop.
struct Outbox {
    private var byLoop: [[Delivery]]

    init(loops: Int) {
        byLoop = Array(repeating: [], count: loops)
    }

    mutating func append(_ message: SharedBytes, to session: SessionID, reportsDrained: Bool, isShared: Bool) {
        byLoop[session.loop].append(.message(message, to: session.connection, reportsDrained: reportsDrained, isShared: isShared))
    }

    mutating func append(_ message: Outgoing, to session: SessionID, reportsDrained: Bool, isShared: Bool) {
        switch message {
        case .text(let text): append(text, to: session, reportsDrained: reportsDrained, isShared: isShared)
        case .framed(let frames, _): byLoop[session.loop].append(.framed(frames, to: session.connection, reportsDrained: reportsDrained))
        }
    }

    mutating func append(_ message: SharedBytes, toAll connections: [UInt64], loop: Int) {
        if connections.count == 1 {
            byLoop[loop].append(.message(message, to: connections[0], reportsDrained: false, isShared: false))
        } else {
            byLoop[loop].append(.broadcast(message, to: connections))
        }
    }

    mutating func close(_ session: SessionID, code: UInt16, reason: String) {
        byLoop[session.loop].append(.close(session.connection, code: code, reason: reason))
    }

    mutating func worked(_ session: SessionID, _ report: WorkReport) {
        byLoop[session.loop].append(.worked(session.connection, report))
    }

    mutating func watch(_ session: SessionID) {
        byLoop[session.loop].append(.watch(session.connection))
    }

    mutating func take(loop: Int) -> [Delivery] {
        var taken: [Delivery] = []
        swap(&taken, &byLoop[loop])
        return taken
    }
}
