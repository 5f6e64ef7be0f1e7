import Bytes
import WebSocket

private func verify(_ response: SharedBytes, _ request: HTTPRequestHead, _ acceptance: ServerHandshake.Acceptance) {
    response.withUnsafeBytes { bytes in
        var parser = HTTPResponseParser()
        guard case .head(let head, let consumed) = parser.parse(bytes) else { fatalError("the answer is no HTTP response") }
        require(consumed == bytes.count, "something stands behind the answer's head")
        require(head.status == 101, "the status is \(head.status)")
        require(head.headers.first("Sec-WebSocket-Accept")?.utf8.count == 28, "no Sec-WebSocket-Accept")
        require(head.headers.first("Sec-WebSocket-Protocol") == acceptance.subprotocol, "another subprotocol than agreed on")
        require(head.headers.contains("Sec-WebSocket-Extensions") == (acceptance.deflate != nil), "another compression than agreed on")
        let lines = 3 + (acceptance.subprotocol == nil ? 0 : 1) + (acceptance.deflate == nil ? 0 : 1)
        require(head.headers.count == lines, "\(head.headers.count) header lines instead of \(lines)")
    }
    require(request.method == "GET" && request.minorVersion == 1 && request.body == .none, "a request that opens nothing")
    require(request.asksForWebSocket, "a request without Upgrade")
    require(request.headers.first("Sec-WebSocket-Version") == "13", "another version")
    if let agreement = acceptance.deflate {
        require((8...15).contains(agreement.ownWindowBits) && (8...15).contains(agreement.peerWindowBits), "\(agreement)")
    }
    if let subprotocol = acceptance.subprotocol {
        require(request.headers.list("Sec-WebSocket-Protocol").contains(subprotocol), "a subprotocol that was not offered")
    }
}

private func verify(_ rejection: HTTPRejection) {
    require([400, 403, 405, 426, 505].contains(rejection.status), "an undeclared status \(rejection.status)")
    var output = ByteWriter()
    rejection.append(to: &output)
    output.finish().withUnsafeBytes { bytes in
        var parser = HTTPResponseParser()
        guard case .head(let head, let consumed) = parser.parse(bytes) else { fatalError("the rejection is no HTTP response") }
        require(head.status == rejection.status, "the status is \(head.status)")
        require(head.headers.first("Content-Length") == String(bytes.count - consumed), "the body's length is wrong")
    }
}

/// One request head, answered by the server's side of the opening handshake with rules that the fuzzer chooses.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHandshake(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let deflate: DeflateOptions? = choice & 2 == 0 ? DeflateOptions(allowsPeerContext: choice & 4 != 0) : nil
    let handshake = ServerHandshake(
        subprotocol: choice & 1 == 0 ? "todosync.v1" : nil,
        origins: choice & 8 == 0 ? .sameOrigin(or: ["https://app.example"]) : .any, deflate: deflate)
    var parser = HTTPRequestParser()
    guard case .head(let request, _) = parser.parse(input.bytes) else { return 0 }
    switch handshake.answer(request) {
    case .accept(let acceptance):
        if choice & 8 == 0, let origin = request.headers.first("Origin") {
            let host = origin.lowercased().firstRange(of: "://").map { String(origin.lowercased()[$0.upperBound...]) }
            let own = request.headers.first("Host")?.lowercased() ?? ""
            require(
                host == "app.example" || host == "app.example:443" || host == own
                    || host.map { own.hasPrefix($0) || $0.hasPrefix(own) } == true,
                "the origin \(origin) at \(own)")
        }
        verify(acceptance.response, request, acceptance)
    case .reject(let rejection): verify(rejection)
    }
    return 0
}
