/// How much text one request may search: without a bound, one filter over much text would hold up everybody else.
///
/// The unit is a byte of text that one `CONTAINS` looks at; `LIKE` costs more, by its pattern. Comparisons without a search cost nothing.
public struct SearchBudget {
    private let maximum: Int
    private var used = 0
    private var chargedRelatedBytes = 0

    /// A budget of that many bytes.
    public init(_ maximum: Int) {
        self.maximum = maximum
    }

    /// Takes the cost of evaluating the predicate on the object, or refuses with the limit `filterWork`.
    public mutating func charge(_ predicate: Predicate, _ object: Object, _ related: StoreRelations) throws(Refusal) {
        guard predicate.searchCost > 0 else { return }
        let relatedBytes = related.itemBytesRead - chargedRelatedBytes
        chargedRelatedBytes = related.itemBytesRead
        used += predicate.searchCost * (object.approximateBytes + relatedBytes)
        guard used > maximum else { return }
        throw Refusal(
            .limit(name: "filterWork", maximum: maximum), "limit",
            "The filter searches more text than one request may (\(maximum) bytes, each search counted); narrow it by equality, such as projectId == …, or use fewer searches.",
            path: "filter")
    }
}

extension Condition {
    /// What it costs to search one byte of an object's text.
    var searchCost: Int {
        switch self {
        case .constant: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.searchCost }
        case .not(let inner): inner.searchCost
        case .test(_, let test): test.searchCost
        }
    }
}

extension ValueTest {
    fileprivate var searchCost: Int {
        switch self {
        case .text(let test), .notText(let test), .nullOrText(let test): test.searchCost
        default: 0
        }
    }
}

extension TextTest {
    fileprivate var searchCost: Int {
        if case .like(let pattern) = operation { 1 + pattern.length / 128 } else { 1 }
    }
}
