public import Bytes

/// A refusal to switch to WebSocket or to serve a request: a status, the headers that tell what would do, and a sentence.
public struct HTTPRejection: Error, Sendable {
    /// A header that a rejection may carry.
    public enum Header: Hashable, Sendable {
        /// `Sec-WebSocket-Version: 13`: the version that would be taken.
        case webSocketVersion
        /// `Upgrade: websocket`: what the request should have asked for.
        case upgrade
        /// `Allow: GET`.
        case allowGet
        /// `Retry-After`: after how many seconds it may work.
        case retryAfter(Int)
    }

    /// The status code.
    public let status: Int
    /// Further headers.
    public let headers: [Header]
    /// What was wrong, as a sentence.
    public let sentence: String

    /// A rejection with `status`.
    public init(_ status: Int, _ sentence: String, headers: [Header] = []) {
        self.status = status
        self.sentence = sentence
        self.headers = headers
    }

    /// The further headers as names and values.
    public var lines: [(name: StaticString, value: String)] {
        headers.map { header in
            switch header {
            case .webSocketVersion: ("Sec-WebSocket-Version", "13")
            case .upgrade: ("Upgrade", "websocket")
            case .allowGet: ("Allow", "GET")
            case .retryAfter(let seconds): ("Retry-After", String(seconds))
            }
        }
    }

    /// Appends the whole response, with the sentence as its body; the connection closes after it.
    public func append(to output: inout ByteWriter) {
        output.appendHTTPStatus(status)
        for line in lines { output.appendHTTPHeader(line.name, line.value) }
        output.append("Content-Type: text/plain; charset=utf-8\r\n")
        output.appendHTTPHeader("Content-Length", sentence.utf8.count + 1)
        output.append(headers.contains(.upgrade) ? "Connection: close, Upgrade\r\n\r\n" : "Connection: close\r\n\r\n")
        output.append(utf8: sentence)
        output.append(UInt8(ascii: "\n"))
    }
}
