import Bytes
import Todo
import TodoSync

/// Commands and replies on the control socket: one JSON object each, which ends with the line.
enum ControlCodec {
    static func encode(_ command: OperatorCommand) -> [UInt8] {
        object { writer in
            switch command {
            case .add(let name, let hash, let isAdmin):
                members([("command", "add"), ("name", name), ("hash", hash)], &writer)
                writer.key("on")
                writer.value(isAdmin)
            case .setPassword(let name, let hash): members([("command", "passwd"), ("name", name), ("hash", hash)], &writer)
            case .setAdmin(let name, let isAdmin):
                members([("command", "admin"), ("name", name)], &writer)
                writer.key("on")
                writer.value(isAdmin)
            case .suspend(let name, let isSuspended):
                members([("command", "suspend"), ("name", name)], &writer)
                writer.key("on")
                writer.value(isSuspended)
            case .delete(let name, let ownProjects):
                members([("command", "delete"), ("name", name)], &writer)
                switch ownProjects {
                case .undecided: break
                case .handOver(let heir): members([("projects", "handOver"), ("heir", heir)], &writer)
                case .delete: members([("projects", "delete")], &writer)
                }
            case .list: members([("command", "list")], &writer)
            }
        }
    }

    static func encode(_ reply: OperatorReply) -> [UInt8] {
        object { writer in
            switch reply {
            case .done(let sentence): members([("done", sentence)], &writer)
            case .refused(let sentence): members([("refused", sentence)], &writer)
            case .users(let users):
                writer.key("users")
                writer.beginArray()
                for user in users { encode(user, &writer) }
                writer.endArray()
            }
        }
    }

    private static func encode(_ user: OperatorUser, _ writer: inout JSONWriter) {
        writer.beginObject()
        members([("userId", user.userId), ("name", user.name)], &writer)
        writer.key("isAdmin")
        writer.value(user.isAdmin)
        writer.key("isSuspended")
        writer.value(user.isSuspended)
        writer.key("providers")
        writer.beginArray()
        for provider in user.providers { writer.value(provider) }
        writer.endArray()
        if let lastSeen = user.lastSeen {
            writer.key("lastSeen")
            writer.value(lastSeen.milliseconds)
        }
        writer.endObject()
    }

    static func command(_ line: [UInt8]) -> OperatorCommand? {
        read(line) { json in
            guard let word = json["command"]?.string else { return nil }
            if word == "list" { return .list }
            guard let name = json["name"]?.string else { return nil }
            let isOn = json["on"]?.bool
            switch word {
            case "add":
                guard let hash = json["hash"]?.string, let isOn else { return nil }
                return .add(name: name, passwordHash: hash, isAdmin: isOn)
            case "passwd": return json["hash"]?.string.map { .setPassword(name: name, passwordHash: $0) }
            case "admin": return isOn.map { .setAdmin(name: name, isAdmin: $0) }
            case "suspend": return isOn.map { .suspend(name: name, isSuspended: $0) }
            case "delete":
                switch json["projects"]?.string {
                case nil: return .delete(name: name, ownProjects: .undecided)
                case "delete": return .delete(name: name, ownProjects: .delete)
                case "handOver": return json["heir"]?.string.map { .delete(name: name, ownProjects: .handOver(to: $0)) }
                default: return nil
                }
            default: return nil
            }
        }
    }

    static func reply(_ line: [UInt8]) -> OperatorReply? {
        read(line) { json in
            if let sentence = json["done"]?.string { return .done(sentence) }
            if let sentence = json["refused"]?.string { return .refused(sentence) }
            guard let users = json["users"]?.elements else { return nil }
            return .users(users.compactMap(user))
        }
    }

    private static func user(_ json: JSONValue) -> OperatorUser? {
        guard let userId = json["userId"]?.string, let name = json["name"]?.string else { return nil }
        return OperatorUser(
            userId: userId, name: name, isAdmin: json["isAdmin"]?.bool ?? false, isSuspended: json["isSuspended"]?.bool ?? false,
            providers: json["providers"]?.elements?.compactMap(\.string) ?? [],
            lastSeen: json["lastSeen"]?.int64.map { Timestamp(milliseconds: $0) })
    }

    private static func object(_ fill: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        fill(&writer)
        writer.endObject()
        return writer.finish().array + [UInt8(ascii: "\n")]
    }

    private static func members(_ members: [(name: StaticString, value: String)], _ writer: inout JSONWriter) {
        for (name, value) in members {
            writer.key(name)
            writer.value(value)
        }
    }

    private static func read<Result>(_ line: [UInt8], _ body: (JSONValue) -> Result?) -> Result? {
        var parser = JSONParser()
        return line.withUnsafeBytes { bytes in
            parser.parse(bytes) { outcome in
                guard case .success(let root) = outcome else { return nil }
                return body(root)
            }
        }
    }
}
