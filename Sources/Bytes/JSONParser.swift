public import CSimdJSON

/// Parses JSON: one a thread, used again and again.
///
/// The whole text is checked before any of it is seen, so what a `JSONValue` yields needs no further check of form.
public struct JSONParser: ~Copyable {
    /// How deep arrays and objects may be nested.
    public static let depthMax = 64

    @usableFromInline let parser: OpaquePointer

    /// A parser with small buffers; they grow with the documents, and large ones are given back by the next small document.
    public init() {
        guard let parser = json_parser_create() else { preconditionFailure("there is no memory for a JSON parser") }
        self.parser = parser
    }

    deinit {
        json_parser_destroy(parser)
    }

    /// Parses `bytes` and lends the outcome to `body`. The root and every value reached from it are valid during the call only.
    ///
    /// The bytes are copied first, so they need no padding and may change meanwhile.
    @inlinable public mutating func parse<Result: ~Copyable, Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, _ body: (Swift.Result<JSONValue, JSONError>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = json_parse(parser, bytes.baseAddress, bytes.count, UInt32(JSONParser.depthMax))
        guard outcome.code == 0, let nodes = json_nodes(parser), let text = json_bytes(parser) else {
            return try body(.failure(JSONError(JSONError.Reason(rawValue: outcome.code) ?? .syntax, at: Int(outcome.offset))))
        }
        return try body(.success(JSONValue(node: nodes, bytes: UnsafeRawPointer(text))))
    }

    /// Parses `bytes` and lends the root to `body`; for where a fault in the text is thrown on like any other error.
    @inlinable public mutating func read<Result: ~Copyable>(
        _ bytes: UnsafeRawBufferPointer, _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        try parse(bytes) { outcome throws(any Error) in try body(try outcome.get()) }
    }

    /// Parses a text and lends the root to `body`.
    @inlinable public mutating func read<Result>(
        _ text: String, _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        var text = text
        return try text.withUTF8 { try read(UnsafeRawBufferPointer($0), body) }
    }
}
