internal import Bytes
internal import Crypto
public import Todo
public import TodoProtocol
internal import WebSocket

/// A client's session with the server, without a socket, a clock or a thread: bytes in; events and bytes out.
///
/// It makes requests and matches their results, keeps a replica of every list, and outlives its connections: on a new one it logs in
/// with its token, subscribes again from where each list stands (`since`, `epoch`), and sends what was not answered once more.
///
/// A driver calls `connect` when it makes a connection, pulls events with `next` for what it reads, and `disconnected` when the
/// connection is gone; after each call it sends the workspace's `output`.
public struct ClientSession: ~Copyable {
    /// What a session is set to.
    public struct Options: Sendable {
        /// Whether the server is held to every rule of the protocol.
        public var isStrict = true
        /// Whether requests are kept until they are answered, to be sent again on a new connection.
        public var resumes = true
        /// The largest message that is taken.
        public var messageBytesMax = 64 << 20
        /// Whether compression is offered.
        public var compresses = false
        /// Further headers of the upgrade.
        public var headers: [(name: String, value: String)] = []

        /// The options of an application.
        public init() {}
    }

    /// A request that is not answered yet.
    struct Request {
        enum Kind {
            case plain
            /// The first `info` of a connection.
            case greeting
            /// The log-in by token on a new connection.
            case restoring
            case login
            case logout
            case query(ClassName)
            case subscribe(SubscribeParams)
            /// A list of before, on a new connection.
            case resubscribe(String)
            case unsubscribe(String)
        }

        var kind: Kind
        /// The JSON to send on the next connection, `nil` for what can't be sent again.
        var message: SharedBytes?
        /// Whether it may be sent more than once.
        var isRepeatable: Bool
    }

    /// A subscription.
    struct List {
        var params: SubscribeParams
        var replica: Replica
        /// The request that made it, until it is answered.
        var request: Int64?
    }

    enum Stage {
        case idle
        case upgrading
        /// Logging in by token; requests wait.
        case restoring
        case open
        case over
    }

    /// Where the server is.
    public let endpoint: Endpoint
    let options: Options
    var stage = Stage.idle
    var socket: ClientSocket
    var nextID: Int64 = 1
    var requests: [Int64: Request] = [:]
    var lists: [String: List] = [:]
    /// The rest of a batch, its first message last.
    var inbox: [ServerMessage] = []
    /// The highest version that a change of this connection had.
    public internal(set) var version: Int64 = 0
    /// Who is logged in, with the token.
    public internal(set) var login: LoginResult?
    /// The store's history that the lists belong to.
    public internal(set) var epoch: String?
    /// The subprotocol that the server chose.
    public internal(set) var subprotocol: String?

    /// A session that has no connection yet.
    ///
    /// - Throws: where the system gives no random bytes.
    public init(_ endpoint: Endpoint, options: Options = Options()) throws(ClientError) {
        self.endpoint = endpoint
        self.options = options
        socket = try Self.makeSocket(endpoint, options)
    }

    private static func makeSocket(_ endpoint: Endpoint, _ options: Options) throws(ClientError) -> ClientSocket {
        do {
            let handshake = try ClientHandshake(
                host: endpoint.authority, target: endpoint.target, subprotocols: [ProtocolVersion.name],
                deflate: options.compresses ? DeflateOptions() : nil, headers: options.headers)
            return ClientSocket(handshake, messageBytesMax: options.messageBytesMax)
        } catch {
            throw .violation("The upgrade can't be asked for: \(error)")
        }
    }

    /// A connection is being made: asks for the upgrade. `opened` or `refused` follows.
    public mutating func connect(_ workspace: inout ClientWorkspace) throws(ClientError) {
        if stage != .idle { socket = try Self.makeSocket(endpoint, options) }
        stage = .upgrading
        version = 0
        workspace.output.append(socket.request)
    }

    /// The connection is gone. The lists stay as they are.
    ///
    /// - Returns: the requests that will never be answered, as they can't be sent again, ascending.
    public mutating func disconnected() -> [Int64] {
        stage = .over
        inbox.removeAll()
        var lost: [Int64] = []
        for (id, request) in requests {
            switch request.kind {
            case .greeting, .restoring: requests[id] = nil
            case .resubscribe: requests[id] = nil
            default:
                guard request.message == nil else { continue }
                requests[id] = nil
                lost.append(id)
            }
        }
        for name in lists.keys { lists[name]?.replica.suspend() }
        return lost.sorted()
    }

    /// The client's copy of the list of that name, `nil` where it has not subscribed.
    public borrowing func list(_ name: String) -> Replica? { lists[name]?.replica }

    /// Whether requests are sent at once.
    public var isOpen: Bool { stage == .open }

    /// How many requests are not answered.
    public var unansweredCount: Int { requests.count }
}

extension ClientSession: MessageContext {
    /// The class of the subscription of that name.
    public borrowing func className(ofSubscription name: String) -> ClassName? { lists[name]?.replica.className }

    /// The class that the `query` with that id asked for.
    public borrowing func className(ofRequest id: Int64) -> ClassName? {
        if case .query(let className) = requests[id]?.kind { className } else { nil }
    }
}
