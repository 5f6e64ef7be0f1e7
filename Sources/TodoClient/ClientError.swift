public import Network
public import TodoProtocol

/// Why something that a client was asked for did not come about.
public enum ClientError: Error, Sendable, Equatable {
    /// The URL can't be used; the sentence says what would be right.
    case badURL(String)
    /// The server can't be reached.
    case cannotConnect(SystemError)
    /// The encryption failed, in words: a certificate that is not trusted or is for another name, no common version, damaged data.
    case insecure(String)
    /// The server answered the upgrade with that HTTP status instead of 101, or in a way that is no answer (status 0).
    case refused(status: Int, String)
    /// The server refused the request.
    case server(ServerError)
    /// The connection was closed with that code (RFC 6455 §7.4) and is not made again.
    case closed(code: UInt16, reason: String)
    /// The server broke the protocol; the sentence says how.
    case violation(String)
    /// The client itself was closed before.
    case ended
    /// Nothing came in time.
    case timedOut
}

extension ClientError {
    /// The number of the server's error, `nil` for other failures.
    public var code: Int? {
        if case .server(let error) = self { error.code } else { nil }
    }

    /// The stable word of the server's error.
    public var reason: String? {
        if case .server(let error) = self { error.reason } else { nil }
    }

    /// The place in the request that the server's error names.
    public var path: String? {
        if case .server(let error) = self { error.path } else { nil }
    }
}

extension ClientError: CustomStringConvertible {
    /// The failure in a sentence or two.
    public var description: String {
        switch self {
        case .badURL(let sentence): sentence
        case .cannotConnect(let error): error.description
        case .insecure(let sentence): "The encrypted connection failed: \(sentence)"
        case .refused(let status, let sentence): status == 0 ? sentence : "The server answered with HTTP status \(status): \(sentence)"
        case .server(let error): error.path.map { "\(error.message) (\($0), \(error.code))" } ?? "\(error.message) (\(error.code))"
        case .closed(let code, let reason):
            reason.isEmpty ? "The connection was closed: \(code)" : "The connection was closed: \(code) \(reason)"
        case .violation(let sentence): "The server broke the protocol: \(sentence)"
        case .ended: "The client was closed."
        case .timedOut: "Nothing came in time."
        }
    }
}
