/// The numbers of `error.code`.
public enum ErrorCode: Int, CaseIterable, Sendable {
    /// The message is not JSON (JSON-RPC 2.0 §5.1).
    case parse = -32700
    /// The JSON is not a JSON-RPC request.
    case invalidRequest = -32600
    /// There is no such method.
    case unknownMethod = -32601
    /// The parameters are not what the method takes.
    case invalidParams = -32602
    /// The server failed; the log says why.
    case internalError = -32603
    /// The method needs a log-in.
    case notLoggedIn = -32001
    /// The caller may not do that.
    case notPermitted = -32002
    /// No such object, or one that the caller may not see.
    case notFound = -32003
    /// A precondition did not hold, or the id exists already.
    case conflict = -32004
    /// A limit was exceeded; `data.limit` names it.
    case limit = -32005
    /// Too many requests; `data.retryAfter` says when to come back.
    case tooManyRequests = -32006
    /// The store can't take the write now; nothing was written.
    case unavailable = -32007
    /// Wrong credentials, or a provider that is not enabled.
    case wrongCredentials = -32008
    /// The token has expired or was revoked.
    case tokenExpired = -32009
}
