internal import Bytes
public import Todo
public import TodoProtocol

/// Collects the entries of one transaction, which the server applies all or none of.
public struct WriteBuilder {
    /// The entries so far, in order.
    public private(set) var changes: [ChangeSpec] = []

    /// No entries.
    public init() {}

    /// Inserts a new object.
    ///
    /// - Returns: its key: the one among the fields, else a random one, so that later entries can name the object.
    @discardableResult
    public mutating func create(_ className: ClassName, _ fields: KeyValuePairs<String, Value>) -> String {
        let name = className.schema.fields[0].name
        if let key = fields.first(where: { $0.key == name })?.value.string {
            changes.append(.create(className, Self.fields(fields)))
            return key
        }
        // A permission's key follows from its fields, and a user is not created by clients.
        guard className == .project || className == .item else {
            changes.append(.create(className, Self.fields(fields)))
            return ""
        }
        let key = RandomIdentifier.make()
        changes.append(.create(className, [(name, .string(key))] + Self.fields(fields)))
        return key
    }

    /// Changes fields of one object; where `condition` names fields, only if they hold these values.
    public mutating func update(
        _ className: ClassName, _ id: String, set: KeyValuePairs<String, Value>, if condition: KeyValuePairs<String, Value> = [:]
    ) {
        changes.append(.update(className, id: id, set: Self.fields(set), condition: Self.fields(condition)))
    }

    /// Inserts an object, or changes the given fields where its key exists.
    public mutating func upsert(_ className: ClassName, _ fields: KeyValuePairs<String, Value>) {
        changes.append(.upsert(className, Self.fields(fields)))
    }

    /// Deletes one object; where `condition` names fields, only if they hold these values.
    public mutating func delete(_ className: ClassName, _ id: String, if condition: KeyValuePairs<String, Value> = [:]) {
        changes.append(.delete(className, id: id, condition: Self.fields(condition)))
    }

    /// Gives an item another place in its project.
    public mutating func move(_ id: String, to place: Place) {
        changes.append(.move(id: id, to: place))
    }

    /// Changes fields of every object that matches and that the user may change.
    public mutating func updateAll(
        _ className: ClassName, where filter: String, args: [Argument] = [], set: KeyValuePairs<String, Value>
    ) {
        changes.append(.updateMatching(className, filter: filter, args: args, set: Self.fields(set)))
    }

    /// Deletes every object that matches and that the user may delete.
    public mutating func deleteAll(_ className: ClassName, where filter: String, args: [Argument] = []) {
        changes.append(.deleteMatching(className, filter: filter, args: args))
    }

    /// An entry that is JSON already, unchecked.
    public mutating func raw(_ json: String) {
        changes.append(.raw(SharedBytes(utf8: json)))
    }

    private static func fields(_ pairs: KeyValuePairs<String, Value>) -> ChangeSpec.Fields {
        pairs.map { (name: $0.key, value: $0.value) }
    }
}

/// What a transaction has come to.
public struct WriteResult: Sendable, Equatable {
    /// The store's version with it.
    public let version: Int64
    /// For each entry the key that it made, `nil` for one that made none.
    public let ids: [String?]
    /// Whether the server had applied the transaction before.
    public let isDuplicate: Bool
}

/// Ids that no other client makes.
enum RandomIdentifier {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)

    /// 22 characters, 132 random bits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(decoding: (0..<22).map { _ in alphabet[Int(generator.next() & 63)] }, as: UTF8.self)
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
    /// A text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// A whole number.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    /// A truth value.
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }

    /// The absence of a value.
    public init(nilLiteral: ()) {
        self = .null
    }
}
