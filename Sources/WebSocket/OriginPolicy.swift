/// Which web pages may open a WebSocket. A browser sends `Origin` and can't be made to lie; other programs send none and are let through.
public enum OriginPolicy: Hashable, Sendable {
    /// Every page.
    case any
    /// Pages that came from this server (the `Host` header names it), and those of the listed origins (`https://example.org`).
    case sameOrigin(or: [String])

    /// Whether a request with these headers may go on.
    func allows(_ headers: HTTPHeaders) -> Bool {
        guard case .sameOrigin(let others) = self, let origin = headers.first("Origin") else { return true }
        let normal = OriginPolicy.normalized(origin.lowercased())
        if others.contains(where: { OriginPolicy.normalized($0.lowercased()) == normal }) { return true }
        guard let host = headers.first("Host"), let end = normal.firstRange(of: "://") else { return false }
        let scheme = String(normal[..<end.upperBound])
        return normal == OriginPolicy.normalized(scheme + host.lowercased())
    }

    /// The origin without its scheme's own port.
    private static func normalized(_ origin: String) -> String {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}
