import CLinux
import Glibc

/// What one event of the kernel means for the handler.
@usableFromInline
enum LoopEvent {
    /// The loop has dealt with it, or it belongs to a connection that is gone.
    case nothing
    case received(ConnectionID, UnsafeMutableRawBufferPointer)
    case receivedUnencrypted(ConnectionID, UnsafeRawBufferPointer)
    case ended(ConnectionID)
    case connected(ConnectionID)
    case acceptable(listener: Int)
    case signalled
}

extension EventLoop {
    /// Waits until there is something to do.
    ///
    /// - Parameters:
    ///   - mayBlock: false only looks.
    ///   - prepareToSleep: called right before a wait that may last; false says that there is work already.
    /// - Returns: how many events came.
    @usableFromInline
    mutating func wait(mayBlock: Bool, prepareToSleep: () -> Bool) -> Int {
        let hasWork = !mayBlock || isStopping || !dirty.isEmpty || !notices.isEmpty || !prepareToSleep()
        let count = epoll.wait(nanoseconds: hasWork ? 0 : nanosecondsToSleep())
        now = .now()
        if !listeners.isEmpty { wakeListeners() }
        return count
    }

    private func nanosecondsToSleep() -> Int64 {
        let soonest = min(timers.soonest, alarm, soonestListener)
        if soonest == .distantFuture { return -1 }
        // The turn has taken time since the clock was read.
        return max(0, soonest.nanoseconds(since: .now()))
    }

    /// Handles one event of the last wait as far as the loop can by itself.
    @usableFromInline
    mutating func takeEvent(_ index: Int, clearWakeUp: () -> Void) -> LoopEvent {
        let (ready, tag) = epoll.event(at: index)
        let id = ConnectionID(bits: tag)
        if id.generation == 0 {
            switch tag {
            case Self.mailboxTag:
                clearWakeUp()
                return .nothing
            case Self.signalTag: return .signalled
            default: return .acceptable(listener: Int(tag - Self.firstListenerTag))
            }
        }
        guard let channel = channels.pointer(to: id), !channel.pointee.flags.contains(.closed) else { return .nothing }
        if channel.pointee.flags.contains(.connecting) { return completeConnect(channel, id) }
        if ready.contains(.writable) {
            channel.pointee.flags.remove(.blocked)
            makeDirty(channel, id)
        }
        // A broken or fully ended connection is reported even where nothing is watched for: reading tells what it is.
        guard !ready.isDisjoint(with: [.readable, .hungUp, .broken]) else { return .nothing }
        return read(channel, id, isOver: !ready.isDisjoint(with: [.hungUp, .broken]))
    }

    private mutating func read(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID, isOver: Bool) -> LoopEvent {
        let room = UnsafeMutableRawBufferPointer(rebasing: readBuffer[0..<Self.readBytes])
        let result = channel.pointee.transport.read(into: room, secure)
        if channel.pointee.flags.contains(.secure) { settle(channel, id, after: result) }
        switch result {
        case .moved(let count):
            return received(count, channel, id)
        case .movedLast(let count):
            if channel.pointee.flags.contains(.lingering) {
                condemn(channel, id, .finished)
                return .nothing
            }
            endPeer(channel, id)
            notices.append(Notice(id: id, kind: .ended))
            return received(count, channel, id)
        case .needsReadable, .needsWritable:
            return .nothing
        case .insecure(let count, let sentence):
            condemn(channel, id, .insecure(sentence))
            return count == 0 ? .nothing : received(count, channel, id)
        case .unencrypted(let count):
            // Closing already: what is queued goes out as it is.
            if channel.pointee.flags.contains(.finishing) { return .nothing }
            return .receivedUnencrypted(id, UnsafeRawBufferPointer(rebasing: readBuffer[0..<count]))
        case .failed(let code):
            condemn(channel, id, .broken(code))
            return .nothing
        case .ended:
            if channel.pointee.flags.contains(.lingering) {
                condemn(channel, id, .finished)
                return .nothing
            }
            if channel.pointee.flags.contains(.peerEnded) {
                // Only reported again because nothing can be written either.
                if isOver { condemn(channel, id, .broken(EPIPE)) }
                return .nothing
            }
            endPeer(channel, id)
            return channel.pointee.flags.contains(.finishing) ? .nothing : .ended(id)
        }
    }

    private mutating func received(_ count: Int, _ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) -> LoopEvent {
        bytesRead += count
        if channel.pointee.flags.contains(.finishing) { return .nothing }
        return .received(id, UnsafeMutableRawBufferPointer(rebasing: readBuffer[0..<count]))
    }

    private mutating func endPeer(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        channel.pointee.flags.insert(.peerEnded)
        updateInterest(channel, id)
    }

