import CLinux
import Glibc

/// Where a socket is or leads to: an IPv4 or IPv6 address with a port, or the path of a Unix socket.
public struct SocketAddress: Sendable {
    private var storage: sockaddr_storage
    private var length: socklen_t

    /// The loopback address of IPv4.
    public static func loopback(port: Int) -> SocketAddress {
        ipv4(host: INADDR_LOOPBACK, port: port)
    }

    private static func ipv4(host: UInt32, port: Int) -> SocketAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return SocketAddress(copying: &address)
    }

    /// The address of a Unix socket.
    ///
    /// - Throws: where `path` is empty or longer than the system's 107 bytes.
    public static func unix(path: String) throws(SystemError) -> SocketAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !path.isEmpty, path.utf8.count <= room else {
            throw SystemError(
                "bind", to: "use the socket path \(path)", code: ENAMETOOLONG, reason: "a socket's path has 1 to \(room) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return SocketAddress(copying: &address)
    }

    /// All addresses of `host`, a name or a numeric address, in the resolver's order of preference. May block while the name is looked up.
    ///
    /// - Throws: where the name is not known or the port is not between 0 and 65,535.
    public static func resolve(host: String, port: Int) throws(SystemError) -> [SocketAddress] {
        guard (0...65_535).contains(port) else {
            throw SystemError("getaddrinfo", to: "use port \(port)", code: 0, reason: "a port is a number from 0 to 65535")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        // A literal IPv6 address may come with the brackets that it has in a URL.
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let code = getaddrinfo(bare, String(port), &hints, &list)
        guard code == 0 else {
            let number = code == EAI_SYSTEM ? errno : 0
            let reason = code == EAI_NONAME ? "the host name is not known" : String(cString: gai_strerror(code))
            throw SystemError(
                "getaddrinfo", to: "find the host \(host)", code: number,
                reason: "\(reason); check its spelling, or use an address such as 127.0.0.1")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                addresses.append(SocketAddress(address, length: entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    /// The local address of a socket: tells which port the system chose for port 0.
    static func local(of descriptor: Int32) throws(SystemError) -> SocketAddress {
        var result = SocketAddress()
        guard result.fill({ getsockname(descriptor, $0, $1) }) == 0 else {
            throw SystemError("getsockname", to: "find a socket's own address")
        }
        return result
    }

    /// Takes the next connection of a listening socket; `peer` becomes its address.
    ///
    /// - Returns: the new descriptor, or -1 with the reason in `errno`.
    static func accept(on descriptor: Int32, peer: inout SocketAddress) -> Int32 {
        peer.fill { accept4(descriptor, $0, $1, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)) }
    }

    /// An address that is yet to be filled in.
    init() {
        storage = sockaddr_storage()
        length = 0
    }

    private init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        self.init()
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        let count = Int(self.length)
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count)) }
    }

    private init<Address>(copying address: inout Address) {
        self.init()
        length = socklen_t(MemoryLayout<Address>.size)
        withUnsafeBytes(of: &address) { source in withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: source) } }
    }

    private mutating func fill(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> Int32 {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
    }

    /// Hands the address, and its length in bytes, to a system call.
    package func withBytes<Result>(_ call: (UnsafeRawPointer, UInt32) -> Result) -> Result {
        withPointer { call(UnsafeRawPointer($0), $1) }
    }

    /// The same as the C library declares it.
    func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, length) }
        }
    }

    /// The address family, as `socket` takes it.
    var family: Int32 { Int32(storage.ss_family) }

    /// Whether this is the path of a Unix socket.
    public var isUnix: Bool { family == AF_UNIX }

    /// The port, or nil for a Unix socket.
    public var port: Int? {
        var copy = storage
        return withUnsafeBytes(of: &copy) { bytes in
            switch family {
            case AF_INET: Int(UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_port))
            case AF_INET6: Int(UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_port))
            default: nil
            }
        }
    }

    /// The number of an IPv4 address.
    var ipv4Number: UInt32? {
        guard family == AF_INET else { return nil }
        return withUnsafeBytes(of: storage) { UInt32(bigEndian: $0.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr) }
    }

    /// The number of an IPv6 address.
    var ipv6Number: in6_addr? {
        guard family == AF_INET6 else { return nil }
        return withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self).sin6_addr }
    }

    /// The numeric address without its port (`127.0.0.1`, `::1`), or the path of a Unix socket (empty for an unnamed one).
    public var host: String {
        if isUnix { return unixPath }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let code = withPointer { getnameinfo($0, $1, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) }
            guard code == 0, let base = buffer.baseAddress else { return "?" }
            return String(cString: base)
        }
    }

    private var unixPath: String {
        var copy = storage
        return withUnsafeBytes(of: &copy) { bytes in
            let path = bytes[MemoryLayout<sa_family_t>.size..<max(MemoryLayout<sa_family_t>.size, Int(length))]
            return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/todo.sock`.
    public var description: String {
        guard let port else { return "unix:\(unixPath)" }
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
