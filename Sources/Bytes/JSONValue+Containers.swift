public import CSimdJSON

extension JSONValue {
    /// The value behind this one on the tape, past everything inside this one.
    @inlinable var following: JSONValue {
        JSONValue(node: node + Int(node.pointee.span), bytes: bytes)
    }

    /// The first node inside this array or object.
    @inlinable var inside: JSONValue {
        JSONValue(node: node + 1, bytes: bytes)
    }

    /// How many elements or members an array or object has; 0 for anything else.
    @inlinable public var count: Int {
        code >= JSON_KIND_ARRAY.rawValue ? Int(node.pointee.value.count) : 0
    }

    /// The array's elements in order, or nil if this is no array.
    @inlinable public var elements: JSONElements? {
        code == JSON_KIND_ARRAY.rawValue ? JSONElements(of: self) : nil
    }

    /// The object's members in the order they were sent, or nil if this is no object.
    @inlinable public var members: JSONMembers? {
        code == JSON_KIND_OBJECT.rawValue ? JSONMembers(of: self) : nil
    }

    /// The value of the member `name`, or nil if there is none or this is no object. Looks at each member: for objects with few.
    @inlinable public subscript(name: StaticString) -> JSONValue? {
        guard let members else { return nil }
        for (key, value) in members where key.isString(name) { return value }
        return nil
    }
}

/// The elements of an array, in order. Valid as long as the array's `JSONValue` is.
public struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline var at: JSONValue
    @usableFromInline var left: Int

    @inlinable init(of array: JSONValue) {
        at = array.inside
        left = array.count
    }

    /// How many elements are still to come.
    @inlinable public var count: Int { left }

    /// The next element, or nil at the end.
    @inlinable public mutating func next() -> JSONValue? {
        guard left > 0 else { return nil }
        left -= 1
        defer { at = at.following }
        return at
    }
}

/// The members of an object, in the order they were sent. Valid as long as the object's `JSONValue` is.
public struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline var at: JSONValue
    @usableFromInline var left: Int

    @inlinable init(of object: JSONValue) {
        at = object.inside
        left = object.count
    }

    /// How many members are still to come.
    @inlinable public var count: Int { left }

    /// The next member, or nil at the end. The key is a string value.
    @inlinable public mutating func next() -> (key: JSONValue, value: JSONValue)? {
        guard left > 0 else { return nil }
        left -= 1
        let key = at
        let value = key.following
        at = value.following
        return (key, value)
    }
}
