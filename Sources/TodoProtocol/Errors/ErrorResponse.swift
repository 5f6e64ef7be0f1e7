public import Todo

/// What a JSON-RPC `error` says: a number and a sentence, and in `data` what a program can act on.
public struct ErrorResponse: Error, Sendable, Hashable {
    /// `error.code`.
    public let code: ErrorCode
    /// `error.message`, a sentence that a person can act on.
    public let message: String
    /// `data.reason`, one of the words of `Reason`.
    public let reason: String
    /// `data.path`, the offending place, such as `changes[3].set.dueDate`.
    public var path: String?
    /// `data.position`: bytes from 0, of the filter text, or of the message where it is not JSON.
    public var position: Int?
    /// `data.expected`: what should stand at `position`.
    public var expected: String?
    /// `data.limit`, the name of the limit that was exceeded.
    public var limit: String?
    /// `data.maximum`, the value of that limit.
    public var maximum: Int?
    /// `data.retryAfter`, in seconds.
    public var retryAfter: Int?

    /// An error with that number, word and sentence.
    public init(_ code: ErrorCode, _ reason: Reason, _ message: String, path: String? = nil) {
        self.init(code, reason: reason.rawValue, message, path: path)
    }

    private init(_ code: ErrorCode, reason: String, _ message: String, path: String?) {
        self.code = code
        self.reason = reason
        self.message = message
        self.path = path
    }

    /// What the domain refused.
    public init(_ refusal: Refusal) {
        let code: ErrorCode =
            switch refusal.kind {
            case .invalid: .invalidParams
            case .notPermitted: .notPermitted
            case .notFound: .notFound
            case .conflict: .conflict
            case .limit: .limit
            }
        self.init(code, reason: refusal.reason, refusal.message, path: refusal.path)
        position = refusal.position
        expected = refusal.expected
        if case .limit(let name, let maximum) = refusal.kind {
            limit = name
            self.maximum = maximum
        }
    }

    /// The same error with its path put behind a prefix: `set.body` becomes `changes[2].set.body`.
    public func under(_ prefix: String) -> ErrorResponse {
        var copy = self
        if let path { copy.path = path.hasPrefix("[") ? prefix + path : prefix + "." + path } else { copy.path = prefix }
        return copy
    }
}
