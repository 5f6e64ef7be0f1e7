/// A condition on the objects of one class, parsed, checked against the schema and with its arguments bound.
///
/// The language is a subset of NSPredicate's; it has two truth values. Two predicates are equal when they test the same in
/// the same order, whatever their texts looked like.
public struct Predicate: Sendable, Hashable {
    /// The related objects that a predicate looks at besides the object itself.
    public struct Relations: OptionSet, Sendable, Hashable {
        /// One bit a relation.
        public let rawValue: UInt8
        /// The relations of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// An item's predicate looks at fields of its project: a change of the project can change what matches.
        public static let project = Relations(rawValue: 1)
        /// A project's predicate looks at fields of its items: a change of an item can change what matches.
        public static let items = Relations(rawValue: 2)
    }

    let condition: Condition

    /// Conditions that every matching object satisfies, all of them: what a store and an index of live queries narrow by.
    ///
    /// Taken from the comparisons that the whole predicate joins by `AND`; the values are never null and of the field's own type.
    public let terms: [Term]
    /// Whether `$user` occurs: then the same text means something else to another user.
    public let usesUser: Bool
    /// The related objects that it looks at. `items.@count` is the project's own `itemCount` and needs none.
    public let relations: Relations
    /// The object's own fields that it looks at, a bit a place: while these stay as they are, a match stays one, but for related objects.
    public let places: UInt64
    /// The fields of an item's project that it looks at, a bit a place: a change of other fields can't change what matches.
    public let projectPlaces: UInt64
    /// What it costs to search one byte of an object's text: how many searches it makes, `LIKE` by its pattern.
    public let searchCost: Int

    init(_ condition: Condition, usesUser: Bool) {
        self.condition = condition
        self.usesUser = usesUser
        terms = condition.terms
        relations = condition.relations
        places = condition.places
        projectPlaces = condition.projectPlaces
        searchCost = condition.searchCost
    }

    /// The predicate that every object matches, `TRUEPREDICATE`.
    public static let all = Predicate(.constant(true), usesUser: false)

    /// Reads a predicate on the objects of a class.
    ///
    /// - Parameters:
    ///   - text: the predicate; an empty one is refused, absence of a filter is `Predicate.all`.
    ///   - className: the class whose fields it may name.
    ///   - args: the values for `$0`, `$1` … or for each `%@` in order; spare ones are allowed.
    ///   - user: the value of `$user`.
    /// - Throws: a `Refusal` of kind `invalid` with `path` (`filter`, or `args[n]` for a bad argument), `position` in UTF-8
    ///   bytes of the text and what was `expected` there; of kind `limit` past one of the limits.
    public static func parse(
        _ text: String, of className: ClassName, args: [Argument] = [], user: String, limits: PredicateLimits = PredicateLimits()
    ) throws(Refusal) -> Predicate {
        if text.utf8.count > limits.bytes {
            throw .predicateLimit("filterBytes", limits.bytes, "The filter has \(text.utf8.count) bytes", at: nil)
        }
        var parser = try PredicateParser(text, className: className, args: args, user: user, limits: limits)
        let predicate = try parser.parse()
        if predicate.searchCost > limits.searches {
            throw .predicateLimit("filterSearches", limits.searches, "The filter makes too many searches of text", at: nil)
        }
        return predicate
    }

    /// Whether the object, which is of the predicate's class, satisfies it.
    public func matches(_ object: Object, related: some RelatedObjects) -> Bool {
        var evaluation = Evaluation(object: object, related: related)
        return evaluation.holds(condition)
    }
}

extension Refusal {
    static func predicateLimit(_ name: String, _ maximum: Int, _ what: String, at position: Int?, argument: Int? = nil) -> Refusal {
        Refusal(
            .limit(name: name, maximum: maximum), "limit", "\(what); at most \(maximum) are allowed.",
            path: argument.map { "args[\($0)]" } ?? "filter", position: position)
    }
}
