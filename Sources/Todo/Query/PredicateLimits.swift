/// The bounds of a predicate. Past any of them it is refused, with the limit's name and its value.
public struct PredicateLimits: Sendable, Hashable {
    /// UTF-8 bytes of the text (`filterBytes`).
    public var bytes = 8192
    /// Parentheses and negations inside one another (`filterDepth`): the parser recurses that deep at most.
    public var depth = 32
    /// Comparisons (`filterTerms`): each one is evaluated for each object.
    public var terms = 256
    /// Values of all `IN` and `BETWEEN` lists, written out or as array arguments (`filterElements`).
    public var elements = 10_000
    /// Code points of all `LIKE` patterns together (`filterPatternLength`): matching costs the text's length times a 64th of it.
    public var patternLength = 1024
    /// Searches of text, `LIKE` counted by its pattern (`filterSearches`): each reads the whole text of each object.
    public var searches = 64

    /// The defaults.
    public init() {}
}
