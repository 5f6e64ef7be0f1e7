internal import Bytes
internal import Todo
internal import TodoProtocol

extension ClientSession {
    /// The next event in what was read. Call it until there is none, then send the workspace's output.
    public mutating func next(_ input: inout ClientInput, _ workspace: inout ClientWorkspace) -> SessionEvent? {
        while true {
            if let message = inbox.popLast() {
                if let event = take(message, &workspace) { return event }
                continue
            }
            switch socket.next(&input, &workspace.codec, &workspace.output) {
            case .needsBytes: return nil
            case .opened(let subprotocol):
                self.subprotocol = subprotocol
                if let event = begin(&workspace) { return event }
            case .refused(let status, let sentence):
                stage = .over
                return .refused(status: status, sentence)
            case .text(let text):
                if stage == .over { continue }
                if let event = take(text, &workspace) { return event }
            case .binary:
                return violated("A binary message came.", &workspace)
            case .closed(let code, let reason):
                stage = .over
                return .closed(code: code, reason: reason)
            }
        }
    }

    private mutating func take(_ text: UnsafeRawBufferPointer, _ workspace: inout ClientWorkspace) -> SessionEvent? {
        let message: ServerMessage
        do {
            message = try workspace.decoder.decode(text, context: self)
        } catch {
            return violated(error.message, &workspace)
        }
        return take(message, &workspace)
    }

    private mutating func take(_ message: ServerMessage, _ workspace: inout ClientWorkspace) -> SessionEvent? {
        switch message {
        case .change(let change):
            do {
                try apply(change)
            } catch {
                return violated("A change to version \(change.version): \(error)", &workspace)
            }
            return .change(change)
        case .initial(let part):
            do {
                try lists[part.name]?.replica.apply(part)
            } catch {
                return violated("The first list of '\(part.name)': \(error)", &workspace)
            }
            return .initial(name: part.name, isComplete: part.isComplete)
        case .result(let id, let result): return takeResult(id, result, &workspace)
        case .failure(let id, let error): return takeFailure(id, error, &workspace)
        case .subscriptionEnded(let name, let error):
            lists[name] = nil
            return .subscriptionEnded(name: name, error)
        case .batch(let messages):
            inbox = messages.reversed()
            return nil
        case .other: return nil
        }
    }

    private mutating func apply(_ change: ChangeMessage) throws(ReplicaFault) {
        guard change.version >= version else { throw ReplicaFault("the connection's version fell from \(version)") }
        version = change.version
        for update in change.updates {
            do {
                try lists[update.name]?.replica.apply(update, version: change.version)
            } catch {
                throw ReplicaFault("list '\(update.name)': \(error)")
            }
        }
    }

    private mutating func takeResult(_ id: Int64, _ result: ServerResult, _ workspace: inout ClientWorkspace) -> SessionEvent? {
        guard let request = requests.removeValue(forKey: id) else { return .result(id: id, result) }
        switch (request.kind, result) {
        case (.greeting, .info(let info)):
            // The lists of another history can't be gone on from.
            if epoch != nil, epoch != info.epoch { forgetVersions() }
            epoch = info.epoch
            return nil
        case (.restoring, .login(let result)):
            login = result
            return open(&workspace)
        case (.login, .login(let result)): login = result
        case (.logout, _):
            login = nil
            lists.removeAll()
        case (.subscribe(let params), .subscribed): confirm(params, id)
        case (.resubscribe(let name), .subscribed(_, _, let resumed)):
            if resumed != true { lists[name]?.replica.restart() }
            return nil
        case (.unsubscribe(let name), _): lists[name] = nil
        default: break
        }
        return .result(id: id, result)
    }

    private mutating func takeFailure(_ id: Int64?, _ error: ServerError, _ workspace: inout ClientWorkspace) -> SessionEvent? {
        guard let id, let request = requests.removeValue(forKey: id) else { return .failure(id: id, error) }
        switch request.kind {
        case .greeting: return nil
        case .restoring:
            login = nil
            lists.removeAll()
            _ = open(&workspace)
            return .loggedOut(error)
        case .resubscribe(let name):
            lists[name] = nil
            return .subscriptionEnded(name: name, error)
        case .subscribe(let params):
            // Refused as new; a refused `update` leaves the old list alive.
            if lists[params.name]?.request == id { lists[params.name] = nil }
        default: break
        }
        return .failure(id: id, error)
    }

    /// The subscription is accepted; where it replaces another query, its rows follow and start a new list.
    private mutating func confirm(_ params: SubscribeParams, _ id: Int64) {
        guard let list = lists[params.name] else { return }
        if list.request == id || list.params.query == params.query {
            // Asked for twice, it is there from the first acceptance on, whatever becomes of the other.
            lists[params.name]?.request = nil
        } else {
            let replica = Replica(of: params.query.className, isStrict: options.isStrict)
            lists[params.name] = List(params: params, replica: replica, request: nil)
        }
    }

    mutating func violated(_ sentence: String, _ workspace: inout ClientWorkspace) -> SessionEvent {
        stage = .over
        inbox.removeAll()
        socket.close(code: 1002, reason: sentence, &workspace.codec, &workspace.output)
        return .violated(sentence)
    }
}
