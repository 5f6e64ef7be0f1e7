import Bytes
import Network
import Synchronization
import WebSocket

extension Edge where Sessions: ~Copyable {
    /// Takes the requests that have arrived. Who sends them faster than a session may send frames, or does not take the answers, is read again later.
    mutating func receivedHTTP(
        _ bytes: UnsafeMutableRawBufferPointer, _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>,
        _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        let left = takeSomeRequests(bytes, readCount: bytes.count, http, connection, id, &loop)
        if left > 0 { http.unread = UnreadBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - left)...])) }
    }

    /// Goes on with the requests that were left for later, unless there is still a reason to wait.
    mutating func resumeHTTP(
        _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop
    ) {
        guard connection.pointee.flags.isDisjoint(with: EdgeConnection.Flags.holds.union(.isClosing)) else { return }
        guard var unread = http.unread.take() else { return }
        unread.count = unread.withUnsafeMutableBytes { takeSomeRequests($0, readCount: 0, http, connection, id, &loop) }
        if unread.count > 0 {
            http.unread = unread
        } else if http.hasPeerEnded {
            sockets.finish(connection, id, &loop)
        }
    }

    /// Takes as many requests as a turn has for one connection, then leaves it alone until its answers have been taken.
    ///
    /// - Returns: how many bytes, the last ones, are left for later.
    private mutating func takeSomeRequests(
        _ bytes: UnsafeMutableRawBufferPointer, readCount: Int, _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>,
        _ id: ConnectionID, _ loop: inout EventLoop
    ) -> Int {
        var requests = 0
        let left = takeRequests(bytes, &requests, http, connection, id, &loop)
        guard connection.pointee.http != nil, !connection.pointee.flags.contains(.isClosing) else { return 0 }
        if left > 0 || loop.queuedBytes(for: id) > Self.unsentBytesMax {
            sockets.hold(id, .isFull, &loop)
            loop.notifyWhenDrained(id)
        }
        let verdict = connection.pointee.meter.take(bytes: readCount, frames: requests, emptyFrames: 0, sockets.limits, now: loop.now)
        if case .wait(let until) = verdict { sockets.throttle(id, until: until, &loop) }
        return left
    }

    /// Takes request after request out of what has arrived; the answers queue in order.
    ///
    /// - Returns: how many bytes are too many for now.
    private mutating func takeRequests(
        _ bytes: UnsafeMutableRawBufferPointer, _ requests: inout Int, _ http: HTTPExchange,
        _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop
    ) -> Int {
        var rest = bytes
        while !connection.pointee.flags.contains(.isClosing) {
            let skipped = min(http.bodyBytesLeft, rest.count)
            http.bodyBytesLeft -= skipped
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[skipped...])
            if rest.isEmpty { break }
            if requests == Self.requestsOfTurnMax || loop.queuedBytes(for: id) > Self.unsentBytesMax {
                return rest.count
            }
            switch http.parser.parse(UnsafeRawBufferPointer(rest)) {
            case .incomplete:
                beginRequest(http, id, &loop)
                return 0
            case .refused(let fault):
                answer(HTTPResponse(status: fault.status, text: fault.sentence), isHead: false, closes: true, connection, id, &loop)
                return 0
            case .head(let head, let consumed):
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[consumed...])
                sockets.counters.requests.add(1, ordering: .relaxed)
                requests += 1
                if let refusal = refusal(http.verdict), !router.isAboutHealth(head) {
                    refuse(refusal, isHead: head.method == "HEAD", http, connection, id, &loop)
                    return 0
                }
                if head.path == router.policy.sessionPath {
                    if upgrade(head, http, connection, id, &loop) { receivedFrames(rest, connection, id, &loop) }
                    return 0
                }
                take(head, http, connection, id, &loop)
            }
        }
        return 0
    }

    /// Past so much unsent output no further request is answered until it has been sent.
    private static var unsentBytesMax: Int { 64 << 10 }

    /// So many requests of one connection are answered in one turn of the loop: the others come in between.
    private static var requestsOfTurnMax: Int { 16 }

    /// Answers one request, and settles what becomes of its body and of the connection.
    private mutating func take(
        _ head: HTTPRequestHead, _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        var response = router.answer(head) { metrics.current(of: router.status, turn: loop.now) }
        // An HTTP/1.0 client would have to be told that it may go on; nothing is lost by letting it come again.
        var closes = !head.keepAlive || head.minorVersion == 0 || refusal(http.verdict) != nil
        switch head.body {
        case .none: http.bodyBytesLeft = 0
        case .length(let count) where count <= sockets.limits.ignoredBodyBytesMax && !head.headers.contains("Expect"):
            http.bodyBytesLeft = count
        case .length(let count) where count > sockets.limits.ignoredBodyBytesMax && response.status < 400:
            response = HTTPResponse(status: 413, text: "This address takes no body, and \(count) bytes are more than are passed over.")
            closes = true
        case .length, .chunked:
            // Where a body ends that nobody reads is not known here.
            closes = true
        }
        http.isInRequest = false
        answer(response, isHead: head.method == "HEAD", closes: closes, connection, id, &loop)
        if !closes { loop.setDeadline(loop.now.advanced(milliseconds: sockets.limits.keepAliveMilliseconds), for: id) }
    }

    /// Tells a connection that may not be so, and ends it.
    private mutating func refuse(
        _ refusal: HTTPResponse, isHead: Bool, _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        if http.verdict != .admitted { noteRefusal(http.peer, loop.now) }
        answer(refusal, isHead: isHead, closes: true, connection, id, &loop)
    }

    /// Queues an answer.
    mutating func answer(
        _ response: HTTPResponse, isHead: Bool, closes: Bool, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        response.writeHead(into: &sockets.output, closes: closes)
        sockets.sendOutput(to: id, &loop)
        if !isHead { loop.send(response.body, to: id) }
        if closes { sockets.finish(connection, id, &loop) }
    }

    /// Starts the clock of a request whose first bytes have come: later bytes don't put it back.
    private func beginRequest(_ http: HTTPExchange, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard !http.isInRequest, http.verdict == .admitted else { return }
        http.isInRequest = true
        loop.setDeadline(loop.now.advanced(milliseconds: sockets.limits.headMilliseconds), for: id)
    }

    mutating func httpDeadlinePassed(
        _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID, _ loop: inout EventLoop
    ) {
        if connection.pointee.flags.contains(.isThrottled) {
            sockets.endThrottle(id, &loop)
            let wait = http.isInRequest ? sockets.limits.headMilliseconds : sockets.limits.keepAliveMilliseconds
            loop.setDeadline(loop.now.advanced(milliseconds: wait), for: id)
            return resumeHTTP(http, connection, id, &loop)
        }
        let unsent = loop.queuedBytes(for: id)
        if unsent > 0 {
            // A download that has got on since the last look may take its time.
            guard unsent != http.unsentBytes else { return loop.abort(id) }
            http.unsentBytes = unsent
            return loop.setDeadline(loop.now.advanced(milliseconds: sockets.limits.keepAliveMilliseconds), for: id)
        }
        if http.verdict != .admitted, let refusal = refusal(http.verdict) {
            return refuse(refusal, isHead: false, http, connection, id, &loop)
        }
        // A body that does not come belongs to a request that has had its answer.
        if http.isInRequest {
            let seconds = sockets.limits.headMilliseconds / 1_000
            let response = HTTPResponse(status: 408, text: "The request was not complete after \(seconds) seconds.")
            answer(response, isHead: false, closes: true, connection, id, &loop)
        } else {
            sockets.finish(connection, id, &loop)
        }
    }

    /// Answers an opening handshake.
    ///
    /// - Returns: whether frames follow.
    private mutating func upgrade(
        _ head: HTTPRequestHead, _ http: HTTPExchange, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) -> Bool {
        let proxies = router.policy.proxies
        guard let client = proxies.client(of: head.headers, from: http.peer) else {
            return reject(
                HTTPRejection(400, "The proxy's X-Forwarded-For header names something that is no address."), connection, id, &loop)
        }
        guard var reached = proxies.publicAddress(of: head.headers, from: http.peer) else {
            return reject(HTTPRejection(400, "The proxy's X-Forwarded-Host header names something that is no host."), connection, id, &loop)
        }
        if reached.isEncrypted == nil, identity != nil, http.peer != nil { reached.isEncrypted = true }
        switch handshake.answer(head, at: reached) {
        case .reject(let rejection):
            let told = rejection.status == 403 ? foreign(rejection, head, loop.now) : rejection
            return reject(told, isHead: head.method == "HEAD", connection, id, &loop)
        case .accept(let acceptance):
            if client.isForwarded, let address = client.address, !sockets.census.count(&connection.pointee.place, for: address) {
                noteRefusal(address, loop.now)
                return reject(HTTPRejection(429, Self.tooManyOfAddress, headers: [.retryAfter(Self.retrySeconds)]), connection, id, &loop)
            }
            loop.send(acceptance.response, to: id)
            connection.pointee.http = nil
            connection.pointee.flags.insert(.isOpened)
            connection.pointee.webSocket = WebSocketConnection(
                role: .server, options: WebSocketConnection.Options(messageBytesMax: sockets.limits.messageBytesMax, isTextOnly: true),
                deflate: acceptance.deflate)
            if acceptance.deflate != nil {
                connection.pointee.flags.insert(.isDeflating)
                sockets.status.deflatingSessions.add(1, ordering: .relaxed)
            }
            sockets.counters.sessions.add(1, ordering: .relaxed)
            sockets.counters.sessionsTotal.add(1, ordering: .relaxed)
            sockets.schedule(connection, id, &loop)
            let userAgent = String(decoding: (head.headers.first("User-Agent") ?? "").utf8.prefix(256), as: UTF8.self)
            let address = client.address.map { "\($0)" } ?? "unix"
            sessions.opened(id, ClientInfo(address: address, userAgent: userAgent), &sockets, &loop)
            return true
        }
    }

    /// The refusal of a page of another origin, with what the operator does if it may connect.
    private mutating func foreign(_ rejection: HTTPRejection, _ head: HTTPRequestHead, _ now: Instant) -> HTTPRejection {
        let origin = head.headers.first("Origin") ?? ""
        noteForeignOrigin(origin, now)
        guard let listed = EdgePolicy.origin(origin) else { return rejection }
        return HTTPRejection(
            rejection.status, rejection.sentence + " If they should, the server has to be started with --origins \(listed).",
            headers: rejection.headers)
    }

    /// Refuses an opening handshake.
    ///
    /// - Returns: false: no frames follow.
    private mutating func reject(
        _ rejection: HTTPRejection, isHead: Bool = false, _ connection: UnsafeMutablePointer<EdgeConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) -> Bool {
        answer(HTTPResponse(rejection), isHead: isHead, closes: true, connection, id, &loop)
        return false
    }
}
