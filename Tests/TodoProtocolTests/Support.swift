import Bytes
import Testing
import Todo
import TodoProtocol

/// Decodes one message of a client.
func decode(_ text: String, limits: ProtocolLimits = .standard) -> Incoming {
    decode(Array(text.utf8), limits: limits)
}

func decode(_ bytes: [UInt8], limits: ProtocolLimits = .standard) -> Incoming {
    var decoder = MessageDecoder(limits: limits)
    return bytes.withUnsafeBytes { decoder.decode($0) }
}

/// Decodes a message that must hold one request.
func request(_ text: String) throws -> Incoming.Request {
    guard case .single(let request) = decode(text) else {
        throw UnexpectedOutcome("\(decode(text)) is not one request")
    }
    return request
}

/// The call of a method with those parameters (JSON), which must be well formed.
func call(_ method: String, _ params: String) throws -> Call {
    let body = try request(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#).body
    guard case .call(let call) = body else { throw UnexpectedOutcome("\(body) is not a call") }
    return call
}

/// The error for bad parameters of a method.
func badParams(_ method: String, _ params: String) throws -> ErrorResponse {
    let body = try request(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#).body
    guard case .badParams(let named, let error) = body else { throw UnexpectedOutcome("\(body) is not a refusal of parameters") }
    #expect(named.rawValue == method)
    return error
}

/// The text that an encoder writes.
func encoded(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.finish().string
}

/// An outcome that the test did not expect, told in its message.
struct UnexpectedOutcome: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Field values by name, for comparisons.
func named(_ values: FieldValues, of className: ClassName) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: values.map { (className.schema.fields[$0.place].name, $0.value) })
}

/// An item with a value in every field.
func item(_ id: String = "i1", body: String = "Buy milk", isDone: Bool = false, priority: Int64 = 0) -> Object {
    let moment = Timestamp(milliseconds: 1_796_000_523_123)
    return Object(
        .item,
        [
            .string(id), .string("p1"), .string(body), .boolean(isDone), isDone ? .date(moment) : .null, .date(moment), .null,
            .string(""), .integer(priority), .string("a0"), .string("u1"), .null, .strings(["x1", "x2"]),
        ])
}

/// A project, its hidden creator included.
func project(_ id: String = "p1", name: String = "Home") -> Object {
    Object(
        .project,
        [
            .string(id), .string("u1"), .string(name), .date(Timestamp(milliseconds: 0)), .integer(3), .integer(2),
            .string("private"), .string("u1"),
        ])
}

/// What the tests' client has subscribed to and asked: `items` and `projects`, and in request 5 a query for items.
struct TestContext: MessageContext {
    func className(ofSubscription name: String) -> ClassName? {
        switch name {
        case "items": .item
        case "projects": .project
        default: nil
        }
    }

    func className(ofRequest id: Int64) -> ClassName? { id == 5 ? .item : nil }
}

/// Decodes one message of the server.
func decodeServer(_ text: String) throws -> ServerMessage {
    var decoder = ServerMessageDecoder()
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBytes { bytes throws(ServerMessageFault) in try decoder.decode(bytes, context: TestContext()) }
}
