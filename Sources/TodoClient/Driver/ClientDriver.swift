internal import Bytes
internal import Network
internal import TodoProtocol

/// Drives all clients and raw connections of the process on one event loop.
struct ClientDriver: EventHandler, ~Copyable {
    typealias Message = ClientCommand

    /// What a connection is for.
    enum Purpose {
        case client(ClientConnection)
        case raw(RawConnectionState)
    }

    var workspace = ClientWorkspace()
    var purposes = ConnectionTable<Purpose>()
    var clients: [ObjectIdentifier: ClientConnection] = [:]
    var raws: [ObjectIdentifier: ConnectionID] = [:]
    var random = SystemRandomNumberGenerator()

    mutating func posted(_ messages: [ClientCommand], _ loop: inout EventLoop) {
        for message in messages {
            switch message {
            case .open(let core, let opening): open(core, opening, &loop)
            case .request(let core, let request, let reply): take(request, of: core, reply, &loop)
            case .close(let core, let waiting): close(core, waiting, &loop)
            case .drop(let core):
                if let id = clients[ObjectIdentifier(core)]?.id { loop.abort(id) }
            case .openRaw(let core, let addresses): openRaw(core, addresses, &loop)
            case .raw(let core, let action): take(action, of: core, &loop)
            }
        }
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let purpose = purposes.pointer(to: id)?.pointee else { return }
        switch purpose {
        case .client(let client):
            var input = ClientInput(bytes)
            while let event = client.session.next(&input, &workspace) { handle(event, client, &loop) }
            client.hasPinged = false
            if client.id == id { loop.setDeadline(loop.now.advanced(milliseconds: client.core.options.pingMilliseconds), for: id) }
        case .raw(let raw): received(bytes, raw, id, &loop)
        }
        send(to: id, &loop)
    }

    /// Sends what the session that was called last has to say.
    mutating func send(to id: ConnectionID, _ loop: inout EventLoop) {
        loop.send(emptying: &workspace.output, to: id)
    }

    mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard case .client(let client) = purposes.pointer(to: id)?.pointee, !client.hasPinged, client.session.isOpen else {
            return loop.abort(id)
        }
        client.hasPinged = true
        client.session.ping(&workspace)
        send(to: id, &loop)
        loop.setDeadline(loop.now.advanced(milliseconds: client.core.options.patienceMilliseconds), for: id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard let purpose = purposes.remove(id) else { return }
        switch purpose {
        case .client(let client): lost(client, reason, &loop)
        case .raw(let raw):
            raws[ObjectIdentifier(raw.core)] = nil
            raw.core.end(Self.error(of: reason))
        }
    }

    mutating func alarmed(_ loop: inout EventLoop) {
        for client in clients.values {
            guard let retry = client.retry, retry <= loop.now else { continue }
            client.retry = nil
            connect(client, &loop)
        }
        setAlarm(&loop)
    }

    /// The alarm is for the next connection that is to be made.
    mutating func setAlarm(_ loop: inout EventLoop) {
        var soonest = Instant.distantFuture
        for client in clients.values { soonest = min(soonest, client.retry ?? .distantFuture) }
        loop.setAlarm(soonest)
    }

    /// What the end of a socket means where nothing more is known.
    static func error(of reason: CloseReason) -> ClientError {
        switch reason {
        case .connectFailed(let error): .cannotConnect(error)
        case .insecure(let sentence): .insecure(sentence)
        case .broken(let code): .closed(code: 1006, reason: SystemError.text(of: code))
        default: .closed(code: 1006, reason: "")
        }
    }
}
