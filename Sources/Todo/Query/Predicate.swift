/// A condition on the objects of a class.
public struct Predicate: Sendable, Hashable {}
