import Bytes
import Testing
import Todo
import TodoProtocol

@Suite("The envelope of a message")
struct MessageDecoderTests {
    static let notJSON: [String] = [
        "", " ", "{", "nope", #"{"jsonrpc":"2.0","id":1,"method":"info"}x"#, #"{"a":1,"a":2}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"info","params":{"x":"\ud800"}}"#,
        #"{"jsonrpc":"2.0","id":1e999,"method":"info"}"#, "[1,]",
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ]

    @Test("that is not JSON is one -32700 with id null", arguments: notJSON)
    func parseErrors(_ text: String) throws {
        guard case .refused(let error) = decode(text) else { throw UnexpectedOutcome("\(text) was read") }
        #expect(error.code == .parse)
        #expect(error.reason == "parse")
        #expect(error.position != nil)
    }

    @Test("that nests 64 deep is still JSON")
    func deepest() throws {
        let text =
            #"{"jsonrpc":"2.0","id":1,"method":"info","params":{"x":"# + String(repeating: "[", count: 62)
            + String(repeating: "]", count: 62) + "}}"
        guard case .badParams(.info, let error) = try request(text).body else { throw UnexpectedOutcome("not read") }
        #expect(error.path == "x")
    }

    struct Invalid: Sendable {
        let text: String
        let id: String
        let path: String?
    }

