import Bytes
import Network
import TodoProtocol
import TodoSync

/// What the committer asks of one event loop's session port.
enum PortMessage: Sendable {
    /// Send a text message to one session, and say when its socket has taken it if that is asked for.
    case send(SharedBytes, to: ConnectionID, reportsDrained: Bool)
    /// Read nothing more from the session for now.
    case pause(ConnectionID)
    /// Read from the session again.
    case resume(ConnectionID)
}

/// Where a session's messages cross from its event loop to the committer: decoded on the loop, handed over once a turn.
struct SessionPort: SessionHandler, ~Copyable {
    typealias Message = PortMessage

    private let index: Int
    private let committer: Mailbox<CommitterMessage>
    private let stopAccepting: @Sendable () -> Void
    private let reload: @Sendable () -> Void
    private var decoder = MessageDecoder()
    private var pending: [CommitterMessage] = []

    /// The port of the loop with that number; `stopAccepting` is called at the first signal to end, `reload` at the one that asks to read files again.
    init(
        index: Int, committer: Mailbox<CommitterMessage>, stopAccepting: @escaping @Sendable () -> Void,
        reload: @escaping @Sendable () -> Void
    ) {
        self.index = index
        self.committer = committer
        self.stopAccepting = stopAccepting
        self.reload = reload
    }

    private func session(_ id: ConnectionID) -> SessionID {
        SessionID(loop: index, connection: id.bits)
    }

    mutating func opened(_ id: ConnectionID, _ client: ClientInfo, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        let userAgent = client.userAgent.isEmpty ? nil : client.userAgent
        pending.append(.input(.opened(session(id), Peer(address: client.address, userAgent: userAgent))))
    }

    mutating func received(_ text: UnsafeRawBufferPointer, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        pending.append(.input(.message(session(id), decoder.decode(text))))
    }

    mutating func drained(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        pending.append(.input(.drained(session(id))))
    }

    mutating func closed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        pending.append(.input(.closed(session(id))))
    }

    mutating func posted(_ message: PortMessage, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        switch message {
        case .send(let text, let id, let reportsDrained):
            text.withUnsafeBytes { sockets.send(text: $0, to: id, &loop) }
            if reportsDrained { loop.notifyWhenDrained(id) }
        case .pause(let id): loop.pauseReading(id)
        case .resume(let id): loop.resumeReading(id)
        }
    }

    mutating func signalled(_ signal: ProcessSignal, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard signal != .hangUp else { return reload() }
        stopAccepting()
        pending.append(.shutDown)
    }

    mutating func turnEnding(_ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard !pending.isEmpty else { return }
        _ = committer.post(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
    }
}
