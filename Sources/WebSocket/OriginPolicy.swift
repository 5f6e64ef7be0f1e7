/// How a client reaches this server, where that is another address than the request shows: a reverse proxy that is trusted has said so.
public struct PublicAddress: Hashable, Sendable {
    /// What the client took for the server's host and port; nil where the `Host` header says it.
    public var host: String?
    /// Whether the client's connection is encrypted; nil where that is not known.
    public var isEncrypted: Bool?

    /// An address; without arguments, that of the request itself.
    public init(host: String? = nil, isEncrypted: Bool? = nil) {
        self.host = host
        self.isEncrypted = isEncrypted
    }
}

/// Which web pages may open a WebSocket. A browser sends `Origin` and can't be made to lie; other programs send none and are let through.
public enum OriginPolicy: Hashable, Sendable {
    /// Every page.
    case any
    /// Pages that came from this server (the `Host` header names it), and those of the listed origins (`https://example.org`).
    case sameOrigin(or: [String])
    /// The same, and this server goes by a name of this machine alone (`localhost`, `127.0.0.1`, `[::1]`): against pages whose name was
    /// pointed at this machine after they were loaded (DNS rebinding).
    case sameLoopbackOrigin(or: [String])

    /// Whether a request with these headers, which reached the server at that address, may go on.
    func allows(_ headers: HTTPHeaders, at address: PublicAddress = PublicAddress()) -> Bool {
        let others: [String]
        switch self {
        case .any: return true
        case .sameOrigin(let listed), .sameLoopbackOrigin(let listed): others = listed
        }
        guard let origin = headers.first("Origin") else { return true }
        let normal = OriginPolicy.normalized(origin.lowercased())
        if others.contains(where: { OriginPolicy.normalized($0.lowercased()) == normal }) { return true }
        guard let host = address.host ?? headers.first("Host"), let end = normal.firstRange(of: "://") else { return false }
        if case .sameLoopbackOrigin = self, !OriginPolicy.isLoopback(host) { return false }
        let scheme = String(normal[..<end.upperBound])
        if let isEncrypted = address.isEncrypted, scheme != (isEncrypted ? "https://" : "http://") { return false }
        return normal == OriginPolicy.normalized(scheme + host.lowercased())
    }

    /// Whether the `Host` names this machine, with or without a port.
    private static func isLoopback(_ host: String) -> Bool {
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }

    /// The origin without its scheme's own port.
    private static func normalized(_ origin: String) -> String {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}
