import Bytes
import TestSupport
import Testing
import WebSocket

/// Replays `Vectors/requests.txt`, each vector whole, split at every byte, and byte by byte.
@Suite struct HTTPRequestTests {
    @Test("a request head is parsed or refused the same however it is cut", arguments: Vector.load("requests.txt"))
    func requests(vector: Vector) throws {
        var input: [UInt8] = []
        for line in vector.lines {
            if line.key == "|" { input += Array(line.text.utf8) + [13, 10] }
            if line.key == "raw" { input += try #require(bytes(line.text)) }
        }
        let expectation = try #require(vector.lines.first { ["head", "refused", "long"].contains($0.key) })
        let rest = vector.lines.first { $0.key == "rest" }.flatMap { Int($0.text, radix: 10) } ?? 0
        for cut in cuts(input.count) {
            let (outcome, left) = parse(pieces(input, cut))
            switch expectation.key {
            case "head":
                #expect(outcome == "head " + expectation.text, "cut at \(cut.prefix(3))")
                #expect(left == rest, "cut at \(cut.prefix(3))")
            case "long": #expect(outcome == "head GET \(expectation.text) bytes - keep none", "cut at \(cut.prefix(3))")
            default: #expect(outcome == "refused " + expectation.text, "cut at \(cut.prefix(3))")
            }
        }
    }

    /// The first outcome, and how many bytes were not taken.
    func parse(_ pieces: [[UInt8]]) -> (String, Int) {
        var parser = HTTPRequestParser()
        for (index, piece) in pieces.enumerated() {
            switch piece.withUnsafeBytes({ parser.parse($0) }) {
            case .incomplete: continue
            case .refused(let fault): return ("refused \(fault.status)", 0)
            case .head(let head, let consumed):
                let body =
                    switch head.body {
                    case .none: "none"
                    case .length(let length): "\(length)"
                    case .chunked: "chunked"
                    }
                let left = piece.count - consumed + pieces[(index + 1)...].reduce(0) { $0 + $1.count }
                let path = head.path.utf8.count > 200 ? "\(head.path.utf8.count) bytes" : head.path
                return ("head \(head.method) \(path) \(head.query ?? "-") \(head.keepAlive ? "keep" : "close") \(body)", left)
            }
        }
        return ("incomplete", 0)
    }

    @Test("one parser reads a pipeline of requests, and tells when it is inside one")
    func pipeline() {
        var parser = HTTPRequestParser()
        let input = Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /3".utf8)
        var paths: [String] = []
        var at = 0
        while at < input.count {
            guard case .head(let head, let consumed) = input[at...].withUnsafeBytes({ parser.parse($0) }) else { break }
            paths.append(head.path)
            at += consumed
            let isInHead = parser.isInHead
            #expect(!isInHead)
        }
        #expect(paths == ["/1", "/2"])
        let isInHead = parser.isInHead
        #expect(isInHead)
        let end = Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        guard case .head(let head, _) = end.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("the third request was not completed")
            return
        }
        #expect(head.target == "/3")
    }

    @Test("headers are found without case, as first, all, and list")
    func headers() throws {
        var parser = HTTPRequestParser()
        let input = Array("GET / HTTP/1.1\r\nHost: a\r\nX-List: a, B ,,c\r\nx-list: d\r\nX-List:\r\n\r\n".utf8)
        guard case .head(let head, _) = input.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("the head was not taken")
            return
        }
        #expect(head.headers.first("x-LIST") == "a, B ,,c")
        #expect(head.headers.all("X-List") == ["a, B ,,c", "d", ""])
        #expect(head.headers.list("X-List") == ["a", "B", "c", "d"])
        #expect(head.headers.list("X-List", contains: "b"))
        #expect(!head.headers.list("X-List", contains: "e"))
        #expect(head.headers.count(of: "X-List") == 3)
        #expect(head.headers.count == 4)
        #expect(!head.headers.contains("X-Lis"))
        #expect(head.headers.lines.map(\.name) == ["Host", "X-List", "x-list", "X-List"])
    }

    @Test("tighter limits hold")
    func limits() {
        func status(_ text: String, _ limits: HTTPLimits) -> Int? {
            var parser = HTTPRequestParser(limits: limits)
            guard case .refused(let fault) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else { return nil }
            return fault.status
        }
        let text = "GET /abc HTTP/1.1\r\nHost: a\r\nX: 12345\r\n\r\n"
        #expect(
            status(text, HTTPLimits(startLineBytesMax: 17, headerLineBytesMax: 8, headerCountMax: 2, headBytesMax: text.utf8.count)) == nil)
        #expect(status(text, HTTPLimits(startLineBytesMax: 16)) == 414)
        #expect(status(text, HTTPLimits(headerLineBytesMax: 7)) == 431)
        #expect(status(text, HTTPLimits(headerCountMax: 1)) == 431)
        #expect(status(text, HTTPLimits(headBytesMax: text.utf8.count - 1)) == 431)
    }

    @Test(
        "a damaged head never crashes, and its outcome does not depend on how it is cut", arguments: [UInt64.random(in: .min ... .max), 1])
    func noise(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        let head = Array("GET /a?b HTTP/1.1\r\nHost: a:1\r\nContent-Length: 12\r\nConnection: keep-alive, x\r\n\r\n".utf8)
        let spice = Array("\r\n \t:,;?#/*%\"0aZ\u{0}\u{7F}".utf8) + [0x80, 0xFF]
        for _ in 0..<1000 {
            var bytes = head
            for _ in 0...random.next(upTo: 3) {
                let place = random.next(upTo: bytes.count)
                switch random.next(upTo: 3) {
                case 0: bytes[place] = spice[random.next(upTo: spice.count)]
                case 1: bytes.remove(at: place)
                default: bytes.insert(spice[random.next(upTo: spice.count)], at: place)
                }
            }
            let whole = parse([bytes])
            let cut = 1 + random.next(upTo: bytes.count - 1)
            #expect(parse(pieces(bytes, [cut])) == whole, "\(bytes) cut at \(cut)")
        }
    }
}
