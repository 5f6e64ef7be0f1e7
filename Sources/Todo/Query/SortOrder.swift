/// The order of a list: the given keys, then the primary key ascending, so that no two objects are equal in it.
public struct SortOrder: Sendable, Hashable {
    /// One field to sort by.
    public struct Key: Sendable, Hashable {
        /// The field's place in the schema.
        public let place: Int
        /// Whether greater values come first, and nulls last.
        public let isDescending: Bool
        /// Whether texts that differ in case only are equal.
        public let foldsCase: Bool
    }

    /// The most fields that one order may name.
    public static let keysMax = 16

    /// The class that is sorted.
    public let className: ClassName
    /// The keys in the order of their weight, without the primary key that comes last.
    public let keys: [Key]
    /// Whether any key folds case, so that rows carry folded texts.
    let foldsCase: Bool

    /// Reads field names with `-` before one for descending and `[c]` behind one for case-insensitive.
    ///
    /// - Throws: a `Refusal` whose path is `sort[n]`: an unknown field, an array, `[c]` on a field that is no text; past `keysMax` a limit.
    public static func parse(_ sort: [String], of className: ClassName) throws(Refusal) -> SortOrder {
        if sort.count > keysMax {
            throw Refusal(
                .limit(name: "sortKeys", maximum: keysMax), "limit",
                "The sort order has \(sort.count) keys; at most \(keysMax) are allowed.",
                path: "sort")
        }
        var keys: [Key] = []
        for (index, text) in sort.enumerated() { keys.append(try key(text, of: className, path: "sort[\(index)]")) }
        return SortOrder(className: className, keys: keys, foldsCase: keys.contains(where: \.foldsCase))
    }

    private static func key(_ text: String, of className: ClassName, path: String) throws(Refusal) -> Key {
        var name = text[...]
        let isDescending = name.hasPrefix("-")
        if isDescending { name = name.dropFirst() }
        let foldsCase = name.hasSuffix("[c]")
        if foldsCase { name = name.dropLast(3) }
        guard let place = className.schema.place(of: String(name)) else { throw .unknownField(String(name), in: className, path: path) }
        switch className.schema.fields[place].type {
        case .strings:
            throw Refusal(
                .invalid, "wrongType", "\(name) is an array; a list can't be sorted by it.", path: path,
                expected: "a field that is no array")
        case .json:
            throw Refusal(
                .invalid, "wrongType", "\(name) is any JSON; a list can't be sorted by it.", path: path,
                expected: "a field that is no JSON")
        case .string, .id, .permissionId, .word: break
        case .integer, .boolean, .date:
            if foldsCase {
                throw Refusal(.invalid, "wrongType", "[c] is for texts, and \(name) is none.", path: path, expected: "\(name) without [c]")
            }
        }
        return Key(place: place, isDescending: isDescending, foldsCase: foldsCase)
    }

    /// Negative, zero or positive as the left object comes before, is, or comes after the right one.
    public func compare(_ left: Object, _ right: Object) -> Int {
        compare(Row(left, order: self), Row(right, order: self))
    }
}
