internal import Network
public import Todo
public import TodoProtocol

/// A client of a TodoSync server: logs in, keeps live lists, writes transactions, and makes a lost connection again by itself.
///
/// After a reconnect it is logged in with its token, its lists go on from where they were, and writes that were not answered are sent again under
/// the same `txn`, so that each is applied once. All methods may be called from anywhere.
public final class TodoClient: Sendable {
    private let core: ClientCore

    private init(_ core: ClientCore) {
        self.core = core
    }

    deinit {
        // Nobody can close it any more. A thread that does not run has no connection either.
        try? ClientLoop.post(.close(core, nil))
    }

    /// Connects.
    ///
    /// Over `wss://` the server's certificate must be for the name in the URL, and vouched for by an authority of the system or of
    /// `options.authorityFile`.
    ///
    /// - Parameter url: such as `ws://127.0.0.1:8080/sync` or `wss://todo.example/sync`.
    /// - Returns: the client, once the connection is there. The first connection is tried once; only later ones are made again.
    public static func connect(_ url: String, options: ClientOptions = ClientOptions()) async throws(ClientError) -> TodoClient {
        let endpoint = try Endpoint.parse(url)
        let context = try Trust.context(for: endpoint, authorityFile: options.authorityFile)
        let addresses = try await Resolver.resolve(host: endpoint.host, port: endpoint.port)
        guard !addresses.isEmpty else { throw .badURL("The host \(endpoint.host) has no address.") }
        let core = ClientCore(endpoint: endpoint, addresses: addresses, options: options, context: context)
        switch ClientLoop.shared {
        case .failure(let error): throw .cannotConnect(error)
        case .success(let loop):
            let error = await withCheckedContinuation { loop.mailbox.post(.open(core, $0)) }
            if let error { throw error }
            return TodoClient(core)
        }
    }

    /// Who is logged in, with the token; `nil` where nobody is.
    public var user: LoginResult? { core.user }

    /// Where the connection stands.
    public var state: ConnectionState { core.connection }

    /// The states of the connection, the present one first. Ends when the client is closed.
    public var states: AsyncStream<ConnectionState> { core.observe() }

    /// Closes the connection (1000) and ends all lists. Returns when that is done.
    public func close() async {
        guard case .success(let loop) = ClientLoop.shared else { return }
        await withCheckedContinuation { loop.mailbox.post(.close(core, $0)) }
    }

    /// Cuts the connection as a broken network would: the client makes another.
    public func dropConnection() throws(ClientError) {
        try ClientLoop.post(.drop(core))
    }
}

/// Requests.
extension TodoClient {
    /// Asks what the server is.
    public func info() async throws(ClientError) -> ServerInfo {
        guard case .result(.info(let info)) = try await request(.info) else { throw Self.misanswered("info") }
        return info
    }

    /// Makes an account and logs in.
    @discardableResult
    public func register(username: String, password: String) async throws(ClientError) -> LoginResult {
        try await login(by: .register(username: username, password: password))
    }

    /// Logs in.
    @discardableResult
    public func login(_ login: LoginRequest) async throws(ClientError) -> LoginResult {
        try await self.login(by: .login(login))
    }

    private func login(by request: ClientRequest) async throws(ClientError) -> LoginResult {
        guard case .result(.login(let login)) = try await self.request(request) else { throw Self.misanswered("login") }
        return login
    }

    /// Ends the token of this client, or all tokens of the user. All lists end.
    public func logout(everywhere: Bool = false) async throws(ClientError) {
        _ = try await request(.logout(everywhere: everywhere))
    }

    /// Subscribes to a live query.
    ///
    /// - Parameters:
    ///   - name: unique in this client. The same name and query again gives the same list.
    ///   - update: whether another query of that name is replaced.
    /// - Returns: the list, whose rows arrive from now on: `waitUntilComplete` waits for all of them.
    public func subscribe(
        _ name: String, to className: ClassName, filter: String? = nil, args: [Argument] = [], sort: [String] = [], limit: Int? = nil,
        update: Bool = false
    ) async throws(ClientError) -> LiveResults {
        let query = QueryText(className, filter: filter, args: args, sort: sort, limit: limit)
        guard case .list(let list) = try await request(.subscribe(SubscribeParams(name, to: query, update: update))) else {
            throw Self.misanswered("subscribe")
        }
        return list
    }

    /// Ends a live query; its list ends and keeps its rows.
    public func unsubscribe(_ name: String) async throws(ClientError) {
        _ = try await request(.unsubscribe(name))
    }

    /// Asks a query once.
    ///
    /// - Returns: the objects, and the store's version that they reflect.
    public func query(
        _ className: ClassName, filter: String? = nil, args: [Argument] = [], sort: [String] = [], limit: Int? = nil, offset: Int? = nil
    ) async throws(ClientError) -> (version: Int64, objects: [Object]) {
        let query = QueryText(className, filter: filter, args: args, sort: sort, limit: limit)
        guard case .result(.query(let version, let objects)) = try await request(.query(QueryParams(query, offset: offset))) else {
            throw Self.misanswered("query")
        }
        return (version, objects)
    }

    /// Writes one transaction. When this returns, it is durable, and this client's lists show it.
    ///
    /// - Parameters:
    ///   - txn: the transaction's own id, under which it is applied once; a random one if none is given.
    ///   - body: puts the entries together.
    @discardableResult
    public func write(txn: String? = nil, _ body: (inout WriteBuilder) -> Void) async throws(ClientError) -> WriteResult {
        var builder = WriteBuilder()
        body(&builder)
        return try await write(txn: txn, builder.changes)
    }

    /// Writes one transaction of those entries.
    @discardableResult
    public func write(txn: String? = nil, _ changes: [ChangeSpec]) async throws(ClientError) -> WriteResult {
        let answer = try await request(.write(txn: txn ?? RandomIdentifier.make(), changes))
        guard case .result(.write(let version, let ids, let isDuplicate)) = answer else { throw Self.misanswered("write") }
        return WriteResult(version: version, ids: ids, isDuplicate: isDuplicate)
    }

    private func request(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
        switch ClientLoop.shared {
        case .failure(let error): throw .cannotConnect(error)
        case .success(let loop):
            let outcome = await withCheckedContinuation { loop.mailbox.post(.request(core, request, $0)) }
            return try outcome.get()
        }
    }

    private static func misanswered(_ method: String) -> ClientError {
        .violation("The answer to '\(method)' is not one of its kind.")
    }
}
