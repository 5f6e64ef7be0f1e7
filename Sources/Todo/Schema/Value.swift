internal import Glibc

/// What one field of an object holds.
///
/// Strings compare and hash by their UTF-8 bytes, which is the order of Unicode code points: Swift's own equality would
/// take `é` and `e` + U+0301 for the same text, and the store keeps strings byte for byte.
public enum Value: Sendable {
    /// The absence of an optional value, JSON's `null`.
    case null
    /// A truth value.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number that is not whole, or is beyond 64 bits: never stored, but a query may compare with it.
    case double(Double)
    /// Unicode text without NUL.
    case string(String)
    /// A moment in UTC.
    case date(Timestamp)
    /// An array of strings, such as the ids of an item's attachments.
    case strings([String])
    /// A JSON text that is no `null`, byte for byte as it was sent.
    case json(String)
}

extension Value: Hashable {
    /// Equality of the kind and the content; strings byte for byte.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.date(let a), .date(let b)): a == b
        case (.strings(let a), .strings(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.hasSameBytes(as: $1) }
        case (.json(let a), .json(let b)): a.hasSameBytes(as: b)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value), .json(let value): value.hashBytes(into: &hasher)
        case .date(let value): hasher.combine(value)
        case .strings(let values): for value in values { value.hashBytes(into: &hasher) }
        }
    }
}

extension Value {
    /// Whether this is the absence of a value.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The text, if it is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, if it is one.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The truth value, if it is one.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }
}

extension String {
    /// Equality byte for byte, where `==` would compare canonically equivalent texts as equal.
    public func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && compareBytes(with: other) == 0
    }

    /// Negative, zero or positive as this text comes before, is, or comes after the other in the order of code points.
    public func compareBytes(with other: String) -> Int {
        let fast: Int?? = utf8.withContiguousStorageIfAvailable { a in
            other.utf8.withContiguousStorageIfAvailable { b in Self.compare(a, b) }
        }
        if case .some(.some(let order)) = fast { return order }
        return Array(utf8).withUnsafeBufferPointer { a in
            Array(other.utf8).withUnsafeBufferPointer { b in Self.compare(a, b) }
        }
    }

    private static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let shared = Swift.min(a.count, b.count)
        // Two states of an object share the texts that did not change.
        if shared > 0, let left = a.baseAddress, let right = b.baseAddress, left != right {
            let order = memcmp(left, right, shared)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    fileprivate func hashBytes(into hasher: inout Hasher) {
        let done: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if done == nil { for byte in utf8 { hasher.combine(byte) } }
        hasher.combine(0xFF as UInt8)
    }
}
