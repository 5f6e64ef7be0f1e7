internal import Bytes
internal import Network
internal import TodoProtocol

/// What is posted to the clients' thread.
enum ClientCommand: Sendable {
    /// A client wants its first connection.
    case open(ClientCore, CheckedContinuation<ClientError?, Never>)
    /// A client wants something of its server.
    case request(ClientCore, ClientRequest, CheckedContinuation<Result<ClientAnswer, ClientError>, Never>)
    /// A client is closed; answered when the connection is gone.
    case close(ClientCore, CheckedContinuation<Void, Never>?)
    /// The connection of a client is cut.
    case drop(ClientCore)
    /// A raw connection is made.
    case openRaw(RawCore, [SocketAddress])
    /// Something is sent on a raw connection.
    case raw(RawCore, RawAction)
}

/// A request of a client.
enum ClientRequest: Sendable {
    case info
    case register(username: String, password: String)
    case login(LoginRequest)
    case logout(everywhere: Bool)
    case subscribe(SubscribeParams)
    case unsubscribe(String)
    case query(QueryParams)
    case write(txn: String, [ChangeSpec])
}

/// What a request came to.
enum ClientAnswer: Sendable {
    case result(ServerResult)
    case list(LiveResults)
}
