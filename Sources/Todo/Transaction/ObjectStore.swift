/// A condition on one field that a store may use to narrow what it reads; the predicate decides in the end.
public struct Term: Sendable, Hashable {
    /// How the field is compared.
    public enum Comparison: Sendable, Hashable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }

    /// The field's place in the schema.
    public let place: Int
    /// How it is compared.
    public let comparison: Comparison
    /// With what: never null; of the field's own type.
    public let value: Value

    /// The condition `field comparison value`.
    public init(place: Int, _ comparison: Comparison, _ value: Value) {
        self.place = place
        self.comparison = comparison
        self.value = value
    }
}

/// What queries read: one consistent state of the store.
public protocol ObjectReader: AnyObject {
    /// The object with that key.
    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object?
    /// Every object of the class that satisfies all the terms, in no particular order, until `body` answers `false`.
    ///
    /// The store may give more objects than the terms allow, never fewer.
    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws
    /// The permissions of a project, the oldest first.
    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object]
    /// The permissions of a user.
    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object]
}

/// What a transaction reads and writes; it sees its own writes.
public protocol ObjectStore: ObjectReader {
    /// Adds an object whose key does not exist.
    func insert(_ object: Object) throws(StoreFailure)
    /// Replaces the object of the same class and key; `old` is what the store holds now.
    func update(_ object: Object, from old: Object) throws(StoreFailure)
    /// The user that has this name, normalised as names are compared.
    func userNamed(normalisedName: String) throws(StoreFailure) -> Object?
    /// Removes the object.
    func delete(_ object: Object) throws(StoreFailure)
    /// The smallest position in the project, `nil` where it has no items.
    func firstPosition(inProject projectId: String) throws(StoreFailure) -> String?
    /// The greatest position in the project, `nil` where it has no items.
    func lastPosition(inProject projectId: String) throws(StoreFailure) -> String?
    /// The greatest position before that one, leaving out the item with that key.
    func position(before position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String?
    /// The smallest position behind that one, leaving out the item with that key.
    func position(after position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String?
}
