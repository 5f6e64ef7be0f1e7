/// What one text message of a client says.
public enum Incoming: Sendable {
    /// One request.
    case single(Request)
    /// A batch: at least one request. Its answers go out as one array, in a message of their own.
    case batch([Request])
    /// No request could be made out; answer once, with `id: null`.
    case refused(ErrorResponse)

    /// How many answers it asks for at most.
    public var requestCount: Int {
        if case .batch(let requests) = self { requests.count } else { 1 }
    }

    /// One request, or what stood in the place of one.
    public struct Request: Sendable {
        /// The id to answer with.
        public let id: RequestID
        /// What is asked.
        public let body: Body
    }

    /// What a request asks, as far as it can be told without knowing the session.
    public enum Body: Sendable {
        /// Not a request (-32600). Always answered: the id is never absent then.
        case invalid(ErrorResponse)
        /// There is no such method (-32601).
        case unknownMethod(String)
        /// The parameters are bad (-32602) or too many (-32005). Kept apart, because the log-in is checked before them.
        case badParams(Method, ErrorResponse)
        /// A well-formed call.
        case call(Call)
    }
}
