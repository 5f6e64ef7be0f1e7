import Network
import WebSocket

extension Edge where Sessions: ~Copyable {
    /// Takes the frames that have arrived and hands whole messages to the session handler.
    mutating func receivedFrames(
        _ bytes: UnsafeMutableRawBufferPointer, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        var input = WebSocketInput(bytes)
        var textBytes = 0
        // The handler may close the session in the middle of what has arrived: the rest is not for it.
        while !connection.pointee.flags.contains(.isClosing),
            let event = connection.pointee.webSocket?.next(&input, &sockets.codec, &sockets.output)
        {
            switch event {
            case .needsBytes:
                sockets.sendOutput(to: id, &loop)
                // What was compressed costs what it became.
                return meter(max(bytes.count, textBytes), input, connection, id, &loop)
            case .text(let text):
                textBytes += text.count
                // What was answered to frames before this one goes first; the handler uses the same writer.
                sockets.sendOutput(to: id, &loop)
                sockets.messagesReceived += 1
                sessions.received(text, id, &sockets, &loop)
            case .binary, .ping, .pong: break
            case .closed, .failed:
                sockets.sendOutput(to: id, &loop)
                return sockets.finish(connection, id, &loop)
            }
        }
    }

    /// Counts what has arrived against the connection's rates. Too much is a reason to read the rest later, so that nothing is lost and
    /// nobody else waits; a flood of frames that say nothing is a reason to end the session.
    private mutating func meter(
        _ byteCount: Int, _ input: WebSocketInput, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        let verdict = connection.pointee.meter.take(
            bytes: byteCount, frames: input.frames, emptyFrames: input.emptyFrames, sockets.limits, now: loop.now)
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
