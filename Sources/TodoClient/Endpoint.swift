internal import Bytes

/// Where a server's WebSocket is: the parts of a `ws://` or `wss://` URL.
public struct Endpoint: Sendable, Hashable {
    /// What is wrong with a URL, in a sentence that says what would be right.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    /// Whether the connection is encrypted: the scheme is `wss`.
    public let isSecure: Bool
    /// Name or numeric address, an IPv6 address without its brackets.
    public let host: String
    /// The port; 80 where the URL names none, or 443 where it is encrypted.
    public let port: Int
    /// Path and query; `/sync` where the URL names none.
    public let target: String
    private let isLiteralIPv6: Bool

    /// Reads `ws://host[:port][/path][?query]`, or the same with `wss`.
    ///
    /// - Throws: a `Fault` for another scheme, an empty host, a port that is none, or a fragment.
    public init(_ url: String) throws(Fault) {
        guard let scheme = url.range(of: "://") else { throw Self.fault(url, "it has no scheme") }
        switch url[..<scheme.lowerBound].lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        case let other: throw Self.fault(url, "the scheme is \(other)")
        }
        let rest = url[scheme.upperBound...]
        guard !rest.contains("#") else { throw Self.fault(url, "it has a fragment") }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw Self.fault(url, "names and passwords don't belong into it") }
        guard let place = HostAndPort(authority) else {
            throw Self.fault(url, "after :// comes a host, an IPv6 address in brackets, and then perhaps a colon and a port up to 65535")
        }
        guard place.port != 0 else { throw Self.fault(url, "nothing can be reached at port 0") }
        host = place.host
        port = place.port ?? Self.usualPort(isSecure)
        isLiteralIPv6 = place.isBracketed
        let path = rest[end...]
        target = path.isEmpty || path == "/" ? "/sync" : (path.hasPrefix("?") ? "/" + path : String(path))
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.fault(url, "its path has characters that must be encoded")
        }
    }

    private static func usualPort(_ isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    private static func fault(_ url: String, _ reason: String) -> Fault {
        Fault(description: "\(url) is not usable: \(reason). A server's address looks like ws://127.0.0.1:8080/sync")
    }

    /// What the `Host` header says.
    public var authority: String {
        let name = isLiteralIPv6 ? "[\(host)]" : host
        return port == Self.usualPort(isSecure) ? name : "\(name):\(port)"
    }
}

extension Endpoint: CustomStringConvertible {
    /// The URL.
    public var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target)" }
}

extension String {
    fileprivate func range(of needle: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}
