internal import Bytes
internal import Todo

/// A JSON object whose members have fixed names: the parameters of a method, or one change.
///
/// `null` is the absence of a member. A name that is not among the allowed ones is an error, lest a misspelt `filtre` subscribe
/// to everything.
struct Parameters {
    private let json: JSONValue?

    /// The parameters of a method; without any, all are absent. `allowed` is `nil` where the names are looked at later.
    init(_ params: JSONValue?, of method: Method, allowed: [StaticString]?) throws(ErrorResponse) {
        if let params, params.kind == .array {
            throw .invalid(.positionalParameters, "Parameters are taken by name, in an object, not in an array.")
        }
        json = params
        guard let allowed, let members = params?.members else { return }
        for (key, _) in members where !allowed.contains(where: key.isString) {
            throw Self.unknown(key, allowed: allowed, what: "parameter", of: "'\(method.rawValue)'")
        }
    }

    /// One change, which is an object; its members are looked at by the caller.
    init(change: JSONValue) {
        json = change
    }

    /// The error for a member that is not taken; `owner` takes the `what` of other names.
    static func unknown(_ key: JSONValue, allowed: [StaticString], what: String, of owner: String) -> ErrorResponse {
        let name = key.shortenedText
        let names = allowed.map(\.description)
        let hint: String
        if names.isEmpty {
            hint = "it takes none."
        } else if let near = Suggestion.nearest(to: name, among: names) {
            hint = "did you mean '\(near)'?"
        } else {
            hint = "it takes \(names.joined(separator: ", "))."
        }
        return .invalid(.unknownParameter, "\(owner) takes no \(what) '\(name)': \(hint)", path: name)
    }

    /// The member's value; `nil` where it is absent.
    func value(_ name: StaticString) -> JSONValue? {
        guard let value = json?[name], !value.isNull else { return nil }
        return value
    }

    /// Whether the member is there.
    func has(_ name: StaticString) -> Bool { value(name) != nil }

    /// What `read` makes of the member; `nil` where it is absent.
    func optional<Result>(
        _ name: StaticString, _ read: (JSONValue) throws(ErrorResponse) -> Result
    ) throws(ErrorResponse) -> Result? {
        guard let value = value(name) else { return nil }
        do throws(ErrorResponse) {
            return try read(value)
        } catch {
            throw error.under("\(name)")
        }
    }

    /// What `read` makes of the member, which must be there.
    func required<Result>(
        _ name: StaticString, _ read: (JSONValue) throws(ErrorResponse) -> Result
    ) throws(ErrorResponse) -> Result {
        guard let result = try optional(name, read) else {
            throw .invalid(.missing, "'\(name)' is needed here.", path: "\(name)")
        }
        return result
    }

    /// A text of that length.
    func requiredText(_ name: StaticString, bytes: ClosedRange<Int>) throws(ErrorResponse) -> String {
        try required(name) { value throws(ErrorResponse) in try value.text(bytes: bytes) }
    }

    /// A text of that length.
    func text(_ name: StaticString, bytes: ClosedRange<Int>) throws(ErrorResponse) -> String? {
        try optional(name) { value throws(ErrorResponse) in try value.text(bytes: bytes) }
    }

    /// A boolean; `false` where it is absent.
    func flag(_ name: StaticString) throws(ErrorResponse) -> Bool {
        try optional(name) { value throws(ErrorResponse) in try value.flag() } ?? false
    }

    /// A whole number in that range.
    func integer(_ name: StaticString, in range: ClosedRange<Int64>) throws(ErrorResponse) -> Int64? {
        try optional(name) { value throws(ErrorResponse) in try value.integer(in: range) }
    }

    /// The elements of an array, each read by `read`; none where it is absent.
    func array<Element>(
        _ name: StaticString, _ read: (JSONValue) throws(ErrorResponse) -> Element
    ) throws(ErrorResponse) -> [Element] {
        try optional(name) { value throws(ErrorResponse) in try value.array(read) } ?? []
    }
}

extension JSONValue {
    /// An array's elements, each read by `read`; an error's path begins with `[n]`.
    func array<Element>(_ read: (JSONValue) throws(ErrorResponse) -> Element) throws(ErrorResponse) -> [Element] {
        guard let elements else { throw wrongType("an array") }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            do throws(ErrorResponse) {
                result.append(try read(element))
            } catch {
                throw error.under("[\(result.count)]")
            }
        }
        return result
    }
}
