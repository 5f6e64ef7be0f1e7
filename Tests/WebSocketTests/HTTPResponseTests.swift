import Bytes
import Testing
import WebSocket

@Suite struct HTTPResponseTests {
    func parse(_ text: String) -> HTTPResponseParser.Step {
        var parser = HTTPResponseParser()
        return Array(text.utf8).withUnsafeBytes { parser.parse($0) }
    }

    @Test("a response head is read with status, reason and headers")
    func head() {
        guard case .head(let head, let consumed) = parse("HTTP/1.1 404 Not Found\r\nServer: x\r\n\r\nrest") else {
            Issue.record("the head was not taken")
            return
        }
        #expect(head.status == 404)
        #expect(head.reason == "Not Found")
        #expect(head.headers.first("server") == "x")
        #expect(consumed == 37)
    }

    @Test("a response without a reason is taken, with and without the space")
    func noReason() {
        for text in ["HTTP/1.1 204 \r\n\r\n", "HTTP/1.1 204\r\n\r\n"] {
            guard case .head(let head, _) = parse(text) else {
                Issue.record("the head was not taken")
                continue
            }
            #expect(head.status == 204 && head.reason.isEmpty)
        }
    }

    @Test(
        "what is no status line is refused",
        arguments: ["HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 +20 X\r\n\r\n"])
    func refused(text: String) {
        guard case .refused = parse(text) else {
            Issue.record("the head was taken")
            return
        }
    }

    @Test("what is written is read back, and no value can begin a line of its own")
    func written() {
        var output = ByteWriter()
        output.appendHTTPStatus(201)
        output.appendHTTPHeader("Content-Length", 12)
        output.appendHTTPHeader("Location", "/x\r\nSet-Cookie: a=b")
        output.appendHTTPHeader(named: "X-\nY", "z")
        output.endHTTPHead()
        let text = output.finish().string
        #expect(text == "HTTP/1.1 201 Created\r\nContent-Length: 12\r\nLocation: /x  Set-Cookie: a=b\r\nX- Y: z\r\n\r\n")
    }

    @Test("a fault is written as a whole answer that closes")
    func fault() {
        var output = ByteWriter()
        output.appendHTTPRefusal(HTTPFault(431, "Too big."))
        let text = output.finish().string
        #expect(text.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.contains("\r\nContent-Length: 9\r\n"))
        #expect(text.hasSuffix("\r\n\r\nToo big.\n"))
    }
}
