import Synchronization

/// What all loops and the committer tell `/readyz` and `/metrics`: read and written on any thread.
final class ServerStatus: Sendable {
    /// Whether the store is reachable.
    let isStoreReachable = Atomic(true)
    /// Whether the server is going away: it takes no new work.
    let isDraining = Atomic(false)
    /// Connections, on any loop, that are on their way out: their last words are being written, or the peer's end is waited for.
    let endingConnections = Atomic(0)
    /// Open sessions, on any loop, that take compressed messages: without one, no broadcast is compressed.
    let deflatingSessions = Atomic(0)
    /// Messages that were compressed once for all the sessions they go to.
    let broadcastsCompressed = Atomic(0)
    /// One entry a loop.
    let loops: [LoopCounters]
    /// The figures of the layers above, asked for when `/metrics` is.
    private let furtherMetrics: @Sendable () -> [Metric]

    /// The status of a server with so many loops.
    init(loops: Int, furtherMetrics: @escaping @Sendable () -> [Metric] = { [] }) {
        self.loops = (0..<loops).map { _ in LoopCounters() }
        self.furtherMetrics = furtherMetrics
    }

    /// Whether new sessions should be sent here.
    var isReady: Bool {
        isStoreReachable.load(ordering: .relaxed) && !isDraining.load(ordering: .relaxed)
    }

    /// Whether no session is left, and nobody is on the way out: what the end of the server waits for.
    var isDrained: Bool {
        endingConnections.load(ordering: .relaxed) == 0 && loops.allSatisfy { $0.sessions.load(ordering: .relaxed) == 0 }
    }

    /// All figures.
    func metrics() -> [Metric] {
        func sum(_ part: (LoopCounters) -> Int) -> Int { loops.reduce(0) { $0 + part($1) } }
        return [
            Metric("connections", .gauge, sum { $0.connections.load(ordering: .relaxed) }, help: "Open connections."),
            Metric("sessions", .gauge, sum { $0.sessions.load(ordering: .relaxed) }, help: "Open WebSocket sessions."),
            Metric("sessions_total", .counter, sum { $0.sessionsTotal.load(ordering: .relaxed) }, help: "WebSocket sessions opened."),
            Metric(
                "http_requests_total", .counter, sum { $0.requests.load(ordering: .relaxed) },
                help: "HTTP requests answered, upgrades included."),
            Metric(
                "messages_received_total", .counter, sum { $0.messagesReceived.load(ordering: .relaxed) },
                help: "WebSocket messages received."),
            Metric(
                "messages_sent_total", .counter, sum { $0.messagesSent.load(ordering: .relaxed) },
                help: "WebSocket messages queued for sessions."),
            Metric("received_bytes_total", .counter, sum { $0.bytesReceived.load(ordering: .relaxed) }, help: "Bytes read from sockets."),
            Metric("sent_bytes_total", .counter, sum { $0.bytesSent.load(ordering: .relaxed) }, help: "Bytes written to sockets."),
            Metric(
                "slow_sessions_closed_total", .counter, sum { $0.slowClosed.load(ordering: .relaxed) },
                help: "Sessions closed with 4003, too slow."),
            Metric(
                "throttles_total", .counter, sum { $0.throttles.load(ordering: .relaxed) },
                help: "Times that a session was read more slowly because it sent too much."),
            Metric(
                "deflating_sessions", .gauge, deflatingSessions.load(ordering: .relaxed),
                help: "Open sessions that take compressed messages."),
            Metric(
                "broadcasts_compressed_total", .counter, broadcastsCompressed.load(ordering: .relaxed),
                help: "Messages compressed once for all their sessions."),
            Metric("ready", .gauge, isReady ? 1 : 0, help: "Whether the server takes new sessions."),
        ] + furtherMetrics()
    }
}

/// The figures of one loop. Only the loop writes them, once a turn, so that counting costs the data path nothing.
final class LoopCounters: Sendable {
    let connections = Atomic(0)
    let sessions = Atomic(0)
    let sessionsTotal = Atomic(0)
    let requests = Atomic(0)
    let messagesReceived = Atomic(0)
    let messagesSent = Atomic(0)
    let bytesReceived = Atomic(0)
    let bytesSent = Atomic(0)
    let slowClosed = Atomic(0)
    let throttles = Atomic(0)
}
