extension EventLoop {
    /// Serves `handler` on this thread until `stop` is called, then returns after the turn's output has been written.
    ///
    /// Specialised for the handler: nothing on the way of an event is looked up at run time.
    ///
    /// - Parameter mailbox: what other threads post to; it may hold messages already.
    @inlinable
    public mutating func run<Handler: EventHandler & ~Copyable>(_ handler: inout Handler, mailbox: Mailbox<Handler.Message>)
        throws(SystemError)
    {
        var batch: [Handler.Message] = []
        try watch(mailbox: mailbox.descriptor)
        handler.started(&self)
        while !shouldStop {
            turn(&handler, mailbox, &batch, mayBlock: true)
        }
        if hasNotices { tellNotices(to: &handler) }
        unwatch(mailbox: mailbox.descriptor)
    }

    /// One turn: wait, handle, write.
    @inlinable
    mutating func turn<Handler: EventHandler & ~Copyable>(
        _ handler: inout Handler, _ mailbox: Mailbox<Handler.Message>, _ batch: inout [Handler.Message],
        mayBlock: Bool
    ) {
        let count = wait(mayBlock: mayBlock, prepareToSleep: mailbox.prepareToSleep)
        for index in 0..<count {
            dispatch(takeEvent(index, clearWakeUp: mailbox.clearWakeUp), to: &handler)
            if hasMuchOutput { flush() }
        }
        mailbox.takeAll(into: &batch)
        if !batch.isEmpty {
            handler.posted(batch, &self)
            batch.removeAll(keepingCapacity: true)
        }
        while let id = nextExpired() {
            handler.deadlinePassed(id, &self)
        }
        if takeAlarm() { handler.alarmed(&self) }
        if hasNotices { tellNotices(to: &handler) }
        handler.turnEnding(&self)
        // What the flush finds out is told in the next turn, before that one ends: a handler hands over what it was told when a turn
        // ends, and the next turn does not wait while there are notices.
        flush()
    }

    @inlinable
    mutating func dispatch<Handler: EventHandler & ~Copyable>(
        _ event: LoopEvent, to handler: inout Handler
    ) {
        switch event {
        case .nothing: break
        case .received(let id, let bytes):
            handler.received(bytes, id, &self)
        case .receivedUnencrypted(let id, let bytes):
            handler.receivedUnencrypted(bytes, id, &self)
        case .ended(let id):
            handler.ended(id, &self)
        case .connected(let id):
            handler.connected(id, &self)
        case .acceptable(let listener):
            acceptBatch(listener, &handler)
        case .signalled:
            while let signal = nextSignal() { handler.signalled(signal, &self) }
        }
    }

    @inlinable
    mutating func acceptBatch<Handler: EventHandler & ~Copyable>(
        _ listener: Int, _ handler: inout Handler
    ) {
        for _ in 0..<Self.acceptsMax {
            switch accept(from: listener) {
            case .connection(let socket, let peer): handler.accepted(socket, from: peer, listener: listener, &self)
            case .trouble(let error): handler.listenerTroubled(listener, error)
            case .again: break
            case .none: return
            }
        }
    }

    @inlinable
    mutating func tellNotices<Handler: EventHandler & ~Copyable>(
        to handler: inout Handler
    ) {
        for notice in takeNotices() {
            switch notice.kind {
            case .drained:
                if isLive(notice.id) { handler.drained(notice.id, &self) }
            case .emptied:
                if isLive(notice.id) { handler.emptied(notice.id, &self) }
            case .ended:
                if isLive(notice.id) { handler.ended(notice.id, &self) }
            case .overflowed:
                if isLive(notice.id) { handler.overflowed(notice.id, &self) }
            case .closed(let reason):
                forget(notice.id)
                handler.closed(notice.id, reason, &self)
            }
        }
    }
}
