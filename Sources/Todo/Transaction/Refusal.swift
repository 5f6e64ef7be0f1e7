/// Why a request was refused, in a form that a program and a person can act on.
public struct Refusal: Error, Sendable, Equatable {
    /// The kind of refusal; the protocol gives each its number.
    public enum Kind: Sendable, Equatable {
        /// The request is not well formed (`-32602`).
        case invalid
        /// Not permitted (`-32002`).
        case notPermitted
        /// No such object, or one that the caller may not see (`-32003`).
        case notFound
        /// A precondition did not hold, or the id exists already (`-32004`).
        case conflict
        /// A limit was exceeded (`-32005`).
        case limit(name: String, maximum: Int)
    }

    /// The kind of refusal.
    public let kind: Kind
    /// A stable word for programs, listed in the protocol page.
    public let reason: String
    /// A sentence that a person can act on.
    public let message: String
    /// The offending place, such as `changes[3].set.dueDate`.
    public var path: String?
    /// In a predicate: where the fault is, in UTF-8 bytes from 0.
    public var position: Int?
    /// In a predicate: what was expected there.
    public var expected: String?

    /// A refusal of that kind.
    public init(_ kind: Kind, _ reason: String, _ message: String, path: String? = nil, position: Int? = nil, expected: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.message = message
        self.path = path
        self.position = position
        self.expected = expected
    }

    /// The same refusal with its path put behind a prefix: `set.body` becomes `changes[2].set.body`.
    public func under(_ prefix: String) -> Refusal {
        var copy = self
        if let path { copy.path = path.hasPrefix("[") ? prefix + path : prefix + "." + path } else { copy.path = prefix }
        return copy
    }
}

/// The store could not do its work: disk full, file damaged, database away. Nothing of the transaction was kept.
public struct StoreFailure: Error, Sendable, Equatable {
    /// What went wrong and what to do about it.
    public let message: String

    /// A failure with its sentence.
    public init(_ message: String) {
        self.message = message
    }
}

extension StoreFailure: CustomStringConvertible {
    /// The sentence alone.
    public var description: String { message }
}
