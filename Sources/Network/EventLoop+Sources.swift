import CLinux
public import Crypto
import Glibc

/// A listener of the loop. A class, because arrays hold no noncopyable values; touched a few times a turn at most.
final class ListenerEntry {
    var listener: Listener
    /// When a resting listener is watched again.
    var restsUntil: Instant?

    init(_ listener: consuming Listener) {
        self.listener = listener
    }
}

/// The signal source of the loop.
final class SignalEntry {
    let source: SignalSource

    init(_ source: consuming SignalSource) {
        self.source = source
    }
}

/// One attempt to accept, as the handler sees it.
@usableFromInline
enum Acceptance: ~Copyable {
    case connection(Descriptor, SocketAddress)
    case trouble(SystemError)
    case again
    case none
}

extension EventLoop {
    /// The tags of the loop's own descriptors: generation 0, which no connection has.
    static var mailboxTag: UInt64 { 0 }
    static var signalTag: UInt64 { 1 }
    static var firstListenerTag: UInt64 { 2 }

    /// Accepts connections from `listener` until the loop's end.
    ///
    /// - Returns: the number that `accepted` gives with its connections, counted from 0.
    @discardableResult
    public mutating func add(_ listener: consuming Listener) throws(SystemError) -> Int {
        let index = listeners.count
        try epoll.add(listener.descriptor.number, .readable, tag: Self.firstListenerTag + UInt64(index))
        listeners.append(ListenerEntry(listener))
        return index
    }

    /// Reports the signals of `source` to the handler.
    public mutating func add(_ source: consuming SignalSource) throws(SystemError) {
        try epoll.add(source.descriptor.number, .readable, tag: Self.signalTag)
        signals = SignalEntry(source)
    }

    /// Starts a connection to `address`. `connected` follows, or `closed` with the reason; what is sent meanwhile is queued.
    ///
    /// - Parameters:
    ///   - context: makes this side the client of an encrypted connection.
    ///   - host: the name or address that the server's certificate must be for.
    /// - Throws: what the system refuses at once, such as for want of descriptors or local ports.
    public mutating func connect(to address: SocketAddress, secured context: TLSContext? = nil, host: String = "") throws(SystemError)
        -> ConnectionID
    {
        let action = "connect to \(address)"
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = try Descriptor(result: Glibc.socket(address.family, type, 0), of: "socket", to: action)
        if !address.isUnix { SocketOptions.set(Int32(IPPROTO_TCP), TCP_NODELAY, on: socket.number) }
        let result = address.withPointer { Glibc.connect(socket.number, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else { throw SystemError("connect", to: action) }
        guard let context else { return try add(.plain(socket), interest: .writable, flags: .connecting) }
        let link = try Self.link { () throws(CryptoError) in try TLSLink(client: context, host: host) }
        return try add(.secure(socket, link), interest: .writable, flags: [.connecting, .secure])
    }

    /// Takes the next connection of a listener.
    @usableFromInline
    mutating func accept(from index: Int) -> Acceptance {
        guard index < listeners.count else { return .none }
        let entry = listeners[index]
        switch entry.listener.accept() {
        case .accepted(let socket, let peer): return .connection(socket, peer)
        case .none: return .none
        case .lost: return .again
        case .turnedAway(let error):
            return entry.listener.isNewTrouble() ? .trouble(error) : .again
        case .exhausted(let error):
            rest(entry, index)
            return entry.listener.isNewTrouble() ? .trouble(error) : .none
        }
    }

    @usableFromInline
    func nextSignal() -> ProcessSignal? {
        signals?.source.next()
    }

    /// Leaves the listener alone for a while: it stays readable, and watching it would spin.
    private mutating func rest(_ entry: ListenerEntry, _ index: Int) {
        entry.restsUntil = now.advanced(milliseconds: Self.restMilliseconds)
        epoll.change(entry.listener.descriptor.number, [], tag: Self.firstListenerTag + UInt64(index))
    }

    mutating func wakeListeners() {
        for (index, entry) in listeners.enumerated() {
            guard let until = entry.restsUntil, until <= now else { continue }
            entry.restsUntil = nil
            epoll.change(entry.listener.descriptor.number, .readable, tag: Self.firstListenerTag + UInt64(index))
        }
    }

    var soonestListener: Instant {
        listeners.reduce(Instant.distantFuture) { min($0, $1.restsUntil ?? .distantFuture) }
    }
}
