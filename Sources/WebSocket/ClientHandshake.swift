public import Bytes
public import Crypto

/// The client's side of the opening handshake (RFC 6455 §4.1): writes the request, and judges the response.
public struct ClientHandshake: Sendable {
    /// What was agreed on.
    public struct Agreement: Hashable, Sendable {
        /// The subprotocol, nil for none.
        public let subprotocol: String?
        /// The compression, nil for none.
        public let deflate: DeflateAgreement?
    }

    /// Why a response is no acceptance.
    public enum Failure: Error, Hashable, Sendable {
        /// The server answered with another status than 101.
        case refused(status: Int)
        /// The response claims to accept and breaks RFC 6455; the sentence says how.
        case malformed(String)
    }

    /// Host and port as the `Host` header names them.
    public let host: String
    /// Path and query.
    public let target: String
    /// The subprotocols to offer, best first.
    public let subprotocols: [String]
    /// The compression to offer; nil offers none.
    public let deflate: DeflateOptions?
    /// Further headers.
    public let headers: [(name: String, value: String)]
    /// The key: sixteen random bytes in base64.
    package let key: String

    /// A handshake with a fresh random key.
    public init(
        host: String, target: String, subprotocols: [String] = [], deflate: DeflateOptions? = nil,
        headers: [(name: String, value: String)] = []
    ) throws(CryptoError) {
        self.init(
            host: host, target: target, subprotocols: subprotocols, deflate: deflate, headers: headers,
            key: Base64.encode(try RandomBytes.make(16)))
    }

    /// A handshake with a given key, for tests that need a known one.
    package init(
        host: String, target: String, subprotocols: [String] = [], deflate: DeflateOptions? = nil,
        headers: [(name: String, value: String)] = [], key: String
    ) {
        self.host = host
        self.target = target
        self.subprotocols = subprotocols
        self.deflate = deflate
        self.headers = headers
        self.key = key
    }

    /// The whole request.
    public var request: SharedBytes {
        var output = ByteWriter(capacity: 320)
        output.append("GET ")
        output.append(utf8: target)
        output.append(" HTTP/1.1\r\n")
        output.appendHTTPHeader("Host", host)
        output.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
        output.appendHTTPHeader("Sec-WebSocket-Key", key)
        if !subprotocols.isEmpty { output.appendHTTPHeader("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
        if let deflate { output.appendHTTPHeader("Sec-WebSocket-Extensions", deflate.offer) }
        for (name, value) in headers { output.appendHTTPHeader(named: name, value) }
        output.endHTTPHead()
        return output.finish()
    }

    /// Judges the response.
    public func check(_ response: HTTPResponseHead) throws(Failure) -> Agreement {
        guard response.status == 101 else { throw .refused(status: response.status) }
        let headers = response.headers
        guard response.minorVersion == 1, headers.list("Upgrade").map({ $0.lowercased() }) == ["websocket"] else {
            throw .malformed("The response does not switch to WebSocket.")
        }
        guard headers.list("Connection", contains: "upgrade") else {
            throw .malformed("The response's Connection header does not name Upgrade.")
        }
        guard headers.all("Sec-WebSocket-Accept") == [try acceptKey()] else {
            throw .malformed("The response's Sec-WebSocket-Accept does not answer the key.")
        }
        return Agreement(subprotocol: try subprotocol(headers), deflate: try deflateAgreement(headers))
    }

    private func acceptKey() throws(Failure) -> String {
        do {
            return try AcceptKey.answer(to: key)
        } catch {
            throw .malformed("The answer to the key can't be computed: \(error)")
        }
    }

    private func subprotocol(_ headers: HTTPHeaders) throws(Failure) -> String? {
        let chosen = headers.all("Sec-WebSocket-Protocol")
        guard let first = chosen.first else { return nil }
        guard chosen.count == 1, subprotocols.contains(first) else {
            throw .malformed("The response chooses a subprotocol that was not offered.")
        }
        return first
    }

    private func deflateAgreement(_ headers: HTTPHeaders) throws(Failure) -> DeflateAgreement? {
        guard let extensions = WebSocketExtension.parse(headers.all("Sec-WebSocket-Extensions")) else {
            throw .malformed("The response's Sec-WebSocket-Extensions header is malformed.")
        }
        guard let first = extensions.first else { return nil }
        guard extensions.count == 1, let agreement = deflate?.agreement(from: first) else {
            throw .malformed("The response agrees on an extension that was not offered so.")
        }
        return agreement
    }
}
