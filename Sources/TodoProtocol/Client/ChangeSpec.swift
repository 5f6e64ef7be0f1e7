public import Bytes
public import Todo

/// One entry of `changes` as a client writes it: fields by name, unchecked, for the server to judge.
public enum ChangeSpec: Sendable {
    /// Field values by name.
    public typealias Fields = [(name: String, value: Value)]

    /// Insert a new object.
    case create(ClassName, Fields)
    /// Change fields of one object, where it holds the values of `condition`.
    case update(ClassName, id: String, set: Fields, condition: Fields)
    /// Insert, or update the given fields where the key exists.
    case upsert(ClassName, Fields)
    /// Delete one object, where it holds the values of `condition`.
    case delete(ClassName, id: String, condition: Fields)
    /// Give an item another place in its project.
    case move(id: String, to: Place)
    /// Change fields of every object that matches and that the caller may change.
    case updateMatching(ClassName, filter: String, args: [Argument], set: Fields)
    /// Delete every object that matches and that the caller may delete.
    case deleteMatching(ClassName, filter: String, args: [Argument])
    /// An entry that is JSON already.
    case raw(SharedBytes)
}

extension ChangeSpec {
    /// Change fields of one object.
    public static func update(_ className: ClassName, id: String, set: Fields) -> ChangeSpec {
        .update(className, id: id, set: set, condition: [])
    }

    /// Delete one object.
    public static func delete(_ className: ClassName, id: String) -> ChangeSpec {
        .delete(className, id: id, condition: [])
    }

    func write(into writer: inout JSONWriter) {
        if case .raw(let json) = self { return writer.raw(json) }
        writer.beginObject()
        switch self {
        case .create(let className, let fields): Self.object("create", className, fields, &writer)
        case .upsert(let className, let fields): Self.object("upsert", className, fields, &writer)
        case .update(let className, let id, let set, let condition):
            Self.text("update", className.name, &writer)
            Self.text("id", id, &writer)
            Self.fields("set", set, &writer)
            if !condition.isEmpty { Self.fields("if", condition, &writer) }
        case .delete(let className, let id, let condition):
            Self.text("delete", className.name, &writer)
            Self.text("id", id, &writer)
            if !condition.isEmpty { Self.fields("if", condition, &writer) }
        case .move(let id, let place):
            Self.text("move", ClassName.item.name, &writer)
            Self.text("id", id, &writer)
            Self.place(place, &writer)
        case .updateMatching(let className, let filter, let args, let set):
            Self.text("update", className.name, &writer)
            Self.text("filter", filter, &writer)
            writer.arguments(args)
            Self.fields("set", set, &writer)
        case .deleteMatching(let className, let filter, let args):
            Self.text("delete", className.name, &writer)
            Self.text("filter", filter, &writer)
            writer.arguments(args)
        case .raw: break
        }
        writer.endObject()
    }

    private static func object(_ verb: StaticString, _ className: ClassName, _ fields: Fields, _ writer: inout JSONWriter) {
        text(verb, className.name, &writer)
        self.fields("object", fields, &writer)
    }

    private static func text(_ name: StaticString, _ text: String, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.value(text)
    }

    private static func fields(_ name: StaticString, _ fields: Fields, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        for field in fields {
            writer.key(escaping: field.name)
            writer.value(field.value)
        }
        writer.endObject()
    }

    private static func place(_ place: Place, _ writer: inout JSONWriter) {
        switch place {
        case .start: text("to", "start", &writer)
        case .end: text("to", "end", &writer)
        case .before(let id): text("before", id, &writer)
        case .after(let id): text("after", id, &writer)
        }
    }
}

extension JSONWriter {
    /// Writes the member `args`, where there are any.
    mutating func arguments(_ args: [Argument]) {
        guard !args.isEmpty else { return }
        key("args")
        beginArray()
        for argument in args {
            switch argument {
            case .value(let value): self.value(value)
            case .array(let values):
                beginArray()
                for value in values { self.value(value) }
                endArray()
            }
        }
        endArray()
    }
}
