internal import Bytes
internal import Todo

/// The verbs of a change, and the members that each takes besides its own.
private enum Verb: CaseIterable {
    case create
    case update
    case upsert
    case delete
    case move

    var name: StaticString {
        switch self {
        case .create: "create"
        case .update: "update"
        case .upsert: "upsert"
        case .delete: "delete"
        case .move: "move"
        }
    }

    var members: [StaticString] {
        switch self {
        case .create, .upsert: Verb.objectMembers
        case .update: Verb.updateMembers
        case .delete: Verb.deleteMembers
        case .move: Verb.moveMembers
        }
    }

    init?(_ key: JSONValue) {
        switch key {
        case "create": self = .create
        case "update": self = .update
        case "upsert": self = .upsert
        case "delete": self = .delete
        case "move": self = .move
        default: return nil
        }
    }

    static let objectMembers: [StaticString] = ["object"]
    static let updateMembers: [StaticString] = ["id", "set", "if", "filter", "args"]
    static let deleteMembers: [StaticString] = ["id", "if", "filter", "args"]
    static let moveMembers: [StaticString] = ["id", "before", "after", "to"]

    /// All names that a change may have.
    static let allMembers: [StaticString] =
        allCases.map(\.name) + ["object", "id", "set", "if", "filter", "args", "before", "after", "to"]
}

extension EntrySpec {
    /// Reads one entry of `changes`.
    init(_ json: JSONValue, _ limits: ProtocolLimits) throws(ErrorResponse) {
        guard let members = json.members else { throw json.wrongType("a change, an object") }
        let change = Parameters(change: json)
        let verb = try Self.verb(of: members)
        let className = try change.required(verb.name) { value throws(ErrorResponse) in
            let className = try value.className()
            try Self.checkWritable(className, by: verb)
            return className
        }
        if className == .permission, verb == .create || verb == .upsert,
            let grant = try Self.grant(change, isUpsert: verb == .upsert, limits)
        {
            self = grant
            return
        }
        switch verb {
        case .create:
            let values = try change.fieldValues("object", of: className, as: .object)
            try Self.requireFields(values, of: className)
            self = .create(className, values: values)
        case .upsert:
            let values = try change.fieldValues("object", of: className, as: .object)
            try Self.requireKeyOrFields(values, of: className)
            self = .upsert(className, values: values)
        case .update: self = try Self.update(className, change, limits)
        case .delete: self = try Self.delete(className, change, limits)
        case .move: self = .move(key: try change.required("id", Self.key(of: .item)), to: try Self.place(change))
        }
    }

    /// The one verb, with every member known to it.
    private static func verb(of members: JSONMembers) throws(ErrorResponse) -> Verb {
        var found: Verb?
        var count = 0
        for (key, value) in members {
            if let verb = Verb(key), !value.isNull {
                found = found ?? verb
                count += 1
            }
        }
        for (key, _) in members where !Verb.allMembers.contains(where: key.isString) {
            throw Parameters.unknown(key, allowed: Verb.allMembers, what: "member", of: "A change")
        }
        guard let found, count == 1 else {
            throw .invalid(.oneVerb, "A change has exactly one of 'create', 'update', 'upsert', 'delete' and 'move'; here are \(count).")
        }
        for (key, value) in members where !value.isNull && Verb(key) == nil {
            guard !found.members.contains(where: key.isString) else { continue }
            throw Parameters.unknown(key, allowed: found.members, what: "member", of: "'\(found.name)'")
        }
        return found
    }

    private static func checkWritable(_ className: ClassName, by verb: Verb) throws(ErrorResponse) {
        if className == .user {
            throw .invalid(.keptByServer, "A User can't be written; 'register' and 'login' bring users into being.")
        }
        if verb == .move, className != .item {
            throw .invalid(.unknownClass, "Only an Item has a place to be moved to, not \(className.schema.nameInSentence).")
        }
    }

