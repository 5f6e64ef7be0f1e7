import Bytes
import Network
import TodoProtocol
import TodoSync

/// What the committer asks of one event loop's session port.
enum PortMessage: Sendable {
    /// Send a text message to one session, and say when its socket has taken it if that is asked for.
    case send(SharedBytes, to: ConnectionID, reportsDrained: Bool)
    /// The same with a message that others get too, framed already.
    case sendShared(SharedMessage, to: ConnectionID, reportsDrained: Bool)
    /// So much of what the session has sent no longer waits.
    case worked(ConnectionID, WorkReport)
    /// The session does not take what it is answered.
    case watch(ConnectionID)
}

/// Where a session's messages cross from its event loop to the committer: decoded on the loop, handed over once a turn.
struct SessionPort: SessionHandler, ~Copyable {
    typealias Message = PortMessage

    private let index: Int
    private let committer: Mailbox<CommitterMessage>
    private let stopAccepting: @Sendable () -> Void
    private let reload: @Sendable () -> Void
    private let limits: SyncLimits
    private var decoder: MessageDecoder
    private var pending: [CommitterMessage] = []
    /// Sessions for whose sockets more waits than they are given.
    private var slow: [ConnectionID: OutboundWatch] = [:]

    /// The port of the loop with that number; `stopAccepting`, which refuses new sessions, is called at each signal to end, `reload` at the one that asks to read files again.
    init(
        index: Int, committer: Mailbox<CommitterMessage>, limits: ServerLimits, stopAccepting: @escaping @Sendable () -> Void,
        reload: @escaping @Sendable () -> Void
    ) {
        self.index = index
        self.committer = committer
        self.limits = limits.sync
        decoder = MessageDecoder(limits: limits.messages)
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

    /// Where as many of the session's requests wait as may, nothing more is taken from it until the committer has worked off half of them.
    mutating func received(_ text: UnsafeRawBufferPointer, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) -> Int {
        let incoming = decoder.decode(text)
        let requests = incoming.requestCount
        pending.append(.input(.message(session(id), incoming, bytes: text.count)))
        if let connection = sockets.connections.pointer(to: id) {
            connection.pointee.allowance.take(requests: requests, bytes: text.count)
            if connection.pointee.allowance.isUsedUp(limits) { sockets.hold(id, .isPaused, &loop) }
        }
        return requests
    }

    private mutating func takeBack(_ report: WorkReport, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        connection.pointee.allowance.takeBack(report)
        if connection.pointee.allowance.isHalfFree(limits) { sockets.release(id, .isPaused, &loop) }
    }

    mutating func drained(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        pending.append(.input(.drained(session(id))))
    }

    mutating func emptied(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard let step = slow[id]?.drained(queuedBytes: loop.queuedBytes(for: id)) else { return }
        take(step, id, &sockets, &loop)
    }

    /// The session gets no more changes until its socket has taken what waits; then it gets one merged change. Until then nothing is read from
    /// it either: who asks on and on without reading the answers costs no more than the limit.
    mutating func overflowed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        let step = slow[id, default: OutboundWatch()].overflowed(queuedBytes: loop.queuedBytes(for: id))
        take(step, id, &sockets, &loop)
    }

    /// Only a reader that takes nothing at all is closed.
    mutating func deadlinePassed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard let step = slow[id]?.deadlinePassed(queuedBytes: loop.queuedBytes(for: id)) else { return }
        if step == .goOnWaiting { setStuckDeadline(id, &sockets, &loop) }
        take(step, id, &sockets, &loop)
    }

    private mutating func take(_ step: OutboundWatch.Step, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        switch step {
        case .nothing: break
        case .fellBehind:
            loop.notifyWhenEmpty(id)
            sockets.hold(id, .isFull, &loop)
            setStuckDeadline(id, &sockets, &loop)
            pending.append(.input(.fellBehind(session(id))))
        case .caughtUp:
            slow[id] = nil
            sockets.release(id, .isFull, &loop)
            pending.append(.input(.caughtUp(session(id))))
        case .goOnWaiting: loop.notifyWhenEmpty(id)
        case .stuck:
            pending.append(.input(.stuck(session(id), seconds: Int(sockets.limits.stuckMilliseconds / 1_000))))
            sockets.closeTooSlow(id, &loop)
        }
    }

    private func setStuckDeadline(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        sockets.setDeadline(loop.now.advanced(milliseconds: sockets.limits.stuckMilliseconds), for: id, &loop)
    }

    mutating func closed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        slow[id] = nil
        pending.append(.input(.closed(session(id))))
    }

    mutating func posted(_ message: PortMessage, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        switch message {
        case .send(let text, let id, let reportsDrained):
            text.withUnsafeBytes { sockets.send(text: $0, to: id, &loop) }
            if reportsDrained { loop.notifyWhenDrained(id) }
        case .sendShared(let message, let id, let reportsDrained):
            sockets.send(message, to: id, &loop)
            if reportsDrained { loop.notifyWhenDrained(id) }
        case .worked(let id, let report): takeBack(report, id, &sockets, &loop)
        case .watch(let id): overflowed(id, &sockets, &loop)
        }
    }

    mutating func signalled(_ signal: ProcessSignal, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard signal != .hangUp else { return reload() }
        stopAccepting()
        pending.append(.shutDown)
    }

    mutating func turnEnding(_ sockets: inout Sockets, _ loop: inout EventLoop) {
        guard !pending.isEmpty else { return }
        _ = committer.post(contentsOf: pending, isUrgent: pending.contains(where: \.isUrgent))
        pending.removeAll(keepingCapacity: true)
    }
}
