import Bytes
import WebSocket

/// Whom the edge lets in, and where.
struct EdgePolicy: Sendable {
    /// The path at which sessions are opened.
    var sessionPath = "/sync"
    /// The subprotocol that is spoken there.
    var subprotocol = "todosync.v1"
    /// Origins that may open sessions beside the server's own, such as `https://app.example`.
    var allowedOrigins: [String] = []
    /// Whether pages must come from a name of this machine: where nobody is asked for a password.
    var isForLoopbackOnly = false
    /// Whose word about the client's address, the host and the scheme counts.
    var proxies = TrustedProxies()
}

extension EdgePolicy {
    /// Which pages may open sessions.
    var origins: OriginPolicy {
        isForLoopbackOnly ? .sameLoopbackOrigin(or: allowedOrigins) : .sameOrigin(or: allowedOrigins)
    }

    /// The origin that `text` writes out as a browser would, in lower case: scheme, host and perhaps a port, and nothing else. A slash behind it, which
    /// can mean nothing more, is left out; nil where the text is no origin, which no page could ever have.
    static func origin(_ text: some StringProtocol) -> String? {
        let text = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let place = rest.hasSuffix("/") ? rest.dropLast() : rest
        return HostAndPort(place).map { _ in scheme + place }
    }
}
