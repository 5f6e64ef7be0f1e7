import Bytes
import WebSocket

/// What plain HTTP requests are answered with: files, health, figures. Shared by all loops and never changed.
struct HTTPRouter: Sendable {
    let files: StaticFiles
    let status: ServerStatus
    let limits: EdgeLimits
    let policy: EdgePolicy
    /// Where the connections of all loops are counted.
    let census: ConnectionCensus

    /// A router, and with it what all loops share.
    init(files: StaticFiles, status: ServerStatus, limits: EdgeLimits, policy: EdgePolicy = EdgePolicy()) {
        self.files = files
        self.status = status
        self.limits = limits
        self.policy = policy
        census = ConnectionCensus(connectionsMax: limits.connectionsMax, perAddressMax: limits.connectionsPerAddressMax)
    }

    /// The answer to a request for anything but a session.
    ///
    /// - Parameter metrics: gives the text of `/metrics`.
    func answer(_ head: HTTPRequestHead, metrics: () -> SharedBytes) -> HTTPResponse {
        guard let path = Self.decoded(head.path) else {
            return HTTPResponse(status: 400, text: "The address holds a percent sign that encodes nothing.")
        }
        let isRead = head.method == "GET" || head.method == "HEAD"
        guard let response = content(at: path, head.headers, metrics) else {
            return HTTPResponse(status: 404, text: "There is nothing at this address.")
        }
        guard isRead else {
            return HTTPResponse(status: 405, text: "This address is only read: GET or HEAD.", headers: [("Allow", "GET, HEAD")])
        }
        return response
    }

    /// Whether the request asks how the server is: that is answered as long as anything is, also past the limits on connections and while the server goes away.
    func isAboutHealth(_ head: HTTPRequestHead) -> Bool {
        ["/healthz", "/readyz", "/metrics"].contains(head.path)
    }

    private func content(at path: String, _ headers: HTTPHeaders, _ metrics: () -> SharedBytes) -> HTTPResponse? {
        switch path {
        case "/healthz": return uncached(HTTPResponse(status: 200, text: "alive"))
        case "/readyz":
            return uncached(status.isReady ? HTTPResponse(status: 200, text: "ready") : HTTPResponse(status: 503, text: "not ready"))
        case "/metrics":
            return uncached(
                HTTPResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: metrics()))
        default: return files.file(at: path).map { serve($0, headers) }
        }
    }

    private func uncached(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    /// A file, compressed where the client takes that, or the news that the client's copy is still right.
    private func serve(_ file: StaticFiles.File, _ headers: HTTPHeaders) -> HTTPResponse {
        let compressed = HTTPNegotiation.acceptsGzip(headers) ? file.gzip : nil
        let tag = compressed == nil ? file.entityTag : file.gzipEntityTag
        var fields: [(name: StaticString, value: String)] = [("ETag", tag), ("Cache-Control", "no-cache")]
        if file.gzip != nil { fields.append(("Vary", "Accept-Encoding")) }
        if HTTPNegotiation.matches(headers, tag) { return HTTPResponse(status: 304, headers: fields) }
        if compressed != nil { fields.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, contentType: file.contentType, body: compressed ?? file.content, headers: fields)
    }

    /// The path with its percent-encoding taken off, once; nil if that is malformed.
    static func decoded(_ path: String) -> String? {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// What a client says it has and takes (RFC 9110 §12.5.3, §13.1.2).
enum HTTPNegotiation {
    /// Whether the client takes gzip.
    static func acceptsGzip(_ headers: HTTPHeaders) -> Bool {
        var any = false
        for element in headers.list("Accept-Encoding") {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            // What is named counts before the wildcard, wherever it stands.
            if name == "gzip" || name == "x-gzip" { return weight > 0 }
            if name == "*" { any = weight > 0 }
        }
        return any
    }

    /// Whether the client's `If-None-Match` names `tag`, compared weakly.
    static func matches(_ headers: HTTPHeaders, _ tag: String) -> Bool {
        headers.list("If-None-Match").contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }
}
