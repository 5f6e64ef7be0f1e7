import Bytes
import Testing
import WebSocket

@Suite struct ServerHandshakeTests {
    @Test("an opening handshake gets the answer that RFC 6455 and the policy give", arguments: Vector.load("handshakes.txt"))
    func handshakes(vector: Vector) throws {
        var server = ServerHandshake(origins: .sameOrigin(or: []))
        var first = "GET /sync HTTP/1.1"
        var headers = [
            "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        for line in vector.lines {
            switch line.key {
            case "without": headers.removeAll { $0.hasPrefix(line.text + ":") }
            case "with": headers.append(line.text)
            case "first": first = line.text
            case "host": headers[0] = "Host: " + line.text
            case "origins":
                server.origins =
                    switch line.text {
                    case "any": .any
                    case "loopback": .sameLoopbackOrigin(or: [])
                    default: .sameOrigin(or: [line.text])
                    }
            case "subprotocol": server.subprotocol = line.text
            case "deflate": server.deflate = line.text == "off" ? nil : DeflateOptions(allowsPeerContext: line.text == "context")
            case "accept", "reject", "header": break
            default: Issue.record("unknown line \(line.key)")
            }
        }
        let text = ([first] + headers).joined(separator: "\r\n") + "\r\n\r\n"
        var parser = HTTPRequestParser()
        guard case .head(let head, _) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("the head was not taken")
            return
        }
        check(server.answer(head), vector)
    }

    func check(_ answer: ServerHandshake.Answer, _ vector: Vector) {
        let response: [String]
        let outcome: (key: String, text: String)
        switch answer {
        case .accept(let acceptance):
            response = lines(acceptance.response.string)
            let prefix = "Sec-WebSocket-Extensions: "
            let extensions = response.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            outcome = ("accept", "\(acceptance.subprotocol ?? "-") \(extensions ?? "-")")
            #expect((extensions != nil) == (acceptance.deflate != nil))
        case .reject(let rejection):
            var output = ByteWriter()
            rejection.append(to: &output)
            response = lines(output.finish().string)
            outcome = ("reject", "\(rejection.status)")
            #expect(rejection.sentence.hasSuffix("."))
        }
        #expect(vector.lines.contains { $0.key == outcome.key && $0.text == outcome.text }, "\(outcome)")
        for line in vector.lines where line.key == "header" { #expect(response.contains(line.text), "\(line.text) in \(response)") }
    }

    /// The lines of a head. A carriage return and a line feed are one character.
    func lines(_ text: String) -> [String] { text.split(separator: "\r\n").map(String.init) }

    @Test("the agreement says what the header says")
    func agreements() throws {
        func agreement(_ offer: String, context: Bool = false) throws -> DeflateAgreement? {
            let offers = try #require(WebSocketExtension.parse([offer]))
            return DeflateOptions(allowsPeerContext: context).answer(to: offers)?.agreement
        }
        #expect(try agreement("permessage-deflate") == DeflateAgreement())
        #expect(try agreement("permessage-deflate", context: true) == DeflateAgreement(peerTakesContextOver: true))
        #expect(try agreement("permessage-deflate; client_no_context_takeover", context: true) == DeflateAgreement())
        #expect(try agreement("permessage-deflate; server_max_window_bits=9") == DeflateAgreement(ownWindowBits: 9))
        #expect(try agreement("permessage-deflate; client_max_window_bits=9") == DeflateAgreement())
        #expect(try agreement("other") == nil)
    }
}

@Suite struct ClientHandshakeTests {
    let key = "dGhlIHNhbXBsZSBub25jZQ=="
    let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

    func check(_ response: String, subprotocols: [String] = [], deflate: DeflateOptions? = nil) throws -> ClientHandshake.Agreement {
        let handshake = ClientHandshake(host: "a", target: "/sync", subprotocols: subprotocols, deflate: deflate, key: key)
        var parser = HTTPResponseParser()
        guard case .head(let head, _) = Array((response + "\r\n").utf8).withUnsafeBytes({ parser.parse($0) }) else {
            throw ClientHandshake.Failure.malformed("no head")
        }
        return try handshake.check(head)
    }

