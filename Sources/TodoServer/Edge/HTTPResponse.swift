import Bytes
import Glibc
import WebSocket

/// An answer to an HTTP request: status, the headers beyond those that every answer has, and a body that is shared, not copied.
struct HTTPResponse {
    var status: Int
    var contentType: String?
    var headers: [(name: StaticString, value: String)] = []
    var body = SharedBytes()

    /// A file or a document.
    init(status: Int, contentType: String? = nil, body: SharedBytes = SharedBytes(), headers: [(name: StaticString, value: String)] = []) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// A sentence for a person to read.
    init(status: Int, text: String, headers: [(name: StaticString, value: String)] = []) {
        self.init(status: status, contentType: ContentType.plainText, body: SharedBytes(utf8: text + "\n"), headers: headers)
    }

    /// A refusal to open a WebSocket.
    init(_ rejection: HTTPRejection) {
        self.init(status: rejection.status, text: rejection.sentence, headers: rejection.lines)
        // The header Upgrade is one of the connection's own (RFC 9110 §7.8).
        if rejection.headers.contains(.upgrade) { headers.append(("Connection", "Upgrade")) }
    }

    /// Writes the status line and all headers.
    ///
    /// - Parameter closes: whether the connection ends with this answer.
    func writeHead(into writer: inout ByteWriter, closes: Bool) {
        writer.appendHTTPStatus(status)
        writer.appendHTTPHeader("Date", Self.date())
        if status != 304 { writer.appendHTTPHeader("Content-Length", body.count) }
        if let contentType { writer.appendHTTPHeader("Content-Type", contentType) }
        for header in headers { writer.appendHTTPHeader(header.name, header.value) }
        writer.append(Self.securityHeaders)
        if closes { writer.appendHTTPHeader("Connection", "close") }
        writer.endHTTPHead()
    }

    /// The page loads nothing from elsewhere, is framed by nobody, and sends no address on: also an answer that a browser takes for a page by mistake.
    ///
    /// For a connection `'self'` takes in `ws:` and `wss:` of the page's own host and port.
    private static let securityHeaders: StaticString = """
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
        X-Content-Type-Options: nosniff\r
        Referrer-Policy: no-referrer\r
        Cross-Origin-Opener-Policy: same-origin\r
        X-Frame-Options: DENY\r

        """

    /// The present time as HTTP writes it (RFC 9110 §5.6.7), whatever the locale.
    private static func date() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + Int(parts.tm_year))"
        return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
