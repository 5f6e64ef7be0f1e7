import CLinux
import Glibc

/// A socket that accepts connections: IPv4, IPv6 or a Unix socket path.
///
/// One loop accepts and hands descriptors to the others by their mailboxes. That spreads long-lived connections exactly evenly and lets one place
/// count them, which a listener per loop (`SO_REUSEPORT` spreads by hash, and a queue dies with its loop) does not.
public struct Listener: ~Copyable {
    /// What one attempt to accept came to.
    enum Outcome: ~Copyable {
        case accepted(Descriptor, peer: SocketAddress)
        /// Nobody waits.
        case none
        /// This one is gone already; the next may be there.
        case lost
        /// No descriptor or memory was left: the peer was turned away, so that it does not wait for nothing.
        case turnedAway(SystemError)
        /// No descriptor or memory was left and the peer still waits: try again a little later.
        case exhausted(SystemError)
    }

    /// Where it listens, with the port that the system chose for port 0.
    public let address: SocketAddress
    let descriptor: Descriptor
    /// The file of a Unix socket, which goes with the listener.
    private let file: FileIdentity?
    /// An open file whose number can be given up when no other is left.
    private var reserve: Int32
    /// Whether accepting fails at present: one trouble is reported once.
    private var isTroubled = false

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: where; port 0 lets the system choose. A socket file that nothing listens on any more is replaced.
    ///   - backlog: how many may wait to be accepted (the system may keep it smaller: `net.core.somaxconn`).
    ///   - fileMode: who may connect to a Unix socket: those who may write to its file.
    public init(on address: SocketAddress, backlog: Int32 = 4096, fileMode: UInt32 = 0o600) throws(SystemError) {
        let action = "listen on \(address)"
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try Descriptor(result: socket(address.family, type, 0), of: "socket", to: action)
        if address.isUnix {
            Self.removeAbandonedFile(at: address)
            // The file comes into being with the socket's own mode: it is nobody else's for a moment.
            fchmod(descriptor.number, 0o600)
        } else {
            SocketOptions.set(SOL_SOCKET, SO_REUSEADDR, on: descriptor.number)
            // Inherited by what accept returns: saves a call for each connection.
            SocketOptions.set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor.number)
            if address.family == AF_INET6 { SocketOptions.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, on: descriptor.number) }
        }
        guard address.withPointer({ bind(descriptor.number, $0, $1) }) == 0 else { throw Self.bindError(errno, address, action) }
        let file = address.isUnix ? FileIdentity(of: address.host) : nil
        do throws(SystemError) {
            if address.isUnix, chmod(address.host, mode_t(fileMode)) != 0 { throw SystemError("chmod", to: action) }
            guard listen(descriptor.number, backlog) == 0 else { throw SystemError("listen", to: action) }
            self.address = try SocketAddress.local(of: descriptor.number)
        } catch {
            if address.isUnix { unlink(address.host) }
            throw error
        }
        self.descriptor = descriptor
        self.file = file
        reserve = Self.openReserve()
    }

    /// Takes the next waiting connection: non-blocking, closed on exec, without Nagle's delay.
    mutating func accept() -> Outcome {
        var peer = SocketAddress()
        let number = SocketAddress.accept(on: descriptor.number, peer: &peer)
        if number >= 0 {
            isTroubled = false
            if reserve < 0 { reserve = Self.openReserve() }
            return .accepted(Descriptor(owning: number), peer: peer)
        }
        switch errno {
        case EAGAIN: return .none
        case EMFILE, ENFILE: return turnAway(errno)
        case ENOMEM, ENOBUFS: return .exhausted(SystemError("accept4", to: "accept a connection"))
        default:
            // ECONNABORTED, EPROTO and the network errors that Linux passes on are about that one peer (accept(2)).
            return .lost
        }
    }

    /// Whether this is the first failure since the last success: the one to report.
    mutating func isNewTrouble() -> Bool {
        defer { isTroubled = true }
        return !isTroubled
    }

    /// Gives up the reserve so that the waiting peer can be accepted and closed: it learns at once that it is not served.
    private mutating func turnAway(_ code: Int32) -> Outcome {
        let trouble = SystemError("accept4", to: "accept a connection", code: code)
        guard reserve >= 0 else {
            reserve = Self.openReserve()
            return .exhausted(trouble)
        }
        _ = close(reserve)
        var peer = SocketAddress()
        let number = SocketAddress.accept(on: descriptor.number, peer: &peer)
        if number >= 0 { _ = close(number) }
        reserve = Self.openReserve()
        return number >= 0 ? .turnedAway(trouble) : .exhausted(trouble)
    }

    /// Why an address could not be taken. Of a Unix socket's, the system calls any file in its place an address in use.
    private static func bindError(_ code: Int32, _ address: SocketAddress, _ action: String) -> SystemError {
        var status = stat()
        if address.isUnix, code == EADDRINUSE, lstat(address.host, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            return SystemError("bind", to: action, code: EEXIST, reason: "what is there already is no socket")
        }
        return SystemError("bind", to: action, code: code)
    }

    private static func openReserve() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Removes the file of a Unix socket that refuses connections: its server is gone. Any other file stays, and `bind` reports it.
    private static func removeAbandonedFile(at address: SocketAddress) {
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return }
        defer { _ = close(probe) }
        let refused = address.withPointer { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
        var status = stat()
        if refused, lstat(address.host, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(address.host) }
    }

    deinit {
        if reserve >= 0 { _ = close(reserve) }
        // Whoever has put another file there meanwhile keeps it.
        if let file, FileIdentity(of: address.host) == file { unlink(address.host) }
    }
}

/// Which file a path leads to, links not followed.
private struct FileIdentity: Equatable {
    let device: UInt64
    let number: UInt64

    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
