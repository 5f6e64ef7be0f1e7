import Bytes
import TestSupport
import Todo
import TodoProtocol
import TodoStore
import TodoSync
import WebSocket

/// The server's own end of one connection: the upgrade, the frames, and what waits for the socket.
final class ServerEnd {
    /// A frame that waits, and whether somebody wants to know when its last byte has gone.
    struct Segment {
        let bytes: SharedBytes
        var start = 0
        var isMarked: Bool
    }

    let link: Link
    let id: SessionID
    var parser: HTTPRequestParser? = HTTPRequestParser()
    var webSocket: WebSocketConnection?
    var queue: [Segment] = []
    var watch = OutboundWatch()
    var allowance = RequestAllowance()
    /// As much of what came waits as may: nothing is taken from the network, nor from what came already.
    var isPaused = false
    var unread: [UInt8] = []
    /// Somebody wants to know when nothing is queued.
    var tellsEmpty = false
    /// A close frame is queued: nothing more is taken from the client.
    var isClosing = false

    init(_ link: Link) {
        self.link = link
        id = SessionID(loop: Int(link.number % 2), connection: link.number)
    }

    var queuedBytes: Int { queue.reduce(0) { $0 + $1.bytes.count - $1.start } }
    /// What waits behind the piece that is on its way.
    var backlog: Int { queuedBytes - (queue.first.map { $0.bytes.count - $0.start } ?? 0) }
}

/// One life of the server's process, from a start to a crash: the real session layer over a real store, and in the place of the event loops
/// and their sockets the simulated network.
final class SimulatedServer {
    let store: SimulatedStore
    let hub: Hub
    let jobs = HeldJobs()
    private(set) var ends: [UInt64: ServerEnd] = [:]
    /// What the next turn takes.
    private(set) var pending: [Input] = []
    private let outboundBytesMax: Int
    private let limits: SyncLimits
    private let trace: (String, String) -> Void
    private var decoder = MessageDecoder()
    private var codec = LoopCodec()
    private var output = ByteWriter()
    private let handshake = ServerHandshake(subprotocol: "todosync.v1", origins: .any, deflate: nil)
    /// Connections of which the network has to hear something.
    private(set) var news: [News] = []

    enum News {
        /// Bytes were put on their way to the client.
        case wrote(Link)
        /// Look again after the time in which a slow reader has to take something.
        case watch(UInt64)
        /// The server reads from it again.
        case resumed(Link)
    }

    init(
        _ store: SimulatedStore, _ settings: SyncSettings, outboundBytesMax: Int, at moment: Moment,
        trace: @escaping (String, String) -> Void
    ) {
        self.trace = trace
        self.store = store
        self.outboundBytesMax = outboundBytesMax
        limits = settings.limits
        hub = Hub(store: store, settings: settings, loops: 2, jobs: jobs, log: .none, moment: moment)
    }

    /// Whether a turn of the committer is due.
    var needsTurn: Bool { !pending.isEmpty || hub.hasWork }
    var isIdle: Bool { !needsTurn && jobs.isEmpty && ends.values.allSatisfy { $0.queue.isEmpty && !$0.isPaused } }

    func takeNews() -> [News] {
        defer { news = [] }
        return news
    }

    // MARK: The network's side

    func accept(_ link: Link) { ends[link.number] = ServerEnd(link) }

    func lost(_ link: Link) {
        guard let end = ends.removeValue(forKey: link.number) else { return }
        if end.webSocket != nil, !end.isClosing { pending.append(.closed(end.id)) }
    }

    func receive(_ bytes: [UInt8], on link: Link) throws {
        guard let end = ends[link.number], !end.isClosing else { return }
        var bytes = bytes
        try bytes.withUnsafeMutableBytes { buffer in
            var frames = buffer
            if end.webSocket == nil {
                guard let consumed = try upgrade(UnsafeRawBufferPointer(buffer), end) else { return }
                frames = UnsafeMutableRawBufferPointer(rebasing: buffer[consumed...])
            }
            try read(frames, end)
        }
        flush(end)
    }

    /// How many bytes the head took, `nil` while it is not complete.
    private func upgrade(_ bytes: UnsafeRawBufferPointer, _ end: ServerEnd) throws -> Int? {
        switch end.parser?.parse(bytes) {
        case .head(let head, let consumed):
            guard case .accept(let acceptance) = handshake.answer(head) else { throw Fault("the upgrade was refused") }
            end.parser = nil
            end.webSocket = WebSocketConnection(role: .server, options: .init(messageBytesMax: 1 << 20, isTextOnly: true))
            end.queue.append(ServerEnd.Segment(bytes: acceptance.response, isMarked: false))
            pending.append(.opened(end.id, Peer(address: "simulated", userAgent: nil)))
            return consumed
        case .refused(let fault): throw Fault("the head was refused: \(fault)")
        default: return nil
        }
    }

    private func read(_ bytes: UnsafeMutableRawBufferPointer, _ end: ServerEnd) throws {
        var input = WebSocketInput(bytes)
        while true {
            switch end.webSocket?.next(&input, &codec, &output) ?? .needsBytes {
            case .needsBytes: return enqueueOutput(end)
            case .text(let text):
                let incoming = decoder.decode(text)
                pending.append(.message(end.id, incoming, bytes: text.count))
                end.allowance.take(requests: incoming.requestCount, bytes: text.count)
                guard end.allowance.isUsedUp(limits) else { break }
                trace("pause", "\(end.link.number)")
                end.isPaused = true
                end.unread = Array(bytes[(bytes.count - input.count)...])
                return enqueueOutput(end)
            case .closed: finish(end)
            case .failed(let fault): throw Fault("the client broke the framing: \(fault)")
            case .binary, .ping, .pong: break
            }
        }
    }

