internal import CSimdJSON

/// Why a text is not JSON as this product takes it: RFC 8259, and no duplicate keys, lone surrogates, numbers beyond a
/// double or nesting beyond the limit. The sender of the text must react.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of fault. Raw values are those of the C parser.
    public enum Reason: UInt32, Sendable, CaseIterable {
        /// Nothing but white space.
        case empty = 1
        /// The text ends inside a value.
        case incomplete
        /// A character where the grammar allows none such.
        case syntax
        /// Something stands behind the value.
        case trailingContent
        /// Arrays and objects are nested too deep.
        case tooDeep
        /// The same key twice in one object.
        case duplicateKey
        /// A backslash in a string followed by what no escape begins with.
        case badEscape
        /// Half of a surrogate pair (`"\ud800"`).
        case loneSurrogate
        /// A control character in a string that is not escaped.
        case controlCharacter
        /// A number that breaks the grammar (`01`, `1.`, `+1`).
        case badNumber
        /// A number that no double can hold (`1e400`).
        case numberOutOfRange
        /// A misspelt `true`, `false` or `null`.
        case badLiteral
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// More bytes than the parser takes.
        case tooLarge
        /// No memory for the parse.
        case outOfMemory
    }

    /// The kind of fault.
    public let reason: Reason
    /// Where the fault is, in bytes from the beginning.
    public let offset: Int

    /// A fault of kind `reason` at byte `offset`.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// A sentence for the sender.
    public var description: String {
        switch reason {
        case .empty: "The JSON text is empty."
        case .incomplete: "The JSON text ends too early: what begins or should stand at byte \(offset) is incomplete."
        case .syntax: "The JSON text breaks the grammar at byte \(offset)."
        case .trailingContent: "Only white space may follow the JSON value, but something else stands at byte \(offset)."
        case .tooDeep: "Arrays and objects are nested more than \(JSONParser.depthMax) deep at byte \(offset)."
        case .duplicateKey: "The key at byte \(offset) stands twice in one object."
        case .badEscape: "The string escape at byte \(offset) is not one that JSON knows."
        case .loneSurrogate: "The escape at byte \(offset) is half of a surrogate pair."
        case .controlCharacter: "The control character at byte \(offset) must be escaped inside a string."
        case .badNumber: "The number at byte \(offset) is not written as JSON writes numbers."
        case .numberOutOfRange: "The number at byte \(offset) is beyond the range of a double."
        case .badLiteral: "The word at byte \(offset) is not true, false or null."
        case .invalidUTF8: "The byte at offset \(offset) is not valid UTF-8."
        case .tooLarge: "The JSON text is larger than \(offset) bytes."
        case .outOfMemory: "There is not enough memory to read the JSON text."
        }
    }
}
