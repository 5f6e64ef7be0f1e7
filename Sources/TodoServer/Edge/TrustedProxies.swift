import Bytes
import Network
import WebSocket

/// The reverse proxies whose word about a client counts: `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` of everybody else mean nothing.
struct TrustedProxies: Sendable, Equatable {
    private var ranges: [AddressRange] = []
    private var includesUnix = false

    /// No proxies.
    init() {}

    /// Reads a list such as `10.0.0.0/8, ::1, unix`.
    ///
    /// - Throws: the part that is none of them.
    init(list: String) throws(Unreadable) {
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.trimmed
            if word == "unix" {
                includesUnix = true
            } else if let range = AddressRange(word) {
                ranges.append(range)
            } else {
                throw Unreadable(part: String(word))
            }
        }
    }

    /// A part of a list that is no address, no range and not `unix`.
    struct Unreadable: Error {
        let part: String
    }

    /// Who sent a request, as far as that can be known.
    struct Client: Equatable {
        /// The address; nil for somebody on this machine behind a Unix socket.
        var address: IPAddress?
        /// Whether a trusted proxy named it, so that the connection is not the client's own.
        var isForwarded = false
    }

    /// Whether a connection's other end is one of them; nil is a Unix socket.
    func contains(_ peer: IPAddress?) -> Bool {
        guard let peer else { return includesUnix }
        return ranges.contains { $0.contains(peer) }
    }

    /// The client of a request that came from `peer`: where that is a proxy, the right-most address that is none. What stands left of it was said by the
    /// client itself, and is not looked at.
    ///
    /// - Returns: nil if a proxy names something that is no address: then nothing is known about the client.
    func client(of headers: HTTPHeaders, from peer: IPAddress?) -> Client? {
        guard contains(peer) else { return Client(address: peer) }
        var client = Client(address: peer)
        for entry in headers.list("X-Forwarded-For").reversed() {
            guard let address = Self.address(entry) else { return nil }
            client = Client(address: address, isForwarded: true)
            if !contains(address) { break }
        }
        return client
    }

    /// How the client reached a proxy, where the request came from one and it says so.
    ///
    /// - Returns: nil if a proxy names something that is no host: then nothing is known about the page's address.
    func publicAddress(of headers: HTTPHeaders, from peer: IPAddress?) -> PublicAddress? {
        guard contains(peer) else { return PublicAddress() }
        let host = headers.list("X-Forwarded-Host").last
        if let host, HostAndPort(host) == nil { return nil }
        let scheme = headers.list("X-Forwarded-Proto").last?.lowercased()
        return PublicAddress(host: host, isEncrypted: scheme.map { $0 == "https" || $0 == "wss" })
    }

    /// An address, with or without a port: `192.0.2.1`, `192.0.2.1:5000`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:5000`.
    private static func address(_ entry: String) -> IPAddress? {
        // Without brackets and port, an IPv6 address is one as it stands.
        IPAddress(entry) ?? HostAndPort(entry).flatMap { IPAddress($0.host) }
    }
}

extension Substring {
    /// Without spaces at its ends.
    var trimmed: Substring {
        var rest = drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
