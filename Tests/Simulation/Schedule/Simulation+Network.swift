import TestSupport
import TodoClient

/// Connections, and what becomes of them and of the bytes on them.
extension Simulation {
    func connect(_ client: SimulatedClient) throws {
        guard client.link == nil else { return }
        guard let server else { return reconnect(client) }
        lastLink += 1
        let link = Link(number: lastLink, client: client.number, &client.random)
        if isQuiet {
            link.toServer.bytesToCut = nil
            link.toClient.bytesToCut = nil
        }
        trace.note("connection", "\(client.number) \(link.number)", at: now)
        server.accept(link)
        try client.connect(link)
    }

    func reconnect(_ client: SimulatedClient) {
        let wait = client.backoff.next(using: &client.random)
        queue.add(.connect(client.number), at: now + Int64(wait), owner: Self.owner(ofClient: client.number))
    }

    func plan(_ link: Link, _ direction: Direction) {
        let pipe = link.pipe(direction)
        guard !pipe.isDelivering, pipe.count > 0 || pipe.isEnded else { return }
        pipe.isDelivering = true
        let stall = isQuiet ? 0 : max(0, pipe.stalledUntil - now)
        queue.add(.deliver(link, direction), at: now + pipe.delay() + stall, owner: Self.owner(of: link, direction))
    }

    func deliver(_ link: Link, _ direction: Direction) throws {
        let pipe = link.pipe(direction)
        pipe.isDelivering = false
        if direction == .toServer, server?.ends[link.number]?.isPaused == true { return }
        let (piece, breaks) = pipe.take()
        if !piece.isEmpty {
            switch direction {
            case .toServer: try server?.receive(piece, on: link)
            case .toClient:
                guard !link.isOverAtClient else { return }
                let client = clients[link.client]
                trace.note("piece", "\(client.number) \(piece.count)", at: now)
                guard try client.receive(piece) else {
                    // The client has read the close frame: the connection is over on both sides.
                    loseAtClient(link)
                    return queue.add(.lostAtServer(link), at: now, owner: Self.owner(of: link, .toServer))
                }
                if let server, let end = server.ends[link.number] { server.flush(end) }
            }
        }
        if breaks { return cut(link) }
        if pipe.count == 0, pipe.isEnded {
            if direction == .toClient { loseAtClient(link) } else { loseAtServer(link) }
            return
        }
        plan(link, direction)
    }

    /// Nothing comes through any more; each side learns of it when it does.
    func cut(_ link: Link) {
        trace.note("cut", "\(link.number)", at: now)
        link.toServer.cut()
        link.toClient.cut()
        let atServer = [0, 30, 4000][fate.next(upTo: 3)]
        let atClient = [0, 30, 4000][fate.next(upTo: 3)]
        queue.add(.lostAtServer(link), at: now + Int64(atServer), owner: Self.owner(of: link, .toServer))
        queue.add(.lostAtClient(link), at: now + Int64(atClient), owner: Self.owner(of: link, .toClient))
    }

    func loseAtServer(_ link: Link) {
        guard !link.isOverAtServer else { return }
        link.isOverAtServer = true
        server?.lost(link)
    }

    func loseAtClient(_ link: Link) {
        guard !link.isOverAtClient else { return }
        link.isOverAtClient = true
        let client = clients[link.client]
        trace.note("loss", "\(client.number) \(link.number)", at: now)
        client.disconnected()
        link.toServer.isEnded = true
        plan(link, .toServer)
        reconnect(client)
    }
}
