internal import Network
internal import TodoProtocol

/// One client on the clients' thread: its session, and who waits for what. Belongs to that thread.
final class ClientConnection {
    let core: ClientCore
    var session: ClientSession
    /// Its present connection.
    var id: ConnectionID?
    /// Who waits for the first connection.
    var opening: CheckedContinuation<ClientError?, Never>?
    /// Who waits until the client is closed.
    var closing: [CheckedContinuation<Void, Never>] = []
    var isClosing = false
    /// Requests whose answers are waited for.
    var replies: [Int64: CheckedContinuation<Result<ClientAnswer, ClientError>, Never>] = [:]
    var results: [String: LiveResults] = [:]
    /// Why the connection ends, as far as it is known before it does.
    var end: ClientError?
    /// When the next connection is made.
    var retry: Instant?
    var backoff: Backoff
    var attempts = 0
    var hasPinged = false

    init(_ core: ClientCore, opening: CheckedContinuation<ClientError?, Never>) throws(ClientError) {
        self.core = core
        self.opening = opening
        backoff = core.options.backoff
        var options = ClientSession.Options()
        options.isStrict = core.options.isStrict
        options.compresses = core.options.compresses
        options.headers = core.options.headers
        session = try ClientSession(core.endpoint, options: options)
    }

    /// The addresses of a host are tried in turn.
    var nextAddress: SocketAddress {
        attempts += 1
        return core.addresses[(attempts - 1) % core.addresses.count]
    }

    func answer(_ request: Int64, _ outcome: Result<ClientAnswer, ClientError>) {
        replies.removeValue(forKey: request)?.resume(returning: outcome)
    }

    /// The client is done: everybody who waits is told.
    func finish(_ error: ClientError) {
        core.user = nil
        core.set(.closed(error))
        opening?.resume(returning: error)
        opening = nil
        for reply in replies.values { reply.resume(returning: .failure(error)) }
        replies = [:]
        for list in results.values { list.end(error) }
        results = [:]
        for waiting in closing { waiting.resume() }
        closing = []
    }
}
