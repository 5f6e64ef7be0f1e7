import Network
import Synchronization
import TodoSync
import WebSocket

/// The front of the server on one loop: joins sockets, HTTP and WebSocket, and hands whole messages to the session handler.
struct Edge<Sessions: SessionHandler & ~Copyable>: EventHandler, ~Copyable {
    typealias Message = EdgeMessage<Sessions.Message>

    var sockets: Sockets
    var sessions: Sessions
    let router: HTTPRouter
    let handshake: ServerHandshake
    /// What connections are encrypted with, if they are.
    let identity: TLSIdentity?
    /// The mailboxes of all loops, by number: whoever accepts deals connections out in turn.
    let mailboxes: [Mailbox<Message>]
    let index: Int
    var nextLoop = 0
    var metrics = MetricsText()
    /// Of refused connections and of refused origins one line a minute says it all.
    private var refusalReports = OnceAMinute()
    private var originReports = OnceAMinute()
    let report: @Sendable (LogLevel, String) -> Void

    /// The edge of one loop.
    ///
    /// - Parameters:
    ///   - index: the loop's number, which is that of its mailbox.
    ///   - sessions: what sessions' messages mean.
    ///   - router: what HTTP requests are answered with, shared by all loops.
    ///   - mailboxes: those of all loops.
    ///   - identity: what connections are encrypted with; nil leaves them plain.
    ///   - report: told in a sentence when connections can't be accepted or are refused, on the loop's thread.
    init(
        index: Int, sessions: consuming Sessions, router: HTTPRouter, mailboxes: [Mailbox<Message>],
        identity: TLSIdentity? = nil, report: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.index = index
        self.sessions = sessions
        self.router = router
        self.mailboxes = mailboxes
        self.identity = identity
        self.report = report
        sockets = Sockets(limits: router.limits, status: router.status, census: router.census, loop: index)
        handshake = ServerHandshake(subprotocol: router.policy.subprotocol, origins: router.policy.origins)
    }

    mutating func started(_ loop: inout EventLoop) {
        loop.lingerMilliseconds = sockets.limits.closeMilliseconds
    }

    // MARK: Connections

    mutating func accepted(_ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop) {
        let address = IPAddress(peer)
        // What comes from a proxy is somebody else's: whose, the request says.
        let counted = router.policy.proxies.contains(address) ? nil : address
        let (verdict, place) = sockets.census.enter(from: counted)
        if verdict == .dropped { return noteRefusal(address, loop.now) }
        let arrival = Arrival(peer: address, verdict: verdict, place: place)
        // While the server goes away, the other loops may have ended.
        let chosen = router.status.isDraining.load(ordering: .relaxed) ? index : nextLoop
        nextLoop = (nextLoop + 1) % mailboxes.count
        if chosen == index {
            adopt(socket, arrival, &loop)
        } else {
            mailboxes[chosen].post(.adopt(descriptor: socket.release(), arrival))
        }
    }

    private mutating func adopt(_ socket: consuming Descriptor, _ arrival: Arrival, _ loop: inout EventLoop) {
        do {
            // A Unix socket does not leave the machine, so there is nothing to hide from.
            let id = try loop.adopt(socket, secured: arrival.peer == nil ? nil : identity?.context)
            sockets.connections.insert(EdgeConnection(arrival, limits: sockets.limits.http, now: loop.now), for: id)
            let wait = arrival.verdict == .admitted ? sockets.limits.headMilliseconds : sockets.limits.refusedHeadMilliseconds
            loop.setDeadline(loop.now.advanced(milliseconds: wait), for: id)
        } catch {
            // The socket is closed already; the peer sees a connection that ends at once.
            sockets.census.leave(arrival.place)
            report(.error, "\(error)")
        }
    }

    /// The answer to all requests of a connection that may not be, but those for the server's health.
    func refusal(_ verdict: ConnectionCensus.Verdict) -> HTTPResponse? {
        let later: (name: StaticString, value: String) = ("Retry-After", "\(Self.retrySeconds)")
        if router.status.isDraining.load(ordering: .relaxed) {
            return HTTPResponse(status: 503, text: Self.goingAway, headers: [("Retry-After", "1")])
        }
        return switch verdict {
        case .admitted: nil
        case .refusedByAddress: HTTPResponse(status: 429, text: Self.tooManyOfAddress, headers: [later])
        case .refusedInAll, .dropped:
            HTTPResponse(status: 503, text: "The server has as many connections as it takes. Try again later.", headers: [later])
        }
    }

    /// After how long somebody who was one too many should come again.
    static var retrySeconds: Int { 10 }
    static var goingAway: String { "The server is going away. Try again in a moment." }
    static var tooManyOfAddress: String { "This address has as many connections as one may have. Try again later." }

