/// Field values that a client gave, by the field's place in the schema, each place at most once.
public typealias FieldValues = [(place: Int, value: Value)]

/// Where a moved item goes.
public enum Place: Sendable, Hashable {
    /// To the top of its project.
    case start
    /// To the bottom of its project.
    case end
    /// Right before that item.
    case before(String)
    /// Right behind that item.
    case after(String)
}

/// One entry of a transaction's `changes`, with its shape already checked against the schema.
public enum Entry: Sendable {
    /// Insert a new object; the key may be among the values.
    case create(ClassName, values: FieldValues)
    /// Change fields of one object, where it holds the values of `condition`.
    case update(ClassName, key: String, set: FieldValues, condition: FieldValues)
    /// Insert, or update the given fields where the key exists.
    case upsert(ClassName, values: FieldValues)
    /// As `create` or, where `isUpsert`, `upsert` of a permission, whose user is named by its normalised name instead of its id.
    case grant(userName: String, values: FieldValues, isUpsert: Bool)
    /// Delete one object, where it holds the values of `condition`.
    case delete(ClassName, key: String, condition: FieldValues)
    /// Give an item another place in its project.
    case move(key: String, to: Place)
    /// Change fields of every object that matches and that the caller may change.
    case updateMatching(ClassName, Predicate, set: FieldValues)
    /// Delete every object that matches and that the caller may delete.
    case deleteMatching(ClassName, Predicate)
}