    static let invalid: [Invalid] = [
        Invalid(text: "1", id: "null", path: nil),
        Invalid(text: "null", id: "null", path: nil),
        Invalid(text: #""text""#, id: "null", path: nil),
        Invalid(text: "{}", id: "null", path: "jsonrpc"),
        Invalid(text: #"{"id":1,"method":"info"}"#, id: "1", path: "jsonrpc"),
        Invalid(text: #"{"jsonrpc":2.0,"id":1,"method":"info"}"#, id: "1", path: "jsonrpc"),
        Invalid(text: #"{"jsonrpc":"1.0","id":"a","method":"info"}"#, id: "\"a\"", path: "jsonrpc"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7}"#, id: "7", path: "method"),
        Invalid(text: #"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, id: "null", path: "method"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7,"result":{}}"#, id: "7", path: "method"),
        Invalid(text: #"{"jsonrpc":"2.0","id":true,"method":"info"}"#, id: "null", path: "id"),
        Invalid(text: #"{"jsonrpc":"2.0","id":[1],"method":"info"}"#, id: "null", path: "id"),
        Invalid(text: #"{"jsonrpc":"2.0","id":{},"method":"info"}"#, id: "null", path: "id"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7,"method":"info","params":1}"#, id: "7", path: "params"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7,"method":"info","params":"x"}"#, id: "7", path: "params"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7,"method":"info","params":null}"#, id: "7", path: "params"),
        Invalid(text: #"{"jsonrpc":"2.0","id":7,"method":"nope","params":true}"#, id: "7", path: "params"),
    ]

    @Test("that is no request is -32600, with the id where there is one", arguments: invalid)
    func invalidRequests(_ example: Invalid) throws {
        let request = try request(example.text)
        guard case .invalid(let error) = request.body else { throw UnexpectedOutcome("\(request.body)") }
        #expect(error.code == .invalidRequest)
        #expect(error.reason == "invalidRequest")
        #expect(error.path == example.path)
        #expect(request.id == .raw(example.id))
    }

    static let ids = [
        "7", "0", "-1", "7.5", "1.0", "1e2", "1152921504606846976", "123456789012345678901234567890", "null", #""""#, #""a""#,
        #""\u0041\/\n""#, #""é""#, #""e\u0301""#, #""\u0000""#,
    ]

    @Test("gives its id back byte for byte", arguments: ids)
    func idsByteForByte(_ id: String) throws {
        let request = try request(#"{"jsonrpc":"2.0","id": \#(id) ,"method":"info"}"#)
        #expect(request.id == .raw(id))
        guard case .call(.info) = request.body else { throw UnexpectedOutcome("\(request.body)") }
        let reply = encoded { MessageEncoder.empty(request.id, into: &$0) }
        #expect(Array(reply.utf8) == Array(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#.utf8))
    }

    @Test("compares ids byte for byte, not as equivalent texts")
    func idEquality() {
        #expect(RequestID.raw("\"\u{E9}\"") != .raw("\"e\u{301}\""))
        #expect(RequestID.raw("null") == .null)
        #expect(RequestID.absent != .null)
    }

    @Test("without an id is a notification")
    func notification() throws {
        let request = try request(#"{"jsonrpc":"2.0","method":"logout"}"#)
        #expect(request.id == .absent)
        #expect(request.id.isAbsent)
    }

    static let methodsUnknown = [
        "nope", "Info", "", "subscribe ", "rpc.discover", "history", "info\\u0000", String(repeating: "m", count: 9_999),
    ]

    @Test("with a method that is not there is -32601, also before the parameters are looked at", arguments: methodsUnknown)
    func unknownMethods(_ name: String) throws {
        let request = try request(#"{"jsonrpc":"2.0","id":1,"method":"\#(name)","params":[1]}"#)
        guard case .unknownMethod(let found) = request.body else { throw UnexpectedOutcome("\(request.body)") }
        #expect(found.utf8.count <= 256)
        let error = ErrorResponse.unknownMethod(found)
        #expect(error.code == .unknownMethod)
        #expect(error.message.utf8.count < 400)
    }

    @Test("knows each method by its name")
    func methods() throws {
        for method in Method.allCases {
            let body = try request(#"{"jsonrpc":"2.0","id":1,"method":"\#(method.rawValue)","params":[]}"#).body
            guard case .badParams(method, let error) = body else { throw UnexpectedOutcome("\(body)") }
            #expect(error.reason == "positionalParameters")
        }
        #expect(Method.allCases.filter { !$0.needsLogin } == [.info, .register, .login])
    }

    @Test("of a batch is read request by request")
    func batch() throws {
        let text =
            #"[{"jsonrpc":"2.0","id":1,"method":"info"},1,{"jsonrpc":"2.0","method":"info"},{"jsonrpc":"2.0","id":"2","method":"x"},[]]"#
        guard case .batch(let requests) = decode(text) else { throw UnexpectedOutcome("no batch") }
        #expect(requests.map(\.id) == [.raw("1"), .null, .absent, .raw("\"2\""), .null])
        guard case .call(.info) = requests[0].body, case .invalid = requests[1].body, case .call(.info) = requests[2].body,
            case .unknownMethod("x") = requests[3].body, case .invalid = requests[4].body
        else { throw UnexpectedOutcome("\(requests)") }
    }

    @Test("of an empty batch is one -32600")
    func emptyBatch() throws {
        guard case .refused(let error) = decode("[]") else { throw UnexpectedOutcome("read") }
        #expect(error.code == .invalidRequest)
        #expect(error.reason == "emptyBatch")
    }

    @Test("of a batch may hold 100 requests and no more")
    func batchLimit() throws {
        func batch(_ count: Int) -> String {
            "[" + Array(repeating: #"{"jsonrpc":"2.0","id":1,"method":"info"}"#, count: count).joined(separator: ",") + "]"
        }
        guard case .batch(let requests) = decode(batch(100)) else { throw UnexpectedOutcome("no batch") }
        #expect(requests.count == 100)
        guard case .refused(let error) = decode(batch(101)) else { throw UnexpectedOutcome("read") }
        #expect(error.code == .limit)
        #expect(error.limit == "batch")
        #expect(error.maximum == 100)
    }

    @Test("may hold members that JSON-RPC does not name")
    func extraMembers() throws {
        let body = try request(#"{"jsonrpc":"2.0","id":1,"method":"info","trace":[1]}"#).body
        guard case .call(.info) = body else { throw UnexpectedOutcome("\(body)") }
    }

    @Test("is read by one decoder again and again, also after a fault")
    func reuse() {
        var decoder = MessageDecoder()
        for text in ["{", #"{"jsonrpc":"2.0","id":1,"method":"info"}"#, "[]", #"{"jsonrpc":"2.0","id":1,"method":"info"}"#] {
            let outcome = Array(text.utf8).withUnsafeBytes { decoder.decode($0) }
            if case .single(let request) = outcome, case .call(.info) = request.body { continue }
            guard case .refused = outcome else {
                Issue.record("\(text): \(outcome)")
                continue
            }
        }
    }
}
