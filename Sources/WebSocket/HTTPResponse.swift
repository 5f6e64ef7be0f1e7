public import Bytes

/// The head of an HTTP/1.1 response, as a client reads it.
public struct HTTPResponseHead: Sendable {
    /// The status code, 100–599.
    public let status: Int
    /// The reason phrase, which may be empty.
    public let reason: String
    /// The minor version: 0 or 1.
    public let minorVersion: Int
    /// The header lines.
    public let headers: HTTPHeaders

    init(_ lines: HTTPHeadLines) throws(HTTPFault) {
        let parts = lines.startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].utf8.count == 3, let status = Int(parts[1]), (100...599).contains(status) else {
            throw HTTPFault(400, "The status line is not a version, a status code and a reason.")
        }
        minorVersion = try HTTPRequestHead.minorVersion(parts[0])
        self.status = status
        reason = parts.count == 3 ? String(parts[2]) : ""
        headers = lines.headers
    }
}

/// Reads a response head out of a stream of bytes, whichever way the bytes are cut.
public struct HTTPResponseParser: ~Copyable {
    /// What a piece of bytes led to.
    public enum Step: Sendable {
        /// All bytes were taken; the head is not complete.
        case incomplete
        /// The head is complete. The first `consumed` bytes of the piece belong to it.
        case head(HTTPResponseHead, consumed: Int)
        /// The bytes are no acceptable head: close the connection.
        case refused(HTTPFault)
    }

    private var scanner: HTTPHeadScanner

    /// A parser at the beginning of a response.
    public init(limits: HTTPLimits = HTTPLimits()) {
        scanner = HTTPHeadScanner(limits: limits)
    }

    /// Takes the next bytes.
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Step {
        switch scanner.scan(bytes) {
        case .incomplete: return .incomplete
        case .refused(let fault): return .refused(fault)
        case .complete(let lines, let consumed):
            do {
                return .head(try HTTPResponseHead(lines), consumed: consumed)
            } catch {
                return .refused(error)
            }
        }
    }
}

extension ByteWriter {
    /// Appends an HTTP/1.1 status line.
    public mutating func appendHTTPStatus(_ status: Int) {
        append("HTTP/1.1 ")
        append(decimal: Int64(status))
        append(UInt8(ascii: " "))
        append(utf8: httpReason(status))
        append("\r\n")
    }

    /// Appends a header line. Control characters in the value become spaces, so that no text from outside can begin a line of its own.
    public mutating func appendHTTPHeader(_ name: StaticString, _ value: String) {
        append(name)
        appendHTTPLine(": ", value)
    }

    /// Appends a header line whose name is known at run time only, cleaned like the value.
    public mutating func appendHTTPHeader(named name: String, _ value: String) {
        appendHTTPLine(name + ": ", value)
    }

    private mutating func appendHTTPLine(_ text: String, _ value: String) {
        let begin = count
        append(utf8: text)
        append(utf8: value)
        withUnsafeMutableBytes { bytes in
            for index in begin..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7F { bytes[index] = UInt8(ascii: " ") }
        }
        append("\r\n")
    }

    /// Appends a header line with a number.
    public mutating func appendHTTPHeader(_ name: StaticString, _ value: Int) {
        append(name)
        append(": ")
        append(decimal: Int64(value))
        append("\r\n")
    }

    /// Appends the empty line that ends a head.
    public mutating func endHTTPHead() {
        append("\r\n")
    }

    /// Appends a whole response with a sentence as its plain-text body; the connection closes after it.
    public mutating func appendHTTPRefusal(_ fault: HTTPFault) {
        let rejection = HTTPRejection(fault.status, fault.sentence)
        rejection.append(to: &self)
    }
}

/// The reason phrase of a status code (RFC 9110 §15), empty for one without.
public func httpReason(_ status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 304: "Not Modified"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
}
