public import Bytes
internal import Crypto

/// The server's side of the opening handshake (RFC 6455 §4.2): judges a request, and answers it.
public struct ServerHandshake: Sendable {
    /// A request that was accepted.
    public struct Acceptance: Sendable {
        /// The whole response; WebSocket frames follow it.
        public let response: SharedBytes
        /// The subprotocol that was agreed on, nil if the client offered none.
        public let subprotocol: String?
        /// The compression that was agreed on, nil for none.
        public let deflate: DeflateAgreement?
    }

    /// The outcome for one request.
    public enum Answer: Sendable {
        /// Send the response and go on with frames.
        case accept(Acceptance)
        /// Send the rejection and close.
        case reject(HTTPRejection)
    }

    /// The subprotocol that a client must be among those it offers, if it offers any; nil takes any and agrees on none.
    public var subprotocol: String?
    /// Which web pages may connect.
    public var origins: OriginPolicy
    /// How compression is taken part in; nil never agrees on it.
    public var deflate: DeflateOptions?

    /// A handshake with these rules.
    public init(subprotocol: String? = nil, origins: OriginPolicy = .sameOrigin(or: []), deflate: DeflateOptions? = DeflateOptions()) {
        self.subprotocol = subprotocol
        self.origins = origins
        self.deflate = deflate
    }

    /// Judges a request for this server's WebSocket path.
    ///
    /// - Parameter address: how the client reached the server, where that is another way than the request shows.
    public func answer(_ request: HTTPRequestHead, at address: PublicAddress = PublicAddress()) -> Answer {
        do throws(HTTPRejection) {
            let key = try key(of: request)
            if !origins.allows(request.headers, at: address) {
                let origin = (request.headers.first("Origin") ?? "").prefix(256)
                throw HTTPRejection(403, "Pages of \(origin) may not connect here.")
            }
            let agreed = try agreedSubprotocol(request.headers)
            guard let extensions = WebSocketExtension.parse(request.headers.all("Sec-WebSocket-Extensions")) else {
                throw HTTPRejection(400, "The Sec-WebSocket-Extensions header is malformed.")
            }
            let compression = deflate?.answer(to: extensions)
            return .accept(
                Acceptance(
                    response: try response(key: key, subprotocol: agreed, extensions: compression?.header), subprotocol: agreed,
                    deflate: compression?.agreement))
        } catch {
            return .reject(error)
        }
    }

    /// The key of a request that is a correct opening handshake in all that concerns no policy.
    private func key(of request: HTTPRequestHead) throws(HTTPRejection) -> String {
        let headers = request.headers
        guard request.method == "GET" else {
            throw HTTPRejection(405, "A WebSocket is opened with GET.", headers: [.allowGet])
        }
        guard request.minorVersion == 1 else { throw HTTPRejection(505, "A WebSocket is opened with HTTP/1.1.") }
        guard request.asksForWebSocket else {
            throw HTTPRejection(400, "This address speaks WebSocket: the Upgrade header must name it.", headers: [.upgrade])
        }
        guard headers.list("Connection", contains: "upgrade") else {
            throw HTTPRejection(400, "The Connection header must name Upgrade.", headers: [.upgrade])
        }
        guard request.body == .none else { throw HTTPRejection(400, "An opening handshake has no body.") }
        let versions = headers.all("Sec-WebSocket-Version")
        guard versions.count == 1 else {
            throw HTTPRejection(400, "There must be one Sec-WebSocket-Version header.", headers: [.webSocketVersion])
        }
        guard versions[0] == "13" else {
            throw HTTPRejection(426, "Only version 13 of the WebSocket protocol is spoken here.", headers: [.webSocketVersion, .upgrade])
        }
        let keys = headers.all("Sec-WebSocket-Key")
        guard keys.count == 1, AcceptKey.isValid(keys[0]) else {
            throw HTTPRejection(400, "There must be one Sec-WebSocket-Key header with sixteen bytes in base64.")
        }
        guard headers.count(of: "Origin") <= 1 else { throw HTTPRejection(400, "The Origin header stands there more than once.") }
        return keys[0]
    }

    private func agreedSubprotocol(_ headers: HTTPHeaders) throws(HTTPRejection) -> String? {
        guard headers.contains("Sec-WebSocket-Protocol") else { return nil }
        let offered = headers.list("Sec-WebSocket-Protocol")
        guard !offered.isEmpty, offered.allSatisfy(isToken), Set(offered).count == offered.count else {
            throw HTTPRejection(400, "The Sec-WebSocket-Protocol header is malformed.")
        }
        guard let subprotocol else { return nil }
        guard offered.contains(subprotocol) else {
            throw HTTPRejection(400, "The subprotocol \(subprotocol) must be among those offered.")
        }
        return subprotocol
    }

    private func response(key: String, subprotocol: String?, extensions: String?) throws(HTTPRejection) -> SharedBytes {
        let accept: String
        do {
            accept = try AcceptKey.answer(to: key)
        } catch {
            throw HTTPRejection(500, "The server can't compute the handshake's answer.")
        }
        var output = ByteWriter(capacity: 320)
        output.appendHTTPStatus(101)
        output.append("Upgrade: websocket\r\nConnection: Upgrade\r\n")
        output.appendHTTPHeader("Sec-WebSocket-Accept", accept)
        if let subprotocol { output.appendHTTPHeader("Sec-WebSocket-Protocol", subprotocol) }
        if let extensions { output.appendHTTPHeader("Sec-WebSocket-Extensions", extensions) }
        output.endHTTPHead()
        return output.finish()
    }
}
