public import CSimdJSON

/// A value inside a parsed document: two pointers, free to copy, valid as long as the call of `JSONParser.parse` that lent it.
public struct JSONValue {
    /// The kinds of values; whole and other numbers are one kind, as in JSON.
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    @usableFromInline let node: UnsafePointer<json_node>
    @usableFromInline let bytes: UnsafeRawPointer

    @inlinable init(node: UnsafePointer<json_node>, bytes: UnsafeRawPointer) {
        self.node = node
        self.bytes = bytes
    }

    @inlinable var code: UInt32 { UInt32(node.pointee.kind) }

    /// What the value is.
    @inlinable public var kind: Kind {
        switch code {
        case JSON_KIND_NULL.rawValue: .null
        case JSON_KIND_FALSE.rawValue, JSON_KIND_TRUE.rawValue: .bool
        case JSON_KIND_STRING.rawValue: .string
        case JSON_KIND_ARRAY.rawValue: .array
        case JSON_KIND_OBJECT.rawValue: .object
        default: .number
        }
    }

    /// Whether this is `null`.
    @inlinable public var isNull: Bool { code == JSON_KIND_NULL.rawValue }

    /// The boolean, or nil if this is none.
    @inlinable public var bool: Bool? {
        switch code {
        case JSON_KIND_TRUE.rawValue: true
        case JSON_KIND_FALSE.rawValue: false
        default: nil
        }
    }

    /// The number if it is a whole one within 64 bits, however it is written (`1`, `1.0`, `1e2`); never rounded.
    @inlinable public var int64: Int64? {
        code == JSON_KIND_INTEGER.rawValue ? node.pointee.value.integer : nil
    }

    /// The number as the nearest double, or nil if this is no number.
    @inlinable public var double: Double? {
        switch code {
        case JSON_KIND_INTEGER.rawValue: Double(node.pointee.value.integer)
        case JSON_KIND_DOUBLE.rawValue: node.pointee.value.number
        default: nil
        }
    }

    /// The string's UTF-8 bytes, unescaped, or nil if this is no string.
    @inlinable public var utf8: UnsafeRawBufferPointer? {
        guard code == JSON_KIND_STRING.rawValue else { return nil }
        let text = node.pointee.value.text
        return UnsafeRawBufferPointer(start: bytes + Int(text.begin), count: Int(text.length))
    }

    /// The string, or nil if this is none. It may hold U+0000: see `containsNUL`.
    @inlinable public var string: String? {
        guard let utf8 else { return nil }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Whether this string, or any key or string inside this array or object, holds U+0000, which JSON allows and most callers must refuse.
    @inlinable public var containsNUL: Bool {
        for index in 0..<Int(node.pointee.span) where node[index].has_nul != 0 { return true }
        return false
    }

    /// Whether this is the string `text`.
    @inlinable public func isString(_ text: StaticString) -> Bool {
        guard let utf8, utf8.count == text.utf8CodeUnitCount else { return false }
        return utf8.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Lets a `switch` over a key or a string name literals.
    @inlinable public static func ~= (pattern: StaticString, value: JSONValue) -> Bool {
        value.isString(pattern)
    }

    /// Where the value's own JSON text begins, in bytes from the document's beginning.
    @inlinable public var offset: Int { Int(node.pointee.begin) }

    /// The value's own JSON text, byte for byte as it was sent, without the white space around it.
    @inlinable public var rawJSON: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes + Int(node.pointee.begin), count: Int(node.pointee.end - node.pointee.begin))
    }

    /// A copy of the value's own JSON text, to keep it beyond the parse. It holds no duplicate key, lone surrogate or
    /// number beyond a double, as the whole document does not.
    @inlinable public var ownedJSON: SharedBytes { SharedBytes(copying: rawJSON) }

    /// A number's text, byte for byte as it was sent (`7.5`, `1.0`, `1e2`), or nil if this is no number.
    @inlinable public var numberText: String? {
        kind == .number ? String(decoding: rawJSON, as: UTF8.self) : nil
    }
}
