public import Todo

/// One entry of `changes` with its shape checked against the schema. It mirrors `Entry`, but for the predicates, which are
/// still text: what `$user` is, only the session knows.
///
/// What an `upsert` lacks is checked here where its key is not given, for it inserts then. Where the key is given, only the store
/// knows whether the object exists: `ClassName.missingField(in:)` tells there what is missing.
public enum EntrySpec: Sendable {
    /// Insert a new object.
    case create(ClassName, values: FieldValues)
    /// Change fields of one object, where it holds the values of `condition`.
    case update(ClassName, key: String, set: FieldValues, condition: FieldValues)
    /// Insert, or update the given fields where the key exists.
    case upsert(ClassName, values: FieldValues)
    /// As `create` or, where `isUpsert`, `upsert` of a permission, whose user is named by `userName`.
    case grant(userName: String, values: FieldValues, isUpsert: Bool)
    /// Delete one object, where it holds the values of `condition`.
    case delete(ClassName, key: String, condition: FieldValues)
    /// Give an item another place in its project.
    case move(key: String, to: Place)
    /// Change fields of every object that matches and that the caller may change.
    case updateMatching(ClassName, filter: String, args: [Argument], set: FieldValues)
    /// Delete every object that matches and that the caller may delete.
    case deleteMatching(ClassName, filter: String, args: [Argument])

    /// The entry for the store; `predicate` compiles the text of a `filter` form, `normalised` brings a user's name to the form in
    /// which names are compared.
    public func entry<Failure: Error>(
        normalised: (String) throws(Failure) -> String, predicate: (ClassName, String, [Argument]) throws(Failure) -> Predicate
    ) throws(Failure) -> Entry {
        switch self {
        case .create(let className, let values): .create(className, values: values)
        case .update(let className, let key, let set, let condition): .update(className, key: key, set: set, condition: condition)
        case .upsert(let className, let values): .upsert(className, values: values)
        case .delete(let className, let key, let condition): .delete(className, key: key, condition: condition)
        case .move(let key, let place): .move(key: key, to: place)
        case .grant(let userName, let values, let isUpsert):
            .grant(userName: try normalised(userName), values: values, isUpsert: isUpsert)
        case .updateMatching(let className, let filter, let args, let set):
            .updateMatching(className, try predicate(className, filter, args), set: set)
        case .deleteMatching(let className, let filter, let args): .deleteMatching(className, try predicate(className, filter, args))
        }
    }
}
