public import Bytes
public import Todo

/// Writes what the server sends, straight into bytes. Each function writes one complete JSON text, or one fragment of a text
/// where it says so, into a writer that holds no JSON yet; `finish()` then yields the bytes.
public enum MessageEncoder {
    /// An error. For an absent id it is written with `id: null`; whether a notification is answered is up to the caller (it is not).
    public static func error(_ id: RequestID, _ error: ErrorResponse, into writer: inout JSONWriter) {
        begin(id, member: ",\"error\":", &writer)
        writer.beginObject()
        writer.key("code")
        writer.value(error.code.rawValue)
        writer.key("message")
        writer.value(error.message)
        writer.key("data")
        data(of: error, &writer)
        writer.endObject()
        writer.endObject()
    }

    /// A result with those members.
    static func result(_ id: RequestID, _ writer: inout JSONWriter, _ members: (inout JSONWriter) -> Void) {
        begin(id, member: result, &writer)
        writer.beginObject()
        members(&writer)
        writer.endObject()
        writer.endObject()
    }

    /// The result `{}`: of `logout` and `unsubscribe`.
    public static func empty(_ id: RequestID, into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.endObject()
        writer.endObject()
    }

    /// The result of `info`.
    public static func info(_ id: RequestID, _ info: ServerInfo, into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.key("server")
        writer.value(info.server)
        writer.key("protocol")
        writer.value(ProtocolVersion.name)
        writer.key("providers")
        writer.beginArray()
        for provider in info.providers { writer.value(provider) }
        writer.endArray()
        writer.key("limits")
        writer.beginObject()
        for limit in info.limits {
            writer.key(escaping: limit.name)
            writer.value(limit.maximum)
        }
        writer.endObject()
        writer.key("epoch")
        writer.value(info.epoch)
        writer.key("now")
        writer.value(.date(info.now))
        if let version = info.version {
            writer.key("version")
            writer.value(version)
        }
        writer.endObject()
        writer.endObject()
    }

    /// The result of `login` and `register`.
    public static func login(_ id: RequestID, _ login: LoginResult, into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.key("user")
        writer.beginObject()
        writer.key("userId")
        writer.value(login.userId)
        writer.key("name")
        writer.value(login.name)
        writer.key("isAdmin")
        writer.value(login.isAdmin)
        writer.endObject()
        writer.key("token")
        writer.value(login.token)
        writer.key("expiresAt")
        writer.value(.date(login.expiresAt))
        writer.endObject()
        writer.endObject()
    }

    /// The result of `subscribe`. `resumed` is there only where the client gave a `since`.
    public static func subscribed(_ id: RequestID, name: String, isComplete: Bool, resumed: Bool?, into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.key("name")
        writer.value(name)
        state(isComplete, &writer)
        if let resumed {
            writer.key("resumed")
            writer.value(resumed)
        }
        writer.endObject()
        writer.endObject()
    }

    /// The result of `query`.
    public static func queryResult(_ id: RequestID, version: Int64, objects: [Object], into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.key("version")
        writer.value(version)
        writer.key("objects")
        writer.objects(objects)
        writer.endObject()
        writer.endObject()
    }

    /// The result of `write`: one id, or null, an entry. `duplicate` is written only where it is true.
    public static func writeResult(_ id: RequestID, version: Int64, ids: [String?], isDuplicate: Bool, into writer: inout JSONWriter) {
        begin(id, member: result, &writer)
        writer.beginObject()
        writer.key("version")
        writer.value(version)
        writer.key("ids")
        writer.beginArray()
        for id in ids {
            if let id { writer.value(id) } else { writer.null() }
        }
        writer.endArray()
        if isDuplicate {
            writer.key("duplicate")
            writer.value(true)
        }
        writer.endObject()
        writer.endObject()
    }

    /// The array of a batch's answers, each a complete text. Where all its requests were notifications there is nothing to send.
    public static func batch(_ replies: [SharedBytes], into writer: inout JSONWriter) {
        writer.beginArray()
        for reply in replies { writer.raw(reply) }
        writer.endArray()
    }

    /// A fragment: one whole object.
    public static func object(_ object: Object, into writer: inout JSONWriter) {
        writer.object(object)
    }

    static let result: StaticString = ",\"result\":"

    /// Opens a response up to the value of its last member.
    static func begin(_ id: RequestID, member: StaticString, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.bytes.append("\"jsonrpc\":\"2.0\",\"id\":")
        switch id {
        case .absent: writer.bytes.append("null")
        case .raw(let json): writer.bytes.append(utf8: json)
        }
        writer.bytes.append(member)
    }

    private static func data(of error: ErrorResponse, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("reason")
        writer.value(error.reason)
        if let path = error.path {
            writer.key("path")
            writer.value(path)
        }
        if let position = error.position {
            writer.key("position")
            writer.value(position)
        }
        if let expected = error.expected {
            writer.key("expected")
            writer.value(expected)
        }
        if let limit = error.limit {
            writer.key("limit")
            writer.value(limit)
        }
        if let maximum = error.maximum {
            writer.key("maximum")
            writer.value(maximum)
        }
        if let retryAfter = error.retryAfter {
            writer.key("retryAfter")
            writer.value(retryAfter)
        }
        writer.endObject()
    }

    static func state(_ isComplete: Bool, _ writer: inout JSONWriter) {
        writer.key("state")
        writer.literal(isComplete ? "complete" : "pending")
    }
}
