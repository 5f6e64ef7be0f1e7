public import Bytes
internal import Todo

/// Writes what a client sends, straight into bytes. Each function writes one complete request into a writer that holds no JSON yet;
/// `finish()` then yields the bytes.
public enum RequestEncoder {
    /// Asks what the server is.
    public static func info(id: Int64, into writer: inout JSONWriter) {
        begin(id, .info, &writer)
        end(&writer)
    }

    /// Makes an account and logs in.
    public static func register(id: Int64, username: String, password: String, into writer: inout JSONWriter) {
        begin(id, .register, &writer)
        text("username", username, &writer)
        text("password", password, &writer)
        end(&writer)
    }

    /// Logs in.
    public static func login(id: Int64, _ login: LoginRequest, into writer: inout JSONWriter) {
        begin(id, .login, &writer)
        switch login {
        case .password(let username, let password):
            text("provider", "password", &writer)
            text("username", username, &writer)
            text("password", password, &writer)
        case .nickname(let nickname):
            text("provider", "nickname", &writer)
            text("nickname", nickname, &writer)
        case .token(let token):
            text("provider", "token", &writer)
            text("token", token, &writer)
        case .jwt(let token):
            text("provider", "jwt", &writer)
            text("token", token, &writer)
        case .other(let provider): text("provider", provider, &writer)
        }
        end(&writer)
    }

    /// Ends the token of the connection, or all tokens of the user.
    public static func logout(id: Int64, everywhere: Bool, into writer: inout JSONWriter) {
        begin(id, .logout, &writer)
        writer.key("everywhere")
        writer.value(everywhere)
        end(&writer)
    }

    /// Exchanges the caller's password.
    public static func changePassword(id: Int64, old: String, new: String, into writer: inout JSONWriter) {
        begin(id, .changePassword, &writer)
        text("old", old, &writer)
        text("new", new, &writer)
        end(&writer)
    }

    /// Asks where the caller is logged in.
    public static func sessions(id: Int64, into writer: inout JSONWriter) {
        begin(id, .sessions, &writer)
        end(&writer)
    }

    /// Ends one of the caller's log-ins.
    public static func endSession(id: Int64, session: String, into writer: inout JSONWriter) {
        begin(id, .endSession, &writer)
        text("id", session, &writer)
        end(&writer)
    }

    /// Starts a live query.
    public static func subscribe(id: Int64, _ params: SubscribeParams, into writer: inout JSONWriter) {
        begin(id, .subscribe, &writer)
        text("name", params.name, &writer)
        query(params.query, &writer)
        if params.update {
            writer.key("update")
            writer.value(true)
        }
        if let since = params.since {
            writer.key("since")
            writer.value(since)
        }
        if let epoch = params.epoch { text("epoch", epoch, &writer) }
        end(&writer)
    }

    /// Ends a live query.
    public static func unsubscribe(id: Int64, name: String, into writer: inout JSONWriter) {
        begin(id, .unsubscribe, &writer)
        text("name", name, &writer)
        end(&writer)
    }

    /// Asks a query once.
    public static func query(id: Int64, _ params: QueryParams, into writer: inout JSONWriter) {
        begin(id, .query, &writer)
        query(params.query, &writer)
        if let offset = params.offset {
            writer.key("offset")
            writer.value(offset)
        }
        end(&writer)
    }

    /// One transaction. With a `txn` it may be sent again and is still applied once.
    public static func write(id: Int64, txn: String?, changes: [ChangeSpec], into writer: inout JSONWriter) {
        begin(id, .write, &writer)
        if let txn { text("txn", txn, &writer) }
        writer.key("changes")
        writer.beginArray()
        for change in changes { change.write(into: &writer) }
        writer.endArray()
        end(&writer)
    }

    private static func begin(_ id: Int64, _ method: Method, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.bytes.append("\"jsonrpc\":\"2.0\",\"id\":")
        writer.bytes.append(decimal: id)
        writer.bytes.append(",\"method\":\"")
        writer.bytes.append(utf8: method.rawValue)
        writer.bytes.append("\",\"params\":")
        writer.beginObject()
    }

    private static func end(_ writer: inout JSONWriter) {
        writer.endObject()
        writer.endObject()
    }

    private static func text(_ name: StaticString, _ text: String, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.value(text)
    }

    private static func query(_ query: QueryText, _ writer: inout JSONWriter) {
        text("class", query.className.name, &writer)
        if let filter = query.filter { text("filter", filter, &writer) }
        writer.arguments(query.args)
        if !query.sort.isEmpty {
            writer.key("sort")
            writer.beginArray()
            for sortKey in query.sort { writer.value(sortKey) }
            writer.endArray()
        }
        if let limit = query.limit {
            writer.key("limit")
            writer.value(limit)
        }
    }
}
