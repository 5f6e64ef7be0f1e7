internal import Bytes

/// Reads what a client sends. One a thread, used again and again; what comes out holds nothing of the message's bytes.
public struct MessageDecoder: ~Copyable {
    private var parser = JSONParser()
    private let limits: ProtocolLimits

    /// A decoder that enforces those limits.
    public init(limits: ProtocolLimits = .standard) {
        self.limits = limits
    }

    /// Reads one text message: JSON (-32700), then the envelope of each request (-32600), its method (-32601), its parameters
    /// (-32602, -32005). The bytes are needed during the call only.
    public mutating func decode(_ text: UnsafeRawBufferPointer) -> Incoming {
        let limits = limits
        return parser.parse(text) { outcome in
            switch outcome {
            case .failure(let error): .refused(.parse(error))
            case .success(let root): Self.message(root, limits)
            }
        }
    }

    private static func message(_ root: JSONValue, _ limits: ProtocolLimits) -> Incoming {
        guard let elements = root.elements else { return .single(request(root, limits)) }
        let count = elements.count
        guard count > 0 else { return .refused(.emptyBatch) }
        guard count <= limits.batch else {
            return .refused(
                .limit("batch", maximum: limits.batch, "A batch may hold at most \(limits.batch) requests, not \(count); none was run."))
        }
        return .batch(elements.map { request($0, limits) })
    }

    private static func request(_ json: JSONValue, _ limits: ProtocolLimits) -> Incoming.Request {
        do throws(InvalidEnvelope) {
            let envelope = try Envelope(json)
            guard let method = Method(envelope.method) else {
                return Incoming.Request(id: envelope.id, body: .unknownMethod(envelope.method.shortenedText))
            }
            return Incoming.Request(id: envelope.id, body: body(method, envelope.params, limits))
        } catch {
            return Incoming.Request(id: error.id, body: .invalid(error.response))
        }
    }

    private static func body(_ method: Method, _ params: JSONValue?, _ limits: ProtocolLimits) -> Incoming.Body {
        do throws(ErrorResponse) {
            return .call(try Call(method, params, limits))
        } catch {
            return .badParams(method, error)
        }
    }
}

/// The members of a JSON-RPC request (JSON-RPC 2.0 §4). Members that it does not know are left alone, as JSON-RPC's own later
/// versions might add some.
private struct Envelope {
    let id: RequestID
    let method: JSONValue
    let params: JSONValue?

    init(_ json: JSONValue) throws(InvalidEnvelope) {
        guard let members = json.members else {
            throw InvalidEnvelope(id: .null, "A request must be a JSON object.")
        }
        var version: JSONValue?
        var id: JSONValue?
        var method: JSONValue?
        var params: JSONValue?
        for (key, value) in members {
            switch key {
            case "jsonrpc": version = value
            case "id": id = value
            case "method": method = value
            case "params": params = value
            default: break
            }
        }
        self.id = try Self.requestID(id)
        // An error is answered even where there is no id: only a well-formed request can be a notification.
        let answerID = self.id.isAbsent ? RequestID.null : self.id
        guard let version, version.isString("2.0") else {
            throw InvalidEnvelope(id: answerID, "A request must have \"jsonrpc\": \"2.0\".", path: "jsonrpc")
        }
        guard let method, method.kind == .string else {
            throw InvalidEnvelope(id: answerID, "A request must have a \"method\", a string.", path: "method")
        }
        if let params, params.kind != .object, params.kind != .array {
            throw InvalidEnvelope(id: answerID, "\"params\" must be an object, or be left out.", path: "params")
        }
        self.method = method
        self.params = params
    }

    private static func requestID(_ json: JSONValue?) throws(InvalidEnvelope) -> RequestID {
        guard let json else { return .absent }
        switch json.kind {
        case .string, .number, .null: return .raw(String(decoding: json.rawJSON, as: UTF8.self))
        case .bool, .array, .object:
            throw InvalidEnvelope(id: .null, "An \"id\" must be a string, a number or null.", path: "id")
        }
    }
}

private struct InvalidEnvelope: Error {
    let id: RequestID
    let response: ErrorResponse

    init(id: RequestID, _ message: String, path: String? = nil) {
        self.id = id
        response = .invalidRequest(message, path: path)
    }
}

extension Method {
    /// The method that a request names.
    fileprivate init?(_ name: JSONValue) {
        switch name {
        case "write": self = .write
        default:
            guard let utf8 = name.utf8, utf8.count <= 32, let method = Method(rawValue: String(decoding: utf8, as: UTF8.self)) else {
                return nil
            }
            self = method
        }
    }
}
