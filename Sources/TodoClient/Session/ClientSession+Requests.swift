internal import Bytes
internal import Todo
public import TodoProtocol

/// Requests. Each answers its id; `result` or `failure` with that id follows.
extension ClientSession {
    /// Asks what the server is.
    public mutating func info(_ workspace: inout ClientWorkspace) -> Int64 {
        request(.plain, &workspace) { RequestEncoder.info(id: $0, into: &$1) }
    }

    /// Makes an account and logs in. Not sent again on a new connection: the name would be taken.
    public mutating func register(username: String, password: String, _ workspace: inout ClientWorkspace) -> Int64 {
        request(.login, isRepeatable: false, &workspace) {
            RequestEncoder.register(id: $0, username: username, password: password, into: &$1)
        }
    }

    /// Logs in.
    public mutating func login(_ login: LoginRequest, _ workspace: inout ClientWorkspace) -> Int64 {
        request(.login, &workspace) { RequestEncoder.login(id: $0, login, into: &$1) }
    }

    /// Ends the token of the connection, or all tokens of the user. The lists are gone with the result.
    public mutating func logout(everywhere: Bool, _ workspace: inout ClientWorkspace) -> Int64 {
        request(.logout, &workspace) { RequestEncoder.logout(id: $0, everywhere: everywhere, into: &$1) }
    }

    /// Starts a live query. Its replica is there from now on.
    public mutating func subscribe(_ params: SubscribeParams, _ workspace: inout ClientWorkspace) -> Int64 {
        let id = request(.subscribe(params), &workspace) { RequestEncoder.subscribe(id: $0, params, into: &$1) }
        if lists[params.name] == nil {
            let replica = Replica(of: params.query.className, isStrict: options.isStrict)
            lists[params.name] = List(params: params, replica: replica, request: id)
        }
        return id
    }

    /// Ends a live query. Its replica is gone with the result.
    public mutating func unsubscribe(_ name: String, _ workspace: inout ClientWorkspace) -> Int64 {
        request(.unsubscribe(name), &workspace) { RequestEncoder.unsubscribe(id: $0, name: name, into: &$1) }
    }

    /// Asks a query once.
    public mutating func query(_ params: QueryParams, _ workspace: inout ClientWorkspace) -> Int64 {
        request(.query(params.query.className), &workspace) { RequestEncoder.query(id: $0, params, into: &$1) }
    }

    /// One transaction. Without a `txn` it is not sent again on a new connection.
    public mutating func write(txn: String?, _ changes: [ChangeSpec], _ workspace: inout ClientWorkspace) -> Int64 {
        request(.plain, isRepeatable: txn != nil, &workspace) { RequestEncoder.write(id: $0, txn: txn, changes: changes, into: &$1) }
    }

    /// Sends a text that is the caller's own, such as a request that this session does not know.
    public mutating func send(_ text: UnsafeRawBufferPointer, _ workspace: inout ClientWorkspace) {
        socket.send(text, &workspace.codec, &workspace.output)
    }

    /// Asks for a sign of life: the server answers with a pong.
    public mutating func ping(_ workspace: inout ClientWorkspace) {
        socket.ping(&workspace.codec, &workspace.output)
    }

    /// Begins to close; `closed` follows when the server has answered.
    public mutating func close(code: UInt16 = 1000, reason: String = "", _ workspace: inout ClientWorkspace) {
        socket.close(code: code, reason: reason, &workspace.codec, &workspace.output)
    }

    mutating func request(
        _ kind: Request.Kind, isRepeatable: Bool = true, _ workspace: inout ClientWorkspace, _ encode: (Int64, inout JSONWriter) -> Void
    ) -> Int64 {
        let id = nextID
        nextID += 1
        workspace.json.removeAll()
        encode(id, &workspace.json)
        let isSentNow = stage == .open || stage == .restoring && kind.isOfRestoring
        let isRepeatable = options.resumes && isRepeatable && !kind.isOfRestoring
        // What waits for the connection is kept in any case, until it is sent.
        let message = isRepeatable || !isSentNow ? workspace.json.bytes.withUnsafeBytes { SharedBytes(copying: $0) } : nil
        requests[id] = Request(kind: kind, message: message, isRepeatable: isRepeatable)
        if isSentNow { workspace.json.bytes.withUnsafeBytes { socket.send($0, &workspace.codec, &workspace.output) } }
        return id
    }
}

extension ClientSession.Request.Kind {
    /// Whether the request is what a new connection begins with.
    var isOfRestoring: Bool {
        switch self {
        case .greeting, .restoring: true
        default: false
        }
    }
}
