import Bytes
import Todo
import TodoClient
import TodoProtocol

/// A task with these values; the others are plausible.
func task(_ id: String, body: String = "", position: String = "", priority: Int64 = 0, isDone: Bool = false) -> Object {
    let given: [String: Value] = [
        "itemId": .string(id), "projectId": "p1", "body": .string(body), "position": .string(position.isEmpty ? id : position),
        "priority": .integer(priority), "isDone": .boolean(isDone), "timestamp": .date(Timestamp(milliseconds: 0)), "createdBy": "u1",
    ]
    let schema = ClassName.item.schema
    return Object(.item, schema.fields.map { given[$0.name] ?? $0.initial ?? .null })
}

/// Encodes a message of the server.
func message(_ encode: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    encode(&writer)
    return writer.finish().string
}

/// Every list is of tasks.
struct TasksOnly: MessageContext {
    func className(ofSubscription name: String) -> ClassName? { .item }
    func className(ofRequest id: Int64) -> ClassName? { .item }
}

/// Reads a message of the server.
func decode(_ text: String) throws -> ServerMessage {
    var decoder = ServerMessageDecoder()
    var text = text
    return try text.withUTF8 { try decoder.decode(UnsafeRawBufferPointer($0), context: TasksOnly()) }
}

/// The update of list `l` in a change that has only one.
func update(_ json: String) throws -> ListUpdate {
    let text = #"{"jsonrpc":"2.0","method":"change","params":{"version":2,"by":[],"updates":["# + json + "]}}"
    guard case .change(let change) = try decode(text), let update = change.updates.first else { throw NoChange() }
    return update
}

/// A part of the first list of `l`.
func part(_ index: Int, _ rows: [Object], completeAt version: Int64?) throws -> InitialPart {
    let text = message { MessageEncoder.initial(name: "l", index: index, objects: rows[...], completeAt: version, into: &$0) }
    guard case .initial(let part) = try decode(text) else { throw NoChange() }
    return part
}

struct NoChange: Error {}
