import Network
import WebSocket

/// What the edge knows of a client when its session begins.
struct ClientInfo: Sendable {
    /// The numeric address, as a trusted proxy names it where there is one, or `unix` over a Unix socket.
    var address: String
    /// What the client says it is, at most 256 bytes; empty if it says nothing.
    var userAgent: String
}

/// The layer above the edge: what a session's messages mean. One value a loop, called on the loop's thread only; nothing here may block.
///
/// A session is named by its connection's identifier. What is sent through `sockets` is written when the turn ends.
protocol SessionHandler: ~Copyable {
    /// What other threads post to this handler.
    associatedtype Message: Sendable

    /// A session has begun: its opening handshake is complete.
    mutating func opened(_ id: ConnectionID, _ client: ClientInfo, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// One whole text message, valid UTF-8. The view is valid during the call. Where the handler holds the connection, the next one comes after that,
    /// although it may have arrived.
    ///
    /// - Returns: how many requests are in it, for the connection's rate.
    mutating func received(_ text: UnsafeRawBufferPointer, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) -> Int

    /// The deadline that the handler set with `sockets.setDeadline` has come; it is no longer set.
    mutating func deadlinePassed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// All that was queued when `loop.notifyWhenDrained` was called has been handed to the socket.
    mutating func drained(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// Nothing waits for the socket any more, which was asked for with `loop.notifyWhenEmpty`.
    mutating func emptied(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// More than the outbound limit waits for a socket that does not take it. Told once until all has been written.
    mutating func overflowed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// The session is over, from whichever side. Exactly once for each one opened, as its last event.
    mutating func closed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// Something that another thread posted for this handler.
    mutating func posted(_ message: Message, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// A signal has arrived (on the loop that has the signal source).
    mutating func signalled(_ signal: ProcessSignal, _ sockets: inout Sockets, _ loop: inout EventLoop)

    /// All events of this turn have been handled: the place to hand over to the committer in one batch.
    mutating func turnEnding(_ sockets: inout Sockets, _ loop: inout EventLoop)
}

extension SessionHandler where Self: ~Copyable {
    /// No deadline was set.
    mutating func deadlinePassed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {}

    /// Nobody waits for it.
    mutating func drained(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {}

    /// Nobody waits for it.
    mutating func emptied(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {}

    /// Throws away what is queued and closes with 4003, too slow.
    mutating func overflowed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        sockets.closeTooSlow(id, &loop)
    }

    /// Nobody posts.
    mutating func posted(_ message: Message, _ sockets: inout Sockets, _ loop: inout EventLoop) {}

    /// Goes away in order, unless the signal only asks to read the configuration again.
    mutating func signalled(_ signal: ProcessSignal, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        if signal != .hangUp { sockets.shutDown(&loop) }
    }

    /// Nothing to hand over.
    mutating func turnEnding(_ sockets: inout Sockets, _ loop: inout EventLoop) {}
}
