/// What an event loop is for: the protocol spoken on its connections. One value serves all connections of a loop, on the loop's thread.
///
/// What the handler keeps for each connection belongs into a `ConnectionTable` of its own, by the connection's identifier. All methods may send, close, connect
/// and set deadlines through `loop`; what they send is written when the turn ends. No method may block.
public protocol EventHandler: ~Copyable {
    /// What other threads post to this loop.
    associatedtype Message: Sendable

    /// The loop starts, on its thread: the place to make outgoing connections.
    mutating func started(_ loop: inout EventLoop)

    /// A listener has accepted a connection. Serve it with `loop.adopt`, give it to another loop, or let go of the socket to refuse it.
    mutating func accepted(
        _ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop)

    /// An outgoing connection has come about.
    mutating func connected(_ id: ConnectionID, _ loop: inout EventLoop)

    /// Bytes have arrived. They lie in the loop's own buffer, which is used again after the call; `EventLoop.readPaddingBytes` bytes of readable memory follow them, and they
    /// may be changed in place.
    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop)

    /// The first bytes on a connection that was to be encrypted look like a plain HTTP request. What is sent from here on is not encrypted: say so, and finish.
    mutating func receivedUnencrypted(_ bytes: UnsafeRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop)

    /// The peer has ended its side: nothing more will arrive. The handler closes the connection with `finish` or `abort`.
    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop)

    /// All that was queued when `loop.notifyWhenDrained` was called has been handed to the socket.
    mutating func drained(_ id: ConnectionID, _ loop: inout EventLoop)

    /// Nothing waits for the socket any more, which was asked for with `loop.notifyWhenEmpty`.
    mutating func emptied(_ id: ConnectionID, _ loop: inout EventLoop)

    /// More than the loop's limit waits for a socket that does not take it. Told once until the queue has been empty again.
    mutating func overflowed(_ id: ConnectionID, _ loop: inout EventLoop)

    /// The deadline that was set for the connection has come; it is no longer set.
    mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop)

    /// The connection is over and its socket closed. Every connection gets this once, as its last event.
    mutating func closed(
        _ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop)

    /// Messages have arrived in the loop's mailbox, in order.
    mutating func posted(_ messages: [Message], _ loop: inout EventLoop)

    /// A signal has arrived.
    mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop)

    /// The loop's alarm has come; it is no longer set.
    mutating func alarmed(_ loop: inout EventLoop)

    /// A listener cannot accept at present, for want of descriptors or memory. Told once until it can again; the loop goes on by itself.
    mutating func listenerTroubled(_ listener: Int, _ error: SystemError)

    /// All events of this turn have been handled: the place to hand over what they produced for other threads, in one batch.
    mutating func turnEnding(_ loop: inout EventLoop)
}

extension EventHandler where Self: ~Copyable {
    /// Nothing to start.
    public mutating func started(_ loop: inout EventLoop) {}

    /// Refuses the connection.
    public mutating func accepted(
        _ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop
    ) {}

    /// Nothing to say first.
    public mutating func connected(_ id: ConnectionID, _ loop: inout EventLoop) {}

    /// Gives up a peer that does not encrypt.
    public mutating func receivedUnencrypted(_ bytes: UnsafeRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        loop.abort(id)
    }

    /// Writes what is queued and closes.
    public mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.finish(id)
    }

    /// Nobody waits for it.
    public mutating func drained(_ id: ConnectionID, _ loop: inout EventLoop) {}

    /// Nobody waits for it.
    public mutating func emptied(_ id: ConnectionID, _ loop: inout EventLoop) {}

    /// Gives up a peer that reads too slowly.
    public mutating func overflowed(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.abort(id)
    }

    /// Gives up a peer that took too long.
    public mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.abort(id)
    }

    /// Nothing to clean up.
    public mutating func closed(
        _ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop
    ) {}

    /// Nobody posts.
    public mutating func posted(_ messages: [Message], _ loop: inout EventLoop) {}

    /// Stops the loop, unless the signal only asks to read the configuration again.
    public mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) {
        if signal != .hangUp { loop.stop() }
    }

    /// No alarm was set.
    public mutating func alarmed(_ loop: inout EventLoop) {}

    /// Goes on in silence.
    public mutating func listenerTroubled(_ listener: Int, _ error: SystemError) {}

    /// Nothing to hand over.
    public mutating func turnEnding(_ loop: inout EventLoop) {}
}
