public import Bytes

extension EventLoop {
    /// Queues shared bytes, such as an encoded frame, without copying them. Written when the turn ends.
    ///
    /// - Returns: false if the connection is closing or gone.
    @discardableResult
    public mutating func send(_ bytes: SharedBytes, to id: ConnectionID) -> Bool {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return false }
        if bytes.isEmpty { return true }
        channel.pointee.queue.append(bytes, pool: &pool)
        makeDirty(channel, id)
        return true
    }

    /// Queues the same shared bytes for many connections. Those that are closing or gone are left out.
    public mutating func send(_ bytes: SharedBytes, to ids: [ConnectionID]) {
        if bytes.isEmpty { return }
        for id in ids {
            guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { continue }
            channel.pointee.queue.append(bytes, pool: &pool)
            makeDirty(channel, id)
        }
    }

    /// Queues a copy of `bytes`, which are this connection's own. Several small pieces in a row become one.
    ///
    /// - Returns: false if the connection is closing or gone.
    @discardableResult
    public mutating func send(copying bytes: UnsafeRawBufferPointer, to id: ConnectionID) -> Bool {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return false }
        if bytes.isEmpty { return true }
        if bytes.count > TurnArena.pieceBytesMax {
            channel.pointee.queue.append(SharedBytes(copying: bytes), pool: &pool)
        } else {
            let offset = arena.append(bytes)
            channel.pointee.queue.append(arenaOffset: offset, count: bytes.count, pool: &pool)
        }
        makeDirty(channel, id)
        return true
    }

    /// Queues what the writer holds for this connection alone, and empties it. Of much of it the writer's memory itself is queued instead of a copy.
    public mutating func send(emptying writer: inout ByteWriter, to id: ConnectionID) {
        if writer.count > TurnArena.pieceBytesMax {
            send(writer.finish(), to: id)
        } else if !writer.isEmpty {
            writer.withUnsafeBytes { _ = send(copying: $0, to: id) }
            writer.removeAll()
        }
    }

    /// Asks for `drained` once all that is queued now has been handed to the socket; at once if nothing is. Told once for each piece behind which it
    /// was asked for, in their order.
    public mutating func notifyWhenDrained(_ id: ConnectionID) {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return }
        if channel.pointee.queue.isEmpty {
            notices.append(Notice(id: id, kind: .drained))
        } else {
            channel.pointee.queue.markLast()
        }
    }

    /// Asks for `emptied` once nothing waits for the socket, whatever is sent meanwhile; at once if nothing does. Asking again changes nothing.
    public mutating func notifyWhenEmpty(_ id: ConnectionID) {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return }
        channel.pointee.flags.insert(.tellsEmpty)
        tellIfEmpty(channel, id)
    }

    private mutating func tellIfEmpty(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        guard channel.pointee.flags.contains(.tellsEmpty), channel.pointee.queue.isEmpty, channel.pointee.transport.unsentCount == 0 else {
            return
        }
        channel.pointee.flags.remove(.tellsEmpty)
        notices.append(Notice(id: id, kind: .emptied))
    }

    /// Throws away what is queued, except the rest of a piece of which the peer has seen the beginning. Nobody is told that it was drained.
    public mutating func discardQueue(of id: ConnectionID) {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return }
        channel.pointee.queue.discard(pool: &pool)
    }

    /// How many bytes wait to be written to the connection.
    public func queuedBytes(for id: ConnectionID) -> Int {
        channels.pointer(to: id).map { $0.pointee.queue.byteCount + $0.pointee.transport.unsentCount } ?? 0
    }

    mutating func makeDirty(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        guard !channel.pointee.flags.contains(.dirty) else { return }
        channel.pointee.flags.insert(.dirty)
        dirty.append(id)
    }

    /// Writes what the turn produced, one call a socket where the socket takes it.
    @usableFromInline
    mutating func flush() {
        guard !dirty.isEmpty else { return }
        swap(&dirty, &flushing)
        for index in flushing.indices {
            let id = flushing[index]
            guard let channel = channels.pointer(to: id) else { continue }
            channel.pointee.flags.remove(.dirty)
            if channel.pointee.flags.isDisjoint(with: [.closed, .connecting]) { write(channel, id) }
            // What a socket did not take has to leave the arena before it is used again.
            channel.pointee.queue.leaveArena(arena.base)
        }
        flushing.removeAll(keepingCapacity: true)
        arena.removeAll()
    }

    /// Whether the arena asks for a write before the turn goes on.
    @usableFromInline var hasMuchOutput: Bool { arena.isFull }

    /// What one connection is given in a turn, in bytes: a reader that takes a long message as fast as it comes holds up no other one.
    private static var turnBytesMax: Int { 512 << 10 }

    private mutating func write(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        if channel.pointee.flags.contains(.secure), !flushSecure(channel, id) { return }
        var left = Self.turnBytesMax
        while !channel.pointee.queue.isEmpty, channel.pointee.flags.isDisjoint(with: [.blocked, .handshaking]) {
            let (filled, bytes) = channel.pointee.queue.fill(pieces, arena: arena.base, bytesMax: left)
            switch channel.pointee.transport.write(UnsafeMutableBufferPointer(rebasing: pieces[0..<filled]), secure) {
            case .moved(let count):
                bytesWritten += count
                let marks = channel.pointee.queue.remove(count, pool: &pool)
                for _ in 0..<marks { notices.append(Notice(id: id, kind: .drained)) }
                left -= count
                // An encrypted session may have taken all and the socket less. One that takes on and on has its turn again after the others.
                if count < bytes || channel.pointee.transport.unsentCount > 0 || left <= 0 { channel.pointee.flags.insert(.blocked) }
            case .needsWritable:
                channel.pointee.flags.insert(.blocked)
            case .needsReadable:
                // Only what the peer sends lets it go on: the read that takes that lists the connection again.
                return updateInterest(channel, id)
            case .failed(let code):
                return condemn(channel, id, .broken(code))
            case .insecure(_, let sentence):
                return condemn(channel, id, .insecure(sentence))
            case .ended, .movedLast, .unencrypted:
                return condemn(channel, id, .finished)
            }
        }
        updateInterest(channel, id)
        if channel.pointee.queue.isEmpty {
            channel.pointee.flags.remove(.overflowed)
            tellIfEmpty(channel, id)
            if channel.pointee.flags.contains(.finishing), !channel.pointee.flags.contains(.blocked) { endWriting(channel, id) }
        } else if channel.pointee.queue.backlogCost > outboundBytesMax, channel.pointee.flags.isDisjoint(with: [.overflowed, .finishing]) {
            channel.pointee.flags.insert(.overflowed)
            notices.append(Notice(id: id, kind: .overflowed))
        }
    }

    private mutating func endWriting(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        guard !channel.pointee.flags.contains(.lingering) else { return }
        guard channel.pointee.transport.endWriting(secure) else {
            channel.pointee.flags.insert(.blocked)
            return updateInterest(channel, id)
        }
        channel.pointee.flags.insert(.lingering)
        if channel.pointee.flags.contains(.peerEnded) { condemn(channel, id, .finished) }
    }

    /// Writes what an encrypted session has left from before.
    ///
    /// - Returns: false if the connection is over.
    private mutating func flushSecure(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) -> Bool {
        guard !channel.pointee.flags.contains(.blocked), channel.pointee.transport.unsentCount > 0 else { return true }
        switch channel.pointee.transport.flush(secure) {
        case .moved: channel.pointee.flags.remove(.choked)
        case .failed(let code):
            condemn(channel, id, .broken(code))
            return false
        default: channel.pointee.flags.insert(.blocked)
        }
        return true
    }
}
