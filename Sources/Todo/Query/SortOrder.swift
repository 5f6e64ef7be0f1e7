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

/// An object in a list, with what its order needs prepared.
package struct Row: Sendable {
    package let object: Object
    /// The folded text of each key that folds case, `nil` for a null; empty where none does.
    let folded: [[UInt8]?]

    package init(_ object: Object, order: SortOrder) {
        self.object = object
        folded = order.foldsCase ? order.keys.filter(\.foldsCase).map { object.values[$0.place].string.map(TextFolding.case.fold) } : []
    }
}

extension SortOrder {
    /// The total order of rows.
    func compare(_ left: Row, _ right: Row) -> Int {
        let order = compareKeys(left, right)
        return order != 0 ? order : left.object.values[0].compare(with: right.object.values[0])
    }

    /// The order of the given keys alone: zero for two states of an object that never makes it move.
    func compareKeys(_ left: Row, _ right: Row) -> Int {
        var foldedIndex = 0
        for key in keys {
            var order: Int
            if key.foldsCase {
                order = SortOrder.compare(left.folded[foldedIndex], right.folded[foldedIndex])
                foldedIndex += 1
            } else {
                order = left.object.values[key.place].compare(with: right.object.values[key.place])
            }
            if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
    }

    private static func compare(_ left: [UInt8]?, _ right: [UInt8]?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        for index in 0..<min(left.count, right.count) where left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
        return left.count - right.count
    }
}
