/// What a subscription or a one-time query asks for.
///
/// Two queries are the same when class, filter text, args, sort and limit are, texts byte for byte. Where the predicate's
/// `usesUser` is set, the same query means something else to another user.
public struct Query: Sendable {
    /// The class of the objects.
    public let className: ClassName
    /// The predicate's text, empty for all objects.
    public let filter: String
    /// What fills the predicate's places.
    public let args: [Argument]
    /// The order of the list.
    public let sort: SortOrder
    /// How many objects the list has at most, at least 1; `nil` for all.
    public let limit: Int?
    /// The filter, parsed, with its args and user bound.
    public let predicate: Predicate

    /// Reads a query. No filter, or an empty one, means all objects.
    ///
    /// - Throws: a `Refusal` whose path is `filter`, `args[n]`, `sort[n]` or `limit`.
    public init(
        _ className: ClassName, filter: String? = nil, args: [Argument] = [], sort: [String] = [], limit: Int? = nil, user: String,
        limits: PredicateLimits = PredicateLimits()
    ) throws(Refusal) {
        self.className = className
        self.filter = filter ?? ""
        self.args = args
        predicate =
            if let filter, !filter.isEmpty { try .parse(filter, of: className, args: args, user: user, limits: limits) } else { .all }
        self.sort = try SortOrder.parse(sort, of: className)
        if let limit, limit < 1 {
            throw Refusal(.invalid, "outOfRange", "limit is \(limit); it is at least 1.", path: "limit", expected: "a whole number from 1")
        }
        self.limit = limit
    }
}

extension Query: Hashable {
    /// Whether class, filter text, args, sort and limit are the same.
    public static func == (left: Query, right: Query) -> Bool {
        left.className == right.className && left.filter.hasSameBytes(as: right.filter) && left.args == right.args
            && left.sort == right.sort && left.limit == right.limit
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(Value.string(filter))
        hasher.combine(args)
        hasher.combine(sort)
        hasher.combine(limit)
    }
}
