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
    /// Read nothing more from the connection: it sends requests faster than they can be answered.
    case pause(UInt64)
    /// Read from the connection again.
    case resume(UInt64)
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
    /// The socket has taken a message that was to be reported.
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

/// Deliveries collected during a turn, by event loop.
struct Outbox {
    private var byLoop: [[Delivery]]

    init(loops: Int) {
        byLoop = Array(repeating: [], count: loops)
    }

    mutating func append(_ message: SharedBytes, to session: SessionID, reportsDrained: Bool, isShared: Bool) {
        byLoop[session.loop].append(.message(message, to: session.connection, reportsDrained: reportsDrained, isShared: isShared))
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

    mutating func pause(_ session: SessionID) {
        byLoop[session.loop].append(.pause(session.connection))
    }

    mutating func resume(_ session: SessionID) {
        byLoop[session.loop].append(.resume(session.connection))
    }

    mutating func take(loop: Int) -> [Delivery] {
        var taken: [Delivery] = []
        swap(&taken, &byLoop[loop])
        return taken
    }
}
