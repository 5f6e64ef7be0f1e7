internal import COpenSSL

/// A cryptographic operation that OpenSSL could not do. The operator must react: memory, or a build without the algorithm.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done.
    public let operation: String
    /// What OpenSSL says about it.
    public let detail: String

    /// An error with OpenSSL's newest message of this thread; older ones of the same failure are dropped.
    init(_ operation: String) {
        self.operation = operation
        let code = ERR_get_error()
        ERR_clear_error()
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        detail = code == 0 ? "no further detail" : String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A sentence for the log.
    public var description: String { "\(operation) failed: \(detail)" }
}
