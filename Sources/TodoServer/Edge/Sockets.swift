import Bytes
import Network
import Synchronization
import WebSocket

/// The connections of one loop as the session handler uses them: send, close, deadlines. Belongs to the loop's thread.
struct Sockets: ~Copyable {
    let limits: EdgeLimits
    let status: ServerStatus
    let counters: LoopCounters
    var connections = ConnectionTable<EdgeConnection>()
    /// About 2 ms a message at most: larger ones are compressed by the thread that writes them, or not at all.
    var codec = LoopCodec(compressedBytesMax: 64 << 10)
    /// What is being written for one connection; empty between uses.
    var output = ByteWriter()
    /// Sessions whose end the handler is told at the end of the turn.
    var ended: [ConnectionID] = []
    /// Sessions that have sent more than their rate allows, and when they are read again.
    private var throttled: [ConnectionID: Instant] = [:]
    /// What was read from connections that were held in the middle of it.
    private var unread: [ConnectionID: UnreadInput] = [:]
    /// Those of them that nothing holds any more.
    private var released: [ConnectionID] = []
    /// Where connections are counted, over all loops.
    let census: ConnectionCensus
    var isShuttingDown = false
    /// Connections that are on their way out.
    private(set) var endingCount = 0
    var messagesReceived = 0
    var messagesSent = 0
    private var codesSlow = 0
    private var throttles = 0

    /// The sockets of the loop with this number.
    init(limits: EdgeLimits, status: ServerStatus, census: ConnectionCensus, loop index: Int) {
        self.census = census
        self.limits = limits
        self.status = status
        counters = status.loops[index]
    }

    /// Sends a shared message to one session.
    mutating func send(_ message: SharedMessage, to id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        var frame = message.frame
        if let compressed = message.compressedFrame, connection.pointee.webSocket?.takesSharedFrame(of: message.payloadCount) == true {
            frame = compressed
        }
        if loop.send(frame, to: id) { messagesSent += 1 }
    }

    /// Sends a shared message to many sessions. Those that are closing or gone are left out.
    mutating func send(_ message: SharedMessage, to ids: [ConnectionID], _ loop: inout EventLoop) {
        if message.compressedFrame == nil {
            loop.send(message.frame, to: ids)
            messagesSent += ids.count
        } else {
            for id in ids { send(message, to: id, &loop) }
        }
    }

