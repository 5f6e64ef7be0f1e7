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
}
