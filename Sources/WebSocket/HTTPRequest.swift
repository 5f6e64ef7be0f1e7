internal import Bytes

/// The head of an HTTP/1.1 request (RFC 9112), complete and checked.
public struct HTTPRequestHead: Sendable {
    /// How the body behind the head is delimited (RFC 9112 §6.3).
    public enum Body: Hashable, Sendable {
        /// There is none.
        case none
        /// So many bytes follow.
        case length(Int)
        /// Chunks follow (RFC 9112 §7.1).
        case chunked
    }

    /// The method, as sent: methods are case-sensitive.
    public let method: String
    /// The request target as sent.
    public let target: String
    /// The target's path, not decoded; begins with `/`, or is `*`.
    public let path: String
    /// What stands behind the first `?` of the target, not decoded.
    public let query: String?
    /// The minor version: 0 or 1.
    public let minorVersion: Int
    /// The header lines.
    public let headers: HTTPHeaders
    /// Which body follows.
    public let body: Body
    /// Whether the connection stays open after the answer (RFC 9112 §9.3).
    public let keepAlive: Bool

    init(_ lines: HTTPHeadLines) throws(HTTPFault) {
        let parts = lines.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(String(parts[0])), !parts[1].isEmpty else {
            throw HTTPFault(400, "The request line is not a method, a target and a version with one space between them.")
        }
        method = String(parts[0])
        target = String(parts[1])
        minorVersion = try HTTPRequestHead.minorVersion(parts[2])
        (path, query) = try HTTPRequestHead.pathAndQuery(target, method: method)
        headers = lines.headers
        try HTTPRequestHead.checkHost(headers, minorVersion: minorVersion)
        body = try HTTPRequestHead.body(headers, minorVersion: minorVersion)
        keepAlive =
            minorVersion == 1
            ? !headers.list("Connection", contains: "close")
            : headers.list("Connection", contains: "keep-alive") && !headers.list("Connection", contains: "close")
    }

    /// Whether the client asks for a WebSocket.
    public var asksForWebSocket: Bool { headers.list("Upgrade", contains: "websocket") }

    static func minorVersion(_ text: Substring) throws(HTTPFault) -> Int {
        if text == "HTTP/1.1" { return 1 }
        if text == "HTTP/1.0" { return 0 }
        let digits = Array(text.utf8.dropFirst(5))
        let isVersion =
            text.hasPrefix("HTTP/") && digits.count == 3 && digits[1] == UInt8(ascii: ".") && isDigit(digits[0]) && isDigit(digits[2])
        if isVersion { throw HTTPFault(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.") }
        throw HTTPFault(400, "The request line does not end with an HTTP version.")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Cuts the target in its origin form or absolute form (RFC 9112 §3.2).
    private static func pathAndQuery(_ target: String, method: String) throws(HTTPFault) -> (String, String?) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw HTTPFault(400, "The request target holds a character that must be percent-encoded.")
        }
        if target == "*", method == "OPTIONS" { return ("*", nil) }
        var rest = Substring(target)
        if !target.hasPrefix("/") {
            let schemes = ["http://", "https://", "ws://", "wss://"]
            guard let scheme = schemes.first(where: { target.lowercased().hasPrefix($0) }) else {
                throw HTTPFault(400, "The request target is neither a path nor an absolute address.")
            }
            rest = rest.dropFirst(scheme.count)
            guard let begin = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) ?? Optional(rest.endIndex), begin > rest.startIndex else {
                throw HTTPFault(400, "The request target names no host.")
            }
            guard HostAndPort(rest[..<begin]) != nil else {
                throw HTTPFault(400, "The request target names no host with an optional port.")
            }
            rest = rest[begin...]
        }
        let mark = rest.firstIndex(of: "?")
        let path = rest[..<(mark ?? rest.endIndex)]
        return (path.isEmpty ? "/" : String(path), mark.map { String(rest[rest.index(after: $0)...]) })
    }

    /// Exactly one well-formed Host in HTTP/1.1 (RFC 9112 §3.2).
    private static func checkHost(_ headers: HTTPHeaders, minorVersion: Int) throws(HTTPFault) {
        let hosts = headers.all("Host")
        if hosts.count > 1 { throw HTTPFault(400, "The Host header stands there more than once.") }
        guard let host = hosts.first else {
            if minorVersion == 0 { return }
            throw HTTPFault(400, "The Host header is missing.")
        }
        // An empty port is one by the grammar.
        guard HostAndPort(host.hasSuffix(":") ? host.dropLast() : host[...]) != nil else {
            throw HTTPFault(400, "The Host header is no host name with an optional port.")
        }
    }

    /// One way to delimit the body, or none: anything ambiguous is how requests get smuggled.
    private static func body(_ headers: HTTPHeaders, minorVersion: Int) throws(HTTPFault) -> Body {
        let lengths = headers.all("Content-Length")
        let codings = headers.list("Transfer-Encoding")
        if headers.contains("Transfer-Encoding") {
            if !lengths.isEmpty { throw HTTPFault(400, "Content-Length and Transfer-Encoding exclude each other.") }
            if minorVersion == 0 { throw HTTPFault(400, "HTTP/1.0 has no Transfer-Encoding.") }
            guard codings.count == 1, headers.count(of: "Transfer-Encoding") == 1, codings[0].lowercased() == "chunked" else {
                throw HTTPFault(501, "The only transfer coding taken is chunked, once.")
            }
            return .chunked
        }
        if lengths.count > 1 { throw HTTPFault(400, "The Content-Length header stands there more than once.") }
        guard let text = lengths.first else { return .none }
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy(isDigit), let length = Int(text) else {
            throw HTTPFault(400, "The Content-Length header is no number of bytes.")
        }
        return length == 0 ? .none : .length(length)
    }
}

/// Reads request heads out of a stream of bytes, one after the other, whichever way the bytes are cut.
public struct HTTPRequestParser: ~Copyable {
    /// What a piece of bytes led to.
    public enum Step: Sendable {
        /// All bytes were taken; the head is not complete.
        case incomplete
        /// A head is complete. The first `consumed` bytes of the piece belong to it; the body or the next request begins behind them.
        case head(HTTPRequestHead, consumed: Int)
        /// The bytes are no acceptable head: answer with the fault and close the connection.
        case refused(HTTPFault)
    }

    private var scanner: HTTPHeadScanner

    /// A parser at the beginning of a request.
    public init(limits: HTTPLimits = HTTPLimits()) {
        scanner = HTTPHeadScanner(limits: limits)
    }

    /// Whether a head has begun and is not complete: what a time-out should know.
    public var isInHead: Bool { scanner.isInHead }

    /// Takes the next bytes.
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Step {
        switch scanner.scan(bytes) {
        case .incomplete: return .incomplete
        case .refused(let fault): return .refused(fault)
        case .complete(let lines, let consumed):
            do {
                return .head(try HTTPRequestHead(lines), consumed: consumed)
            } catch {
                return .refused(error)
            }
        }
    }
}
