/// The rows that a client sees of a list, as they were at one moment, for any thread and as long as somebody needs them.
///
/// No row is copied for it: they lie in chunks that it shares with the list, and the list copies those chunks that it changes afterwards.
public struct ListWindow: Sendable {
    private let ordered: OrderedList
    /// How many rows there are.
    public let count: Int

    init(_ ordered: OrderedList, limit: Int?) {
        self.ordered = ordered
        count = min(ordered.count, limit ?? Int.max)
    }

    /// The rows that answer a query, in any order, each key once: O(n log n). They are not looked for by their keys, which saves a list's table of them.
    public init(query: Query, rows objects: [Object]) {
        self.init(OrderedList(objects.map { Row($0, order: query.sort) }, order: query.sort), limit: query.limit)
    }

    /// The rows at these places, in order; places behind the last row are left out.
    public subscript(range: Range<Int>) -> [Object] {
        var objects: [Object] = []
        ordered.forEach(in: range.clamped(to: 0..<count)) { objects.append($0.object) }
        return objects
    }

    /// About how many bytes the rows have on the wire; no more are looked at than it takes to see that it is as much as `bytes`.
    public func approximateBytes(upTo bytes: Int) -> Int {
        var sum = 0
        for start in stride(from: 0, to: count, by: 256) where sum < bytes {
            ordered.forEach(in: start..<min(start + 256, count)) { sum += $0.object.approximateBytes }
        }
        return sum
    }
}