    private static func requireFields(_ values: FieldValues, of className: ClassName) throws(ErrorResponse) {
        guard let missing = className.missingField(in: values) else { return }
        throw .invalid(.missing, "A new \(className.name) needs '\(missing.name)'.", path: "object.\(missing.name)")
    }

    /// Without its key an `upsert` inserts, and needs what `create` needs. A permission's key is its project and user.
    private static func requireKeyOrFields(_ values: FieldValues, of className: ClassName) throws(ErrorResponse) {
        switch className {
        case .permission:
            for place in className.placesNeededToCreate where className.schema.fields[place].keeper == .creator {
                guard !values.contains(where: { $0.place == place }) else { continue }
                let name = className.schema.fields[place].name
                throw .invalid(.missing, "A Permission is known by its project and user: '\(name)' is needed.", path: "object.\(name)")
            }
        case .project, .item, .user, .presence:
            if !values.contains(where: { $0.place == 0 }) { try requireFields(values, of: className) }
        }
    }

    private static func key(of className: ClassName) -> (JSONValue) throws(ErrorResponse) -> String {
        { value throws(ErrorResponse) in
            let text = try value.text(bytes: 0...Int.max)
            if let refusal = className.schema.fields[0].check(.string(text)) { throw ErrorResponse(refusal) }
            return text
        }
    }

    private static func update(
        _ className: ClassName, _ change: Parameters, _ limits: ProtocolLimits
    ) throws(ErrorResponse) -> EntrySpec {
        if let (filter, args) = try filterForm(change, limits) {
            return .updateMatching(className, filter: filter, args: args, set: try change.fieldValues("set", of: className, as: .set))
        }
        return .update(
            className, key: try change.required("id", key(of: className)), set: try change.fieldValues("set", of: className, as: .set),
            condition: try change.condition(of: className))
    }

    private static func delete(
        _ className: ClassName, _ change: Parameters, _ limits: ProtocolLimits
    ) throws(ErrorResponse) -> EntrySpec {
        if let (filter, args) = try filterForm(change, limits) {
            return .deleteMatching(className, filter: filter, args: args)
        }
        return .delete(className, key: try change.required("id", key(of: className)), condition: try change.condition(of: className))
    }

    /// The filter and its arguments, where this is a `filter` form.
    private static func filterForm(
        _ change: Parameters, _ limits: ProtocolLimits
    ) throws(ErrorResponse) -> (filter: String, args: [Argument])? {
        switch (change.has("id"), change.has("filter")) {
        case (true, true): throw .invalid(.oneOf, "A change takes either 'id' or 'filter', not both.", path: "filter")
        case (false, false): throw .invalid(.missing, "Either 'id' or 'filter' is needed here.", path: "id")
        case (true, false):
            if change.has("args") { throw .invalid(.oneOf, "'args' belong to a 'filter'; this change has an 'id'.", path: "args") }
            return nil
        case (false, true):
            if change.has("if") { throw .invalid(.oneOf, "'if' belongs to an 'id'; put the condition into the 'filter'.", path: "if") }
            return (try change.requiredText("filter", bytes: 0...Int.max), try change.arguments(limits))
        }
    }

    private static func place(_ change: Parameters) throws(ErrorResponse) -> Place {
        let before = try change.optional("before", key(of: .item))
        let after = try change.optional("after", key(of: .item))
        let end = try change.optional("to") { value throws(ErrorResponse) -> Place in
            let word = try value.text(bytes: 0...Int.max)
            switch word {
            case "start": return .start
            case "end": return .end
            default: throw .invalid(.unknownWord, "'to' is \"start\" or \"end\", not '\(Quotation.shortened(word))'.")
            }
        }
        switch (before, after, end) {
        case (let item?, nil, nil): return .before(item)
        case (nil, let item?, nil): return .after(item)
        case (nil, nil, let place?): return place
        default: throw .invalid(.oneOf, "A move has exactly one of 'before', 'after' and 'to'.")
        }
    }
}
