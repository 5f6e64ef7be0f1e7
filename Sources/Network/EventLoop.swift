import CLinux
public import Crypto
import Glibc

/// Waits for the events of many sockets and of its mailbox, reads and writes for them, and keeps their deadlines. Belongs to one thread.
///
/// A turn: wait; read each readable socket into the loop's one buffer and give the bytes to the handler; deadlines, mailbox, signals; then write, once a socket,
/// everything that the turn produced for it. An idle connection holds neither a read nor a write buffer.
public struct EventLoop: ~Copyable {
    /// How many bytes of readable memory lie behind those that a handler receives.
    public static var readPaddingBytes: Int { 64 }
    /// How much one read takes from a socket at most.
    static var readBytes: Int { 256 << 10 }
    /// How many connections one turn accepts at most from a listener.
    @usableFromInline static var acceptsMax: Int { 64 }
    /// How long a listener rests when there is no descriptor to turn a peer away with.
    static var restMilliseconds: Int { 100 }

    /// The clock as read once in this turn.
    public internal(set) var now: Instant
    /// How many connections there are, closing ones included.
    public var connectionCount: Int { channels.count }
    /// How many bytes may wait for a socket before the handler is told (`overflowed`). A small overhead for each piece is counted in.
    public var outboundBytesMax: Int
    /// How much longer a peer gets each time, after `finish`, while it takes what it has yet to read.
    public var lingerMilliseconds = 5_000
    /// Bytes read from sockets and handed to the kernel, since the start.
    public internal(set) var bytesRead = 0
    /// Bytes handed to the kernel for sockets, since the start.
    public internal(set) var bytesWritten = 0

    var epoll: Epoll
    var channels = ConnectionTable<Channel>()
    var freeSlots: [UInt32] = []
    /// The last generation of each slot.
    var generations: [UInt32] = []
    var timers = TimerHeap()
    var alarm = Instant.distantFuture
    var listeners: [ListenerEntry] = []
    var signals: SignalEntry?
    var isStopping = false

    let readBuffer: UnsafeMutableRawBufferPointer
    let pieces: UnsafeMutableBufferPointer<iovec>
    var pool = SegmentPool()
    var arena = TurnArena()
    /// What encrypted connections share.
    let secure = TLSBuffers()
    var dirty: [ConnectionID] = []
    /// Connections that are written in the running flush: the list that `dirty` is exchanged with.
    var flushing: [ConnectionID] = []
    /// What the handler has yet to be told.
    var notices: [Notice] = []

    /// A loop without connections.
    ///
    /// - Parameter outboundBytesMax: see the property.
    /// - Throws: where the process has no descriptor left.
    public init(outboundBytesMax: Int = 8 << 20) throws(SystemError) {
        epoll = try Epoll()
        self.outboundBytesMax = outboundBytesMax
        now = .now()
        readBuffer = .allocate(byteCount: Self.readBytes + Self.readPaddingBytes, alignment: 64)
        readBuffer.initializeMemory(as: UInt8.self, repeating: 0)
        pieces = .allocate(capacity: 256)
    }

    deinit {
        readBuffer.deallocate()
        pieces.deallocate()
    }

    // MARK: Connections

    /// Takes over a connected, non-blocking socket.
    ///
    /// - Parameter context: makes this side the server of an encrypted connection. Until its handshake is over, what is sent waits.
    /// - Returns: its identifier; what arrives on it comes to the handler under this name.
    public mutating func adopt(_ socket: consuming Descriptor, secured context: TLSContext? = nil) throws(SystemError) -> ConnectionID {
        guard let context else { return try add(.plain(socket), interest: .readable, flags: []) }
        let link = try Self.link { () throws(CryptoError) in try TLSLink(server: context) }
        return try add(.secure(socket, link), interest: .readable, flags: [.secure, .handshaking])
    }

    /// A new session, for want of which memory is the one reason.
    static func link(_ make: () throws(CryptoError) -> TLSLink) throws(SystemError) -> TLSLink {
        do {
            return try make()
        } catch {
            throw SystemError("SSL_new", to: "encrypt a connection", code: ENOMEM, reason: error.description)
        }
    }