    /// Sends a text that is for this session alone, compressed where that is agreed on and shorter.
    mutating func send(text: UnsafeRawBufferPointer, to id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id), connection.pointee.webSocket?.send(.text, text, &codec, &output) == true else {
            return
        }
        sendOutput(to: id, &loop)
        messagesSent += 1
    }

    /// Reads nothing more from the session for that reason, one of `holds`, until it is released.
    mutating func hold(_ id: ConnectionID, _ reason: EdgeConnection.Flags, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        connection.pointee.flags.insert(reason)
        loop.pauseReading(id)
    }

    /// Reads from the session again, unless there is another reason not to; the time in between does not count as silence.
    mutating func release(_ id: ConnectionID, _ reason: EdgeConnection.Flags, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id), connection.pointee.flags.remove(reason) != nil else { return }
        connection.pointee.lastHeard = loop.now
        guard connection.pointee.flags.isDisjoint(with: .holds) else { return }
        if connection.pointee.flags.contains(.hasUnread) { released.append(id) } else { loop.resumeReading(id) }
    }

    /// Reads nothing more from the session until then.
    mutating func throttle(_ id: ConnectionID, until instant: Instant, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id), !connection.pointee.flags.contains(.isClosing) else { return }
        throttles += 1
        throttled[id] = instant
        hold(id, .isThrottled, &loop)
        if connection.pointee.http == nil { schedule(connection, id, &loop) } else { loop.setDeadline(instant, for: id) }
    }

    /// Reads from a throttled session again if its time has come.
    mutating func endThrottle(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let until = throttled[id], until <= loop.now else { return }
        throttled[id] = nil
        release(id, .isThrottled, &loop)
    }

    /// Keeps what was read from a connection that is held, until it is released; nothing more is read from it before that is taken.
    mutating func keep(_ bytes: UnsafeRawBufferPointer, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID) {
        guard !connection.pointee.flags.contains(.isClosing) else { return }
        connection.pointee.flags.insert(.hasUnread)
        let kept = unread[id] ?? UnreadInput()
        kept.append(bytes)
        unread[id] = kept
    }

    /// The next connection that nothing holds any more, with what was kept of it.
    mutating func nextUnread() -> (ConnectionID, UnreadInput)? {
        while let id = released.popLast() {
            guard let connection = connections.pointer(to: id), connection.pointee.flags.isDisjoint(with: .holds) else { continue }
            if let input = unread[id] { return (id, input) }
        }
        return nil
    }

    /// All that was kept of the connection is taken: it is read from again, unless that has brought a new reason not to.
    mutating func endUnread(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop) {
        dropUnread(connection, id)
        if connection.pointee.flags.isDisjoint(with: .holds) { loop.resumeReading(id) }
    }

    private mutating func dropUnread(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID) {
        if connection.pointee.flags.remove(.hasUnread) != nil { unread[id] = nil }
    }

    /// Ends a session: a close frame with this code and reason follows what is queued, then the socket is closed.
    mutating func close(_ id: ConnectionID, _ code: CloseCode, reason: String = "", _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id), !connection.pointee.flags.contains(.isClosing) else { return }
        connection.pointee.webSocket?.close(code, reason, &codec, &output)
        sendOutput(to: id, &loop)
        finish(connection, id, &loop)
    }

    /// Ends a session that does not read: throws away what is queued and closes with 4003.
    mutating func closeTooSlow(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.discardQueue(of: id)
        close(id, CloseCode(rawValue: 4_003), reason: "too slow to be kept", &loop)
        codesSlow += 1
    }

    /// Sets the session's own deadline, apart from those of the edge; `distantFuture` switches it off.
    mutating func setDeadline(_ instant: Instant, for id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        connection.pointee.sessionDeadline = instant
        schedule(connection, id, &loop)
    }

    /// Closes all sessions with 1001 and lets the answers that are on their way go out. What speaks HTTP otherwise stays, to be told that the server goes away,
    /// and is not waited for.
    mutating func shutDown(_ loop: inout EventLoop) {
        status.isDraining.store(true, ordering: .relaxed)
        guard !isShuttingDown else { return loop.stop() }
        isShuttingDown = true
        var ids: [ConnectionID] = []
        connections.forEachIdentifier { ids.append($0) }
        for id in ids {
            guard let connection = connections.pointer(to: id) else { continue }
            if connection.pointee.http == nil || loop.queuedBytes(for: id) > 0 {
                close(id, .goingAway, reason: "the server is going away", &loop)
            }
        }
        loop.setAlarm(loop.now.advanced(milliseconds: limits.drainMilliseconds))
    }

    // MARK: For the edge

    /// Hands what was written for a connection to its queue.
    mutating func sendOutput(to id: ConnectionID, _ loop: inout EventLoop) {
        loop.send(emptying: &output, to: id)
    }

    /// Lets the connection go when all that is queued has been written. Its session, if any, has ended.
    mutating func finish(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop) {
        if connection.pointee.flags.insert(.isClosing).inserted {
            endingCount += 1
            status.endingConnections.add(1, ordering: .relaxed)
        }
        dropUnread(connection, id)
        endSession(connection, id)
        loop.finish(id, withinMilliseconds: limits.closeMilliseconds)
    }

    /// Gives back what belonged to a connection that is over.
    mutating func forget(_ id: ConnectionID) {
        guard let connection = connections.pointer(to: id) else { return }
        endSession(connection, id)
        dropUnread(connection, id)
        if connection.pointee.flags.contains(.isClosing) {
            endingCount -= 1
            status.endingConnections.subtract(1, ordering: .relaxed)
        }
        census.leave(connection.pointee.place)
        if connection.pointee.flags.contains(.isThrottled) { throttled[id] = nil }
        _ = connections.remove(id)
    }

    /// Notes the end of the connection's session for the handler.
    mutating func endSession(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID) {
        guard connection.pointee.flags.remove(.isOpened) != nil else { return }
        ended.append(id)
        if connection.pointee.flags.remove(.isDeflating) != nil { status.deflatingSessions.subtract(1, ordering: .relaxed) }
    }

    /// Sets the loop's deadline for a session to the soonest of its own.
    mutating func schedule(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop) {
        let isPinged = connection.pointee.pingedSilence == connection.pointee.lastHeard
        let wait = isPinged ? limits.silenceMilliseconds : min(limits.pingMilliseconds, limits.silenceMilliseconds)
        let liveness = connection.pointee.lastHeard.advanced(milliseconds: wait)
        var soonest = min(liveness, connection.pointee.sessionDeadline)
        if connection.pointee.flags.contains(.isThrottled), let until = throttled[id] { soonest = min(soonest, until) }
        loop.setDeadline(soonest, for: id)
    }

    /// Makes the figures of this loop visible to other threads.
    func publish(_ loop: borrowing EventLoop) {
        counters.connections.store(loop.connectionCount, ordering: .relaxed)
        counters.bytesReceived.store(loop.bytesRead, ordering: .relaxed)
        counters.bytesSent.store(loop.bytesWritten, ordering: .relaxed)
        counters.messagesReceived.store(messagesReceived, ordering: .relaxed)
        counters.messagesSent.store(messagesSent, ordering: .relaxed)
        counters.slowClosed.store(codesSlow, ordering: .relaxed)
        counters.throttles.store(throttles, ordering: .relaxed)
    }
}
