import Network
import WebSocket

extension Edge where Sessions: ~Copyable {
    /// Takes the frames that have arrived, unless the connection is held: a broken one is read all the same.
    mutating func receivedFrames(
        _ bytes: UnsafeMutableRawBufferPointer, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        let isHeld = !connection.pointee.flags.isDisjoint(with: [.holds, .hasUnread])
        let taken = isHeld ? 0 : takeFrames(bytes, connection, id, &loop)
        if taken < bytes.count { sockets.keep(UnsafeRawBufferPointer(rebasing: bytes[taken...]), connection, id) }
    }

    /// Takes what was kept of connections that nothing holds any more.
    mutating func receiveUnread(_ loop: inout EventLoop) {
        while let (id, unread) = sockets.nextUnread() {
            guard let connection = sockets.connections.pointer(to: id) else { continue }
            unread.drop(takeFrames(unread.bytes, connection, id, &loop))
            if unread.bytes.isEmpty { sockets.endUnread(connection, id, &loop) }
        }
    }

    /// Hands whole messages to the session handler, until it holds the connection.
    ///
    /// - Returns: how many of the bytes were taken.
    private mutating func takeFrames(
        _ bytes: UnsafeMutableRawBufferPointer, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) -> Int {
        var input = WebSocketInput(bytes)
        var textBytes = 0
        // Of a batch each request counts as a frame of its own.
        var furtherRequests = 0
        // The handler may close the session in the middle of what has arrived: the rest is not for it.
        while !connection.pointee.flags.contains(.isClosing),
            let event = connection.pointee.webSocket?.next(&input, &sockets.codec, &sockets.output)
        {
            switch event {
            case .needsBytes:
                sockets.sendOutput(to: id, &loop)
                meter(textBytes, bytes.count, input, furtherRequests, connection, id, &loop)
                return bytes.count
            case .text(let text):
                textBytes += text.count
                // What was answered to frames before this one goes first; the handler uses the same writer.
                sockets.sendOutput(to: id, &loop)
                sockets.messagesReceived += 1
                furtherRequests += sessions.received(text, id, &sockets, &loop) - 1
                guard connection.pointee.flags.isDisjoint(with: .holds) || input.count == 0 else {
                    let taken = bytes.count - input.count
                    meter(textBytes, taken, input, furtherRequests, connection, id, &loop)
                    return taken
                }
            case .binary, .ping, .pong: break
            case .closed, .failed:
                sockets.sendOutput(to: id, &loop)
                sockets.finish(connection, id, &loop)
            }
        }
        return bytes.count
    }

    /// Counts what was taken against the connection's rates. Too much is a reason to read the rest later, so that nothing is lost and
    /// nobody else waits; a flood of frames that say nothing is a reason to end the session.
    private mutating func meter(
        _ textBytes: Int, _ taken: Int, _ input: WebSocketInput, _ furtherRequests: Int,
        _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        // What was compressed costs what it became.
        let verdict = connection.pointee.meter.take(
            bytes: max(taken, textBytes), frames: input.frames + furtherRequests, emptyFrames: input.emptyFrames, sockets.limits,
            now: loop.now)
        switch verdict {
        case .fine: break
        case .wait(let until): sockets.throttle(id, until: until, &loop)
        case .flood: sockets.close(id, .policyViolation, reason: "too many pings, pongs or empty fragments", &loop)
        }
    }

    /// Pings after silence, drops after more of it, and tells the handler of its own deadline.
    mutating func sessionDeadlinePassed(_ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop) {
        if connection.pointee.sessionDeadline <= loop.now {
            connection.pointee.sessionDeadline = .distantFuture
            sessions.deadlinePassed(id, &sockets, &loop)
            if connection.pointee.flags.contains(.isClosing) { return }
        }
        if connection.pointee.flags.contains(.isThrottled) { sockets.endThrottle(id, &loop) }
        if !connection.pointee.flags.isDisjoint(with: .holds) { connection.pointee.lastHeard = loop.now }
        let heard = connection.pointee.lastHeard
        if heard.advanced(milliseconds: sockets.limits.silenceMilliseconds) <= loop.now {
            sockets.endSession(connection, id)
            return loop.abort(id)
        }
        if heard.advanced(milliseconds: sockets.limits.pingMilliseconds) <= loop.now, connection.pointee.pingedSilence != heard {
            connection.pointee.pingedSilence = heard
            connection.pointee.webSocket?.ping(UnsafeRawBufferPointer(start: nil, count: 0), &sockets.codec, &sockets.output)
            sockets.sendOutput(to: id, &loop)
        }
        sockets.schedule(connection, id, &loop)
    }
}
