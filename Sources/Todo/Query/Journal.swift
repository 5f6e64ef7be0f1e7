/// What the rows of a list were at an older version: enough to tell the difference between the list then and the list now.
///
/// It grows by the rows that changed since, not by the changes.
public struct Journal: Sendable {
    private(set) var rows: [String: Object?] = [:]

    /// The journal of a list that has not changed since.
    public init() {}

    /// How many rows have changed since.
    public var count: Int { rows.count }

    /// Whether no row has changed since.
    public var isEmpty: Bool { rows.isEmpty }

    /// Notes what a change replaced.
    public mutating func record(_ applied: AppliedChange) {
        for (key, old) in applied.replaced { record(key: key, old: old) }
    }

    /// Notes what a row was in the list before a change, `nil` where it was not in it. The oldest note of a key counts.
    public mutating func record(key: String, old: Object?) {
        if rows.index(forKey: key) == nil { rows.updateValue(old, forKey: key) }
    }
}
