/// A value for a place in a predicate's text (`$0`, `%@`).
public enum Argument: Sendable, Hashable {
    /// A single value: null, boolean, integer, double or string (a string stands for a date beside a date field).
    case value(Value)
    /// An array, for `IN $0` and `BETWEEN $0`.
    case array([Value])
}