    mutating func add(_ transport: consuming Transport, interest: Interest, flags: Channel.Flags) throws(SystemError) -> ConnectionID {
        let slot = freeSlots.popLast() ?? UInt32(generations.count)
        if Int(slot) == generations.count { generations.append(0) }
        var generation = generations[Int(slot)] &+ 1
        // Generation 0 marks empty slots and the loop's own descriptors.
        if generation == 0 { generation = 1 }
        let id = ConnectionID(slot: slot, generation: generation)
        do {
            try epoll.add(transport.number, interest, tag: id.bits)
        } catch {
            freeSlots.append(slot)
            throw error
        }
        generations[Int(slot)] = generation
        var channel = Channel(transport: transport, interest: interest)
        channel.flags = flags
        channels.insert(channel, for: id)
        return id
    }

    /// Closes the connection once all that is queued has been written: our side ends first, so that the peer reads everything, then the socket is closed when
    /// the peer has ended its side too. What arrives in between is thrown away. `closed` follows.
    ///
    /// - Parameter milliseconds: how long all that may take; a peer that reads on gets more time (`lingerMilliseconds`).
    public mutating func finish(_ id: ConnectionID, withinMilliseconds milliseconds: Int = 5_000) {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return }
        if channel.pointee.flags.contains(.connecting) { return abort(id) }
        // There is nothing to end in order before the encrypted session is established.
        if channel.pointee.flags.contains(.handshaking), channel.pointee.queue.isEmpty { return abort(id) }
        channel.pointee.flags.insert(.finishing)
        setDeadline(now.advanced(milliseconds: milliseconds), of: channel, id)
        updateInterest(channel, id)
        makeDirty(channel, id)
    }

    /// Closes the connection now: what is queued is thrown away and the peer sees a reset. `closed` follows.
    public mutating func abort(_ id: ConnectionID) {
        guard let channel = channels.pointer(to: id) else { return }
        SocketOptions.discardOnClose(channel.pointee.transport.number)
        condemn(channel, id, .aborted)
    }

    /// Stops reading from the connection: its peer is held back by TCP.
    public mutating func pauseReading(_ id: ConnectionID) {
        guard let channel = channels.pointer(to: id) else { return }
        channel.pointee.flags.insert(.paused)
        updateInterest(channel, id)
    }

    /// Reads from the connection again.
    public mutating func resumeReading(_ id: ConnectionID) {
        guard let channel = channels.pointer(to: id) else { return }
        channel.pointee.flags.remove(.paused)
        updateInterest(channel, id)
    }

    /// Ends `run` after this turn.
    public mutating func stop() {
        isStopping = true
    }

    // MARK: Deadlines

    /// Sets the connection's one deadline. Moving it later costs nothing, so it can follow every sign of life.
    public mutating func setDeadline(_ instant: Instant, for id: ConnectionID) {
        guard let channel = channels.pointer(to: id), channel.pointee.takesOutput else { return }
        setDeadline(instant, of: channel, id)
    }

    /// Sets the loop's one alarm; `distantFuture` switches it off.
    public mutating func setAlarm(_ instant: Instant) {
        alarm = instant
    }

    mutating func setDeadline(_ instant: Instant, of channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        channel.pointee.deadline = instant
        guard instant < channel.pointee.scheduled else { return }
        channel.pointee.scheduled = instant
        timers.push(TimerHeap.Entry(instant: instant, id: id))
    }

    // MARK: The end of a connection

    /// Marks the connection as over and leaves word for the handler. The socket stays open until then, so that its number names nothing else meanwhile.
    mutating func condemn(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID, _ reason: CloseReason) {
        guard !channel.pointee.flags.contains(.closed) else { return }
        channel.pointee.flags.insert(.closed)
        channel.pointee.queue.removeAll(pool: &pool)
        notices.append(Notice(id: id, kind: .closed(reason)))
    }

    /// Forgets a condemned connection and closes its socket.
    mutating func bury(_ id: ConnectionID) {
        guard channels.remove(id) != nil else { return }
        freeSlots.append(UInt32(id.slot))
    }

    mutating func updateInterest(_ channel: UnsafeMutablePointer<Channel>, _ id: ConnectionID) {
        let wanted = channel.pointee.wantedInterest
        guard wanted != channel.pointee.interest else { return }
        channel.pointee.interest = wanted
        epoll.change(channel.pointee.transport.number, wanted, tag: id.bits)
    }
}

/// Something that came up while no handler could be called.
@usableFromInline
struct Notice {
    @usableFromInline
    enum Kind {
        case drained
        case emptied
        case overflowed
        case ended
        case closed(CloseReason)
    }

    @usableFromInline var id: ConnectionID
    @usableFromInline var kind: Kind
}
