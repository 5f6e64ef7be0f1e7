internal import Bytes
internal import Network
internal import TodoProtocol

/// The life of a client: its connections, requests and lists.
extension ClientDriver {
    /// How long a client that is closed waits for the server's part of it.
    private static var closeMilliseconds: Int { 2_000 }

    mutating func open(_ core: ClientCore, _ opening: CheckedContinuation<ClientError?, Never>, _ loop: inout EventLoop) {
        do {
            let client = try ClientConnection(core, opening: opening)
            clients[ObjectIdentifier(core)] = client
            connect(client, &loop)
        } catch {
            opening.resume(returning: error)
        }
    }

    mutating func connect(_ client: ClientConnection, _ loop: inout EventLoop) {
        client.core.set(.connecting)
        client.end = nil
        client.hasPinged = false
        do throws(SystemError) {
            let id = try loop.connect(to: client.nextAddress, secured: client.core.context, host: client.core.endpoint.host)
            client.id = id
            purposes.insert(.client(client), for: id)
            loop.setDeadline(loop.now.advanced(milliseconds: client.core.options.patienceMilliseconds), for: id)
            do throws(ClientError) {
                try client.session.connect(&workspace)
                send(to: id, &loop)
            } catch {
                client.end = error
                loop.abort(id)
            }
        } catch {
            client.end = .cannotConnect(error)
            goOn(client, &loop)
        }
    }

    mutating func handle(_ event: SessionEvent, _ client: ClientConnection, _ loop: inout EventLoop) {
        switch event {
        case .opened:
            client.backoff.reset()
            client.core.user = client.session.login
            client.core.set(.open)
            client.opening?.resume(returning: nil)
            client.opening = nil
        case .result(let id, let result): answer(id, result, client)
        case .failure(let id, let error):
            if let id { client.answer(id, .failure(.server(error))) }
        case .initial(let name, _):
            if let replica = client.session.list(name) { client.results[name]?.publish(replica) }
        case .change(let change):
            for update in change.updates {
                guard let replica = client.session.list(update.name) else { continue }
                client.results[update.name]?.publish(replica, update, by: change.by)
            }
        case .subscriptionEnded(let name, let error): client.results.removeValue(forKey: name)?.end(.server(error))
        case .loggedOut(let error):
            client.core.user = nil
            endLists(of: client, .server(error))
        case .refused(let status, let sentence): finish(client, .refused(status: status, sentence), &loop)
        case .violated(let sentence): finish(client, .violation(sentence), &loop)
        case .closed(let code, let reason): finish(client, client.isClosing ? .ended : .closed(code: code, reason: reason), &loop)
        }
    }

    private func answer(_ id: Int64, _ result: ServerResult, _ client: ClientConnection) {
        switch result {
        case .login(let login): client.core.user = login
        case .subscribed(let name, _, _):
            guard let replica = client.session.list(name) else { break }
            let list = list(name, replica, client)
            return client.answer(id, .success(.list(list)))
        case .empty:
            if client.session.login == nil, client.core.user != nil {
                client.core.user = nil
                endLists(of: client, .ended)
            }
            for (name, list) in client.results where client.session.list(name) == nil {
                client.results[name] = nil
                list.end(.ended)
            }
        default: break
        }
        client.answer(id, .success(.result(result)))
    }

    /// The live list of that name: the one that there is, unless it is of another class.
    private func list(_ name: String, _ replica: Replica, _ client: ClientConnection) -> LiveResults {
        if let list = client.results[name] {
            if list.className == replica.className { return list }
            list.end(.ended)
        }
        let list = LiveResults(name: name, className: replica.className)
        client.results[name] = list
        return list
    }

    private func endLists(of client: ClientConnection, _ error: ClientError) {
        for list in client.results.values { list.end(error) }
        client.results = [:]
    }

    /// The connection has been closed by word: what is left is the socket.
    private func finish(_ client: ClientConnection, _ error: ClientError, _ loop: inout EventLoop) {
        if client.end == nil { client.end = error }
        if let id = client.id { loop.finish(id, withinMilliseconds: Self.closeMilliseconds) }
    }

    mutating func take(
        _ request: ClientRequest, of core: ClientCore, _ reply: CheckedContinuation<Result<ClientAnswer, ClientError>, Never>,
        _ loop: inout EventLoop
    ) {
        guard let client = clients[ObjectIdentifier(core)], !client.isClosing else {
            return reply.resume(returning: .failure(Self.end(of: core)))
        }
        let id =
            switch request {
            case .info: client.session.info(&workspace)
            case .register(let username, let password): client.session.register(username: username, password: password, &workspace)
            case .login(let login): client.session.login(login, &workspace)
            case .logout(let everywhere): client.session.logout(everywhere: everywhere, &workspace)
            case .subscribe(let params): client.session.subscribe(params, &workspace)
            case .unsubscribe(let name): client.session.unsubscribe(name, &workspace)
            case .query(let params): client.session.query(params, &workspace)
            case .write(let txn, let changes): client.session.write(txn: txn, changes, &workspace)
            }
        client.replies[id] = reply
        if let connection = client.id { send(to: connection, &loop) }
        workspace.output.removeAll()
    }

    private static func end(of core: ClientCore) -> ClientError {
        if case .closed(let error) = core.connection { error } else { .ended }
    }

    mutating func close(_ core: ClientCore, _ waiting: CheckedContinuation<Void, Never>?, _ loop: inout EventLoop) {
        guard let client = clients[ObjectIdentifier(core)] else {
            waiting?.resume()
            return
        }
        if let waiting { client.closing.append(waiting) }
        guard !client.isClosing else { return }
        client.isClosing = true
        guard let id = client.id else {
            client.end = .ended
            return goOn(client, &loop)
        }
        guard client.session.isOpen else { return loop.abort(id) }
        client.session.close(&workspace)
        send(to: id, &loop)
        // The server's close frame, or the patience with it, ends the connection.
        client.hasPinged = true
        loop.setDeadline(loop.now.advanced(milliseconds: Self.closeMilliseconds), for: id)
    }

    /// The socket is gone.
    mutating func lost(_ client: ClientConnection, _ reason: CloseReason, _ loop: inout EventLoop) {
        client.id = nil
        if client.end == nil { client.end = client.isClosing ? .ended : Self.error(of: reason) }
        goOn(client, &loop)
    }

    /// Without a connection: makes another, or ends.
    private mutating func goOn(_ client: ClientConnection, _ loop: inout EventLoop) {
        let error = client.end ?? .closed(code: 1006, reason: "")
        for request in client.session.disconnected() { client.answer(request, .failure(error)) }
        guard !client.isClosing, client.opening == nil, client.core.options.reconnects, Self.mayReconnect(after: error) else {
            clients[ObjectIdentifier(client.core)] = nil
            return client.finish(client.isClosing ? .ended : error)
        }
        for list in client.results.values { list.suspend() }
        let milliseconds = client.backoff.next(using: &random)
        client.core.set(.waiting(milliseconds: milliseconds))
        client.retry = loop.now.advanced(milliseconds: milliseconds)
        setAlarm(&loop)
    }

    private static func mayReconnect(after error: ClientError) -> Bool {
        switch error {
        case .closed(let code, _): Reconnection.isDue(afterClose: code)
        // A network that answers in the server's place may let it through later.
        case .cannotConnect, .insecure: true
        // A server that starts up or drains, or a proxy before one.
        case .refused(let status, _): status == 429 || status >= 500
        default: false
        }
    }
}
