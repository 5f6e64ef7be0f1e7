internal import Bytes
internal import Todo

/// Reads what the server sends. One a thread, used again and again.
///
/// Members, fields and notifications that it does not know are left alone, so that a later server can say more.
public struct ServerMessageDecoder: ~Copyable {
    private var parser = JSONParser()

    /// A decoder.
    public init() {}

    /// Reads one text message. The bytes are needed during the call only.
    public mutating func decode(
        _ text: UnsafeRawBufferPointer, context: borrowing some MessageContext & ~Copyable
    ) throws(ServerMessageFault) -> ServerMessage {
        try parser.parse(text) { outcome throws(ServerMessageFault) in
            switch outcome {
            case .failure(let error): throw ServerMessageFault(message: error.description)
            case .success(let root): try Self.message(root, context)
            }
        }
    }

    private static func message(
        _ json: JSONValue, _ context: borrowing some MessageContext & ~Copyable
    ) throws(ServerMessageFault) -> ServerMessage {
        if let elements = json.elements {
            var messages: [ServerMessage] = []
            for element in elements { messages.append(try message(element, context)) }
            return .batch(messages)
        }
        guard let members = json.members else { throw ServerMessageFault(message: "A message of the server is no object.") }
        var method: JSONValue?
        var id: JSONValue?
        var body: JSONValue?
        var isError = false
        for (key, value) in members {
            switch key {
            case "method": method = value
            case "id": id = value
            case "params", "result": body = value
            case "error":
                body = value
                isError = true
            default: break
            }
        }
        guard let body else { throw ServerMessageFault(message: "A message of the server has neither params nor result nor error.") }
        if let method { return try notification(method, body, context) }
        if isError { return .failure(id: id?.int64, try ServerError(body)) }
        guard let id = id?.int64 else { throw ServerMessageFault(message: "A result has no id that a request of this client had.") }
        return .result(id: id, try ServerResult(body, id: id, context))
    }

    private static func notification(
        _ method: JSONValue, _ params: JSONValue, _ context: borrowing some MessageContext & ~Copyable
    ) throws(ServerMessageFault) -> ServerMessage {
        switch method {
        case "change": return .change(try ChangeMessage(params, context))
        case "initial": return .initial(try InitialPart(params, context))
        case "error": return .subscriptionEnded(name: try params.needed("name").neededText(), try ServerError(params))
        default: return .other(method: try method.neededText())
        }
    }
}

extension ServerError {
    fileprivate init(_ json: JSONValue) throws(ServerMessageFault) {
        code = Int(try json.needed("code").neededInteger())
        message = try json.needed("message").neededText()
        guard let data = json["data"] else { return }
        reason = data["reason"]?.string
        path = data["path"]?.string
        position = data["position"]?.int64.map(Int.init)
        expected = data["expected"]?.string
        limit = data["limit"]?.string
        maximum = data["maximum"]?.int64.map(Int.init)
        retryAfter = data["retryAfter"]?.int64.map(Int.init)
    }
}

extension ServerResult {
    fileprivate init(_ json: JSONValue, id: Int64, _ context: borrowing some MessageContext & ~Copyable) throws(ServerMessageFault) {
        if let objects = json["objects"] {
            guard let className = context.className(ofRequest: id) else {
                throw ServerMessageFault(message: "There are objects in the answer to request \(id), which was no query.")
            }
            self = .query(version: try json.needed("version").neededInteger(), objects: try objects.objects(of: className))
        } else if let ids = json["ids"] {
            self = .write(
                version: try json.needed("version").neededInteger(), ids: try ids.optionalTexts(),
                isDuplicate: json["duplicate"]?.bool ?? false)
        } else if let name = json["name"] {
            self = .subscribed(
                name: try name.neededText(), isComplete: try json.needed("state").isString("complete"), resumed: json["resumed"]?.bool)
        } else if let user = json["user"] {
            self = .login(try LoginResult(json, user: user))
        } else if json["protocol"] != nil {
            self = .info(try ServerInfo(json))
        } else {
            self = .empty
        }
    }
}

extension LoginResult {
    fileprivate init(_ json: JSONValue, user: JSONValue) throws(ServerMessageFault) {
        self.init(
            userId: try user.needed("userId").neededText(), name: try user.needed("name").neededText(),
            isAdmin: user["isAdmin"]?.bool ?? false, token: try json.needed("token").neededText(),
            expiresAt: try json.needed("expiresAt").neededDate())
    }
}

extension ServerInfo {
    fileprivate init(_ json: JSONValue) throws(ServerMessageFault) {
        var limits: [(name: String, maximum: Int)] = []
        if let members = json["limits"]?.members {
            for (key, value) in members {
                if let name = key.string, let maximum = value.int64 { limits.append((name, Int(maximum))) }
            }
        }
        self.init(
            server: try json.needed("server").neededText(), providers: try json.needed("providers").optionalTexts().compactMap { $0 },
            limits: limits, epoch: try json.needed("epoch").neededText(), now: try json.needed("now").neededDate(),
            version: json["version"]?.int64)
    }
}