    /// What reading from an encrypted session has changed beside the bytes: reading answers for the protocol, and writing may have waited for it.
    private mutating func settle(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID, after result: TransportResult) {
        if case .unencrypted = result {
            channel.pointee.transport.becomePlain()
            channel.pointee.flags.subtract([.secure, .handshaking])
            return makeDirty(channel, id)
        }
        if channel.pointee.flags.contains(.handshaking), channel.pointee.transport.link?.isEstablished == true {
            channel.pointee.flags.remove(.handshaking)
        }
        if result == .needsWritable { channel.pointee.flags.insert(.choked) }
        if channel.pointee.transport.unsentCount > 0 { channel.pointee.flags.insert(.blocked) }
        if !channel.pointee.queue.isEmpty, !channel.pointee.flags.contains(.blocked) { makeDirty(channel, id) }
        updateInterest(channel, id)
    }

    private mutating func completeConnect(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) -> LoopEvent {
        let code = SocketOptions.pendingError(of: channel.pointee.transport.number)
        guard code == 0 else {
            condemn(channel, id, .connectFailed(SystemError("connect", to: "connect", code: code)))
            return .nothing
        }
        channel.pointee.flags.remove(.connecting)
        if channel.pointee.flags.contains(.secure) {
            channel.pointee.flags.insert(.handshaking)
            switch channel.pointee.transport.start(secure) {
            case .insecure(_, let sentence): condemn(channel, id, .insecure(sentence))
            case .failed(let code): condemn(channel, id, .broken(code))
            case let result: settle(channel, id, after: result)
            }
            if channel.pointee.flags.contains(.closed) { return .nothing }
        }
        updateInterest(channel, id)
        if !channel.pointee.queue.isEmpty { makeDirty(channel, id) }
        return .connected(id)
    }

    /// The next connection whose deadline has come.
    @usableFromInline
    mutating func nextExpired() -> ConnectionID? {
        while let entry = timers.popDue(at: now) {
            guard let channel = channels.pointer(to: entry.id), channel.pointee.scheduled == entry.instant else { continue }
            channel.pointee.scheduled = .distantFuture
            // One that was moved later takes its new place, even where both have come: deadlines come in order.
            guard channel.pointee.deadline <= entry.instant else {
                setDeadline(channel.pointee.deadline, of: channel, entry.id)
                continue
            }
            channel.pointee.deadline = .distantFuture
            if channel.pointee.flags.contains(.closed) { continue }
            if channel.pointee.flags.contains(.finishing) {
                if isReadOn(channel) {
                    setDeadline(now.advanced(milliseconds: lingerMilliseconds), of: channel, entry.id)
                    continue
                }
                SocketOptions.discardOnClose(channel.pointee.transport.number)
                condemn(channel, entry.id, .lingeredTooLong)
                continue
            }
            return entry.id
        }
        return nil
    }

    /// Whether the peer of a connection that is ending goes on reading what it has not yet, here or in the kernel: a reset would take that from it.
    private func isReadOn(_ channel: UnsafeMutablePointer<Channel>) -> Bool {
        let unsent = channel.pointee.queue.byteCount + channel.pointee.transport.unsentCount
        let bytes = unsent + SocketOptions.unacknowledgedBytes(of: channel.pointee.transport.number)
        guard bytes > 0 else { return false }
        let units = UInt16(clamping: (bytes + Channel.unsentUnitBytes - 1) / Channel.unsentUnitBytes)
        defer { channel.pointee.unsentUnits = units }
        return units < channel.pointee.unsentUnits
    }

    /// Whether the alarm has come; switches it off.
    @usableFromInline
    mutating func takeAlarm() -> Bool {
        guard alarm <= now else { return false }
        alarm = .distantFuture
        return true
    }

    /// What the handler has yet to be told; nothing more than once.
    @usableFromInline
    mutating func takeNotices() -> [Notice] {
        var taken: [Notice] = []
        swap(&taken, &notices)
        return taken
    }

    @usableFromInline var hasNotices: Bool { !notices.isEmpty }
    @usableFromInline var shouldStop: Bool { isStopping }

    /// Whether the handler may hear of the connection: it is neither closing nor gone.
    @usableFromInline
    func isLive(_ id: ConnectionID) -> Bool {
        channels.pointer(to: id)?.pointee.takesOutput ?? false
    }

    /// Closes the socket of a connection that is over.
    @usableFromInline
    mutating func forget(_ id: ConnectionID) {
        bury(id)
    }

    @usableFromInline
    mutating func watch(mailbox descriptor: Int32) throws(SystemError) {
        try epoll.add(descriptor, .readable, tag: Self.mailboxTag)
    }

    @usableFromInline
    mutating func unwatch(mailbox descriptor: Int32) {
        epoll.remove(descriptor)
        isStopping = false
    }
}