    @Test("the request holds what RFC 6455 §4.1 asks for")
    func request() {
        let handshake = ClientHandshake(
            host: "example.org:80", target: "/sync?x", subprotocols: ["todosync.v1", "b"], deflate: DeflateOptions(),
            headers: [("Origin", "http://a"), ("User-Agent", "t")], key: key)
        #expect(
            handshake.request.string == "GET /sync?x HTTP/1.1\r\nHost: example.org:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: todosync.v1, b\r\n"
                + "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits\r\n"
                + "Origin: http://a\r\nUser-Agent: t\r\n\r\n")
    }

    @Test("keys are fresh and random")
    func keys() throws {
        let one = try ClientHandshake(host: "a", target: "/")
        let other = try ClientHandshake(host: "a", target: "/")
        #expect(one.key != other.key)
        #expect(AcceptKey.isValid(one.key))
    }

    @Test("a correct acceptance is taken")
    func acceptance() throws {
        let bare = try check(accepted)
        #expect(bare.subprotocol == nil && bare.deflate == nil)
        #expect(try check(accepted + "Sec-WebSocket-Protocol: b\r\n", subprotocols: ["a", "b"]).subprotocol == "b")
        let plain = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n"
        #expect(try check(accepted + plain, deflate: DeflateOptions()).deflate == DeflateAgreement())
        let windows = "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10; client_max_window_bits=9\r\n"
        #expect(
            try check(accepted + windows, deflate: DeflateOptions(allowsPeerContext: true)).deflate
                == DeflateAgreement(peerTakesContextOver: true, peerWindowBits: 10, ownWindowBits: 9))
    }

    @Test("another status is a refusal")
    func refused() {
        #expect(throws: ClientHandshake.Failure.refused(status: 403)) { try check("HTTP/1.1 403 Forbidden\r\n") }
    }

    @Test(
        "an acceptance that breaks a rule is none",
        arguments: [
            "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
            "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOp=\r\n",
            "HTTP/1.0 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        ])
    func malformed(response: String) {
        #expect(throws: ClientHandshake.Failure.self) { try check(response) }
    }

    @Test(
        "what was not offered must not be agreed on",
        arguments: [
            "Sec-WebSocket-Protocol: c\r\n", "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: a\r\n",
            "Sec-WebSocket-Extensions: other\r\n",
            "Sec-WebSocket-Extensions: permessage-deflate\r\n",
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; unknown\r\n",
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover, permessage-deflate; server_no_context_takeover\r\n",
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_max_window_bits\r\n",
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; server_max_window_bits=7\r\n",
            "Sec-WebSocket-Extensions: ;\r\n",
        ])
    func notOffered(header: String) {
        #expect(throws: ClientHandshake.Failure.self) { try check(accepted + header, subprotocols: ["a"], deflate: DeflateOptions()) }
    }

    @Test("no extension may come where none was offered")
    func noExtension() {
        #expect(throws: ClientHandshake.Failure.self) {
            try check(accepted + "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n")
        }
    }

    @Test(
        "our client and our server agree, with and without compression and contexts",
        arguments: [nil, DeflateOptions(), DeflateOptions(allowsPeerContext: true)],
        [nil, DeflateOptions(), DeflateOptions(allowsPeerContext: true)])
    func together(offered: DeflateOptions?, taken: DeflateOptions?) throws {
        let client = try ClientHandshake(host: "a:1", target: "/sync", subprotocols: ["todosync.v1"], deflate: offered)
        var requests = HTTPRequestParser()
        guard case .head(let request, _) = client.request.withUnsafeBytes({ requests.parse($0) }),
            case .accept(let acceptance) = ServerHandshake(subprotocol: "todosync.v1", deflate: taken).answer(request)
        else {
            Issue.record("the request was not accepted")
            return
        }
        var responses = HTTPResponseParser()
        guard case .head(let response, let consumed) = acceptance.response.withUnsafeBytes({ responses.parse($0) }) else {
            Issue.record("the response was not taken")
            return
        }
        #expect(consumed == acceptance.response.count)
        let agreement = try client.check(response)
        #expect(agreement.subprotocol == "todosync.v1")
        #expect((agreement.deflate == nil) == (offered == nil || taken == nil))
        #expect((acceptance.deflate == nil) == (agreement.deflate == nil))
    }

    @Test("behind a proxy checks the origin against the address that the proxy names")
    func publicAddress() throws {
        func isAccepted(_ origin: String, _ address: PublicAddress, _ origins: OriginPolicy = .sameOrigin(or: [])) throws -> Bool {
            let text =
                "GET / HTTP/1.1\r\nHost: backend\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: \(origin)\r\n\r\n"
            var parser = HTTPRequestParser()
            guard case .head(let head, _) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else { return false }
            if case .accept = ServerHandshake(origins: origins).answer(head, at: address) { return true }
            return false
        }
        let named = PublicAddress(host: "todo.example", isEncrypted: true)
        #expect(try isAccepted("https://todo.example", named))
        #expect(try isAccepted("https://todo.example:443", named))
        #expect(try !isAccepted("http://todo.example", named), "the scheme is part of the origin")
        #expect(try !isAccepted("https://backend", named))
        #expect(try isAccepted("http://backend", PublicAddress(isEncrypted: false)))
        #expect(try !isAccepted("https://backend", PublicAddress(isEncrypted: false)))
        #expect(try isAccepted("https://backend", PublicAddress()) && isAccepted("http://backend", PublicAddress()))
        #expect(try isAccepted("http://app.example", named, .sameOrigin(or: ["http://app.example"])), "a listed origin needs no match")
        #expect(try !isAccepted("https://todo.example", named, .sameLoopbackOrigin(or: [])))
    }
}
