/// An object in a list, with what its order needs prepared.
package struct Row: Sendable {
    package let object: Object
    /// The folded text of each key that folds case, `nil` for a null; empty where none does.
    let folded: [[UInt8]?]
    /// Orders by the first key as far as eight bytes tell: where two prefixes differ, their rows are ordered like them.
    ///
    /// Most comparisons end here, without a look at the objects, which lie anywhere in memory.
    let prefix: UInt64

    package init(_ object: Object, order: SortOrder) {
        self.object = object
        folded = order.foldsCase ? order.keys.filter(\.foldsCase).map { object.values[$0.place].string.map(TextFolding.case.fold) } : []
        guard let first = order.keys.first else {
            prefix = object.values[0].orderPrefix
            return
        }
        let ascending = first.foldsCase ? folded[0]?.orderPrefix ?? 0 : object.values[first.place].orderPrefix
        prefix = first.isDescending ? ~ascending : ascending
    }

    /// Another state of a row that leaves it where it is: what its order needs is what it was.
    init(_ object: Object, inPlaceOf old: Row) {
        self.object = object
        folded = old.folded
        prefix = old.prefix
    }
}

extension SortOrder {
    /// The total order of rows.
    func compare(_ left: Row, _ right: Row) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        let order = compareKeys(left, right)
        return order != 0 ? order : left.object.values[0].compare(with: right.object.values[0])
    }

    /// Whether the two states of an object hold the same at all given keys, so that it does not move.
    func holdsSame(_ left: Object, _ right: Object) -> Bool {
        keys.allSatisfy { left.values[$0.place] == right.values[$0.place] }
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

extension Value {
    /// A number that never falls where the value grows; zero for a null, which comes first.
    fileprivate var orderPrefix: UInt64 {
        switch self {
        case .null, .double, .strings, .json: 0
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.orderPrefix
        case .date(let value): value.milliseconds.orderPrefix
        case .string(let value): value.utf8.orderPrefix
        }
    }
}

extension Int64 {
    fileprivate var orderPrefix: UInt64 { UInt64(bitPattern: self) ^ (1 << 63) }
}

extension Sequence<UInt8> {
    /// The first eight bytes, the first one weighing most; a missing one counts as zero.
    fileprivate var orderPrefix: UInt64 {
        var (prefix, shift): (UInt64, UInt64) = (0, 64)
        for byte in self {
            shift -= 8
            prefix |= UInt64(byte) << shift
            if shift == 0 { break }
        }
        return prefix
    }
}
