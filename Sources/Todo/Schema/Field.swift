/// What a field may hold.
public enum FieldType: Sendable, Hashable {
    /// Text whose length in UTF-8 bytes lies in the range; without NUL.
    case string(bytes: ClosedRange<Int>)
    /// An id: 1–64 characters out of `A–Z a–z 0–9 _ -`.
    case id
    /// A permission's key, `projectId:userId`.
    case permissionId
    /// A truth value.
    case boolean
    /// A whole number in the range.
    case integer(ClosedRange<Int64>)
    /// A moment in UTC.
    case date
    /// One of these words.
    case word([String])
    /// An array of strings.
    case strings
    /// Any JSON, whose text has at most so many bytes.
    case json(bytesMax: Int)
}

/// Who gives a field its value.
public enum FieldKeeper: Sendable, Hashable {
    /// A client, in `create`, `upsert` and `update`.
    case client
    /// A client, when the object is created; it never changes afterwards.
    case creator
    /// The server alone.
    case server
    /// The server alone, for its own rules: on no wire and in no predicate.
    case hidden
}

/// One field of a class: a line of the schema table.
public struct Field: Sendable {
    /// The name on the wire, in predicates and in the store.
    public let name: String
    /// What it may hold.
    public let type: FieldType
    /// Whether `null` is a value of it.
    public let isOptional: Bool
    /// Who gives it its value.
    public let keeper: FieldKeeper
    /// What it holds when it is not given; `nil` where it must be given to create the object.
    public let initial: Value?

    init(_ name: String, _ type: FieldType, optional: Bool = false, keeper: FieldKeeper = .client, initial: Value? = nil) {
        self.name = name
        self.type = type
        isOptional = optional
        self.keeper = keeper
        self.initial = optional ? .null : initial
    }
}
