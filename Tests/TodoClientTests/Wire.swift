import Bytes
import Testing
import Todo
import TodoClient
import TodoProtocol
import WebSocket

/// A client's session on a wire without sockets: the test plays the server.
///
/// Everything that goes to the client is cut into pieces of `piece` bytes.
final class Wire {
    var session: ClientSession
    var workspace = ClientWorkspace()
    private let piece: Int
    private var parser = HTTPRequestParser()
    private var server = WebSocketConnection(role: .server)
    private var codec = LoopCodec()
    private var isUpgraded = false
    /// Texts that the client has sent and the test has not looked at.
    private var received: [String] = []
    private(set) var closeCode: UInt16?

    init(piece: Int = .max, _ change: (inout ClientSession.Options) -> Void = { _ in }) throws {
        self.piece = piece
        var options = ClientSession.Options()
        change(&options)
        session = try ClientSession(try Endpoint("ws://server:8080"), options: options)
    }

    var login: LoginResult? { session.login }
    var epoch: String? { session.epoch }
    var subprotocol: String? { session.subprotocol }
    var isOpen: Bool { session.isOpen }

    func list(_ name: String) -> Replica? { session.list(name) }

    func rows(_ name: String) -> [Object]? { session.list(name)?.rows }

    /// The connection is gone; answers the requests that are given up.
    func disconnect() -> [Int64] {
        _ = texts()
        return session.disconnected()
    }

    /// A new connection, up to the server's answer to the upgrade.
    func connect() throws -> [SessionEvent] {
        parser = HTTPRequestParser()
        server = WebSocketConnection(role: .server)
        isUpgraded = false
        received = []
        try session.connect(&workspace)
        let request = takeOutput()
        let head: HTTPRequestHead? = request.withUnsafeBytes { bytes in
            if case .head(let head, consumed: bytes.count) = parser.parse(bytes) { head } else { nil }
        }
        let handshake = ServerHandshake(subprotocol: "todosync.v1", origins: .any, deflate: nil)
        guard let head, case .accept(let acceptance) = handshake.answer(head) else { throw NoChange() }
        isUpgraded = true
        return feed(acceptance.response.array)
    }

    /// The server's bytes; answers what they led to.
    func feed(_ bytes: [UInt8]) -> [SessionEvent] {
        var events: [SessionEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var part = Array(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            part.withUnsafeMutableBytes { buffer in
                var input = ClientInput(buffer)
                while let event = session.next(&input, &workspace) { events.append(event) }
            }
            collect()
        }
        return events
    }

    /// A text of the server.
    func say(_ text: String) -> [SessionEvent] {
        var output = ByteWriter()
        server.send(text, &codec, &output)
        return feed(output.finish().array)
    }

    /// A close frame of the server.
    func close(_ code: UInt16, _ reason: String) -> [SessionEvent] {
        var output = ByteWriter()
        server.close(CloseCode(rawValue: code), reason, &codec, &output)
        return feed(output.finish().array)
    }

    /// What the client has sent since the last look.
    func texts() -> [String] {
        collect()
        defer { received = [] }
        return received
    }

    private func takeOutput() -> [UInt8] {
        workspace.output.finish().array
    }

    private func collect() {
        guard isUpgraded else { return }
        var bytes = takeOutput()
        guard !bytes.isEmpty else { return }
        var answers = ByteWriter()
        bytes.withUnsafeMutableBytes { buffer in
            var input = WebSocketInput(buffer)
            while true {
                switch server.next(&input, &codec, &answers) {
                case .needsBytes: return
                case .text(let text): received.append(String(decoding: text, as: UTF8.self))
                case .closed(let closure): closeCode = closure.code.rawValue
                default: break
                }
            }
        }
    }
}

extension SessionEvent {
    /// A word for each, to compare with.
    var word: String {
        switch self {
        case .opened: "opened"
        case .refused(let status, _): "refused \(status)"
        case .result(let id, _): "result \(id)"
        case .failure(let id, let error): "failure \(id.map(String.init) ?? "-") \(error.code)"
        case .initial(let name, let isComplete): "initial \(name) \(isComplete)"
        case .change(let change): "change \(change.version)"
        case .subscriptionEnded(let name, let error): "ended \(name) \(error.code)"
        case .loggedOut(let error): "loggedOut \(error.code)"
        case .violated: "violated"
        case .closed(let code, let reason): "closed \(code) \(reason)"
        }
    }
}