    private func enqueueOutput(_ end: ServerEnd) {
        if !output.isEmpty { end.queue.append(ServerEnd.Segment(bytes: output.finish(), isMarked: false)) }
    }

    /// The session is over; what is queued still goes out.
    private func finish(_ end: ServerEnd) {
        enqueueOutput(end)
        guard !end.isClosing else { return }
        end.isClosing = true
        pending.append(.closed(end.id))
    }

    // MARK: Turns

    /// One turn of the committer: all that waits, then what follows from it.
    ///
    /// - Returns: whether the process lives.
    func turn(at moment: Moment) throws -> Bool {
        let inputs = pending
        pending = []
        hub.process(inputs, at: moment)
        return try deliver()
    }

    func tick(at moment: Moment) throws -> Bool {
        hub.tick(at: moment)
        return try deliver()
    }

    func runJob() {
        if let job = jobs.takeFirst() { pending.append(.finished(job())) }
    }

    private func deliver() throws -> Bool {
        // What a process that died would have sent, it has not.
        guard !store.hasCrashed else { return false }
        for loop in 0..<2 {
            for delivery in hub.takeDeliveries(loop: loop) { try hand(delivery) }
        }
        for number in ends.keys.sorted() { ends[number].map(flush) }
        return true
    }

    private func hand(_ delivery: Delivery) throws {
        switch delivery {
        case .broadcast(let text, let connections):
            let frame = text.withUnsafeBytes { SharedFrame.text($0) }
            for connection in connections {
                guard let end = ends[connection], !end.isClosing else { continue }
                end.queue.append(ServerEnd.Segment(bytes: frame, isMarked: false))
            }
        case .message(let text, let connection, let reportsDrained, _):
            guard let end = ends[connection], !end.isClosing else { return }
            text.withUnsafeBytes { _ = end.webSocket?.send(.text, $0, &codec, &output) }
            enqueueOutput(end)
            if reportsDrained { mark(end) }
        case .framed: preconditionFailure("no job frames anything here")
        case .worked(let connection, let report):
            guard let end = ends[connection], !end.isClosing else { return }
            end.allowance.takeBack(report)
            if end.isPaused, end.allowance.isHalfFree(limits) { try resume(end) }
        case .watch(let connection):
            guard let end = ends[connection], !end.isClosing else { return }
            take(end.watch.overflowed(queuedBytes: end.queuedBytes), end)
        case .close(let connection, let code, let reason):
            guard let end = ends[connection], !end.isClosing else { return }
            end.webSocket?.close(CloseCode(rawValue: code), reason, &codec, &output)
            finish(end)
        }
    }

    // MARK: Back-pressure

    /// Takes what came already, then what the network has.
    private func resume(_ end: ServerEnd) throws {
        end.isPaused = false
        var rest = end.unread
        end.unread = []
        try rest.withUnsafeMutableBytes { try read($0, end) }
        if !end.isPaused { news.append(.resumed(end.link)) }
    }

    private func mark(_ end: ServerEnd) {
        if end.queue.isEmpty { drained(end) } else { end.queue[end.queue.count - 1].isMarked = true }
    }

    /// Writes what the socket takes.
    func flush(_ end: ServerEnd) {
        let pipe = end.link.toClient
        var marks = 0
        while !end.queue.isEmpty, pipe.room > 0 {
            let segment = end.queue[0]
            let size = min(pipe.room, segment.bytes.count - segment.start)
            pipe.write(segment.bytes.array[segment.start..<(segment.start + size)])
            end.queue[0].start += size
            guard end.queue[0].start == segment.bytes.count else { continue }
            if segment.isMarked { marks += 1 }
            end.queue.removeFirst()
        }
        news.append(.wrote(end.link))
        for _ in 0..<marks { drained(end) }
        if end.queue.isEmpty, end.tellsEmpty { emptied(end) }
        if end.isClosing {
            if end.queue.isEmpty { pipe.isEnded = true }
        } else if end.backlog > outboundBytesMax {
            take(end.watch.overflowed(queuedBytes: end.queuedBytes), end)
        }
    }

    private func drained(_ end: ServerEnd) {
        guard !end.isClosing else { return }
        pending.append(.drained(end.id))
    }

    private func notifyWhenEmpty(_ end: ServerEnd) {
        end.tellsEmpty = true
        if end.queue.isEmpty { emptied(end) }
    }

    private func emptied(_ end: ServerEnd) {
        end.tellsEmpty = false
        guard !end.isClosing else { return }
        take(end.watch.drained(queuedBytes: end.queuedBytes), end)
    }

    /// The time in which a slow reader had to take something is over.
    func deadlinePassed(_ number: UInt64) {
        guard let end = ends[number], !end.isClosing else { return }
        let step = end.watch.deadlinePassed(queuedBytes: end.queuedBytes)
        if step == .goOnWaiting { news.append(.watch(number)) }
        take(step, end)
        flush(end)
    }

    private func take(_ step: OutboundWatch.Step, _ end: ServerEnd) {
        switch step {
        case .nothing: break
        case .fellBehind:
            trace("slow reader", "\(end.link.number)")
            news.append(.watch(end.link.number))
            pending.append(.fellBehind(end.id))
            notifyWhenEmpty(end)
        case .caughtUp:
            trace("caught up", "\(end.link.number)")
            pending.append(.caughtUp(end.id))
        case .goOnWaiting: notifyWhenEmpty(end)
        case .stuck:
            pending.append(.stuck(end.id, seconds: 30))
            // Whole frames only: the rest of one that has begun still goes.
            end.queue.removeAll { $0.start == 0 }
            end.webSocket?.close(CloseCode(rawValue: 4003), "too slow to be kept", &codec, &output)
            finish(end)
        }
    }
}