    /// Says in the log that somebody was refused, once a minute at most.
    mutating func noteRefusal(_ address: IPAddress?, _ now: Instant) {
        guard refusalReports.isDue(now) else { return }
        let who = address.map { "\($0)" } ?? "a Unix socket"
        if sockets.census.total >= sockets.limits.connectionsMax {
            report(
                .error,
                "connections are refused: there are \(sockets.limits.connectionsMax), which is --connections or what the limit on open files allows"
            )
        } else {
            report(
                .error,
                "connections of \(who) are refused: it has \(sockets.limits.connectionsPerAddressMax), which is --connections-per-address; "
                    + "if that is a reverse proxy, name it with --trusted-proxies")
        }
    }

    /// Says in the log that a page was refused, once a minute at most.
    mutating func noteForeignOrigin(_ origin: String, _ now: Instant) {
        guard originReports.isDue(now) else { return }
        report(
            .info,
            "a page of \(origin.prefix(256)) was refused, as its origin is not this server's; if it may connect, name it with --origins, "
                + "and if it is this server's own, behind a reverse proxy, let that pass Host on")
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        let wasPinged = connection.pointee.pingedSilence == connection.pointee.lastHeard
        connection.pointee.lastHeard = loop.now
        // The deadline that runs is that of the silence, which is over: the next ping is due sooner.
        if wasPinged { sockets.schedule(connection, id, &loop) }
        if let http = connection.pointee.http {
            receivedHTTP(bytes, http, connection, id, &loop)
        } else {
            receivedFrames(bytes, connection, id, &loop)
        }
    }

    mutating func receivedUnencrypted(_ bytes: UnsafeRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        let response = HTTPResponse(status: 400, text: "This port speaks TLS: use https:// for the page and wss:// for the WebSocket.")
        answer(response, isHead: false, closes: true, connection, id, &loop)
    }

    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        // What it sent before its end is still answered.
        if let http = connection.pointee.http, http.unread != nil {
            http.hasPeerEnded = true
        } else {
            sockets.finish(connection, id, &loop)
        }
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        sockets.forget(id)
    }

    // MARK: Back-pressure

    mutating func drained(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        if connection.pointee.flags.contains(.isOpened) {
            sessions.drained(id, &sockets, &loop)
        } else {
            sockets.release(id, .isFull, &loop)
            if let http = connection.pointee.http { resumeHTTP(http, connection, id, &loop) }
        }
    }

    mutating func emptied(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id), connection.pointee.flags.contains(.isOpened) else { return }
        sessions.emptied(id, &sockets, &loop)
    }

    mutating func overflowed(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        // A download waits in shared memory and costs nothing; its pace is watched by the deadline.
        if connection.pointee.flags.contains(.isOpened) { sessions.overflowed(id, &sockets, &loop) }
    }

    mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = sockets.connections.pointer(to: id) else { return }
        if let http = connection.pointee.http {
            httpDeadlinePassed(http, connection, id, &loop)
        } else {
            sessionDeadlinePassed(connection, id, &loop)
        }
    }

    // MARK: From other threads

    mutating func posted(_ messages: [Message], _ loop: inout EventLoop) {
        for message in messages {
            switch message {
            case .deliver(let deliveries):
                for delivery in deliveries { sockets.send(delivery.message, to: delivery.ids, &loop) }
            case .close(let id, let code, let reason): sockets.close(id, code, reason: reason, &loop)
            case .session(let message): sessions.posted(message, &sockets, &loop)
            case .adopt(let descriptor, let arrival): adopt(Descriptor(owning: descriptor), arrival, &loop)
            case .shutDown: sockets.shutDown(&loop)
            // Looked at when the turn ends.
            case .othersHaveEnded: break
            }
        }
    }

    mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) {
        sessions.signalled(signal, &sockets, &loop)
    }

    mutating func alarmed(_ loop: inout EventLoop) {
        if sockets.isShuttingDown { loop.stop() }
    }

    mutating func listenerTroubled(_ listener: Int, _ error: SystemError) {
        report(.error, "\(error)")
    }

    mutating func turnEnding(_ loop: inout EventLoop) {
        receiveUnread(&loop)
        var next = 0
        // What the handler does on one end may be another's.
        while next < sockets.ended.count {
            let id = sockets.ended[next]
            next += 1
            sockets.counters.sessions.subtract(1, ordering: .relaxed)
            sessions.closed(id, &sockets, &loop)
        }
        sockets.ended.removeAll(keepingCapacity: true)
        sessions.turnEnding(&sockets, &loop)
        sockets.publish(loop)
        if sockets.isShuttingDown { endIfDrained(&loop) }
    }

    /// Ends a loop that goes away once nobody on it is waited for. The first, which has the door, tells newcomers that the server goes away until the others
    /// have ended.
    private func endIfDrained(_ loop: inout EventLoop) {
        guard sockets.endingCount == 0 else { return }
        let isLast = router.status.isDrained
        if index != 0 {
            loop.stop()
            if isLast { mailboxes[0].post(.othersHaveEnded) }
        } else if isLast {
            loop.stop()
        }
    }
}
