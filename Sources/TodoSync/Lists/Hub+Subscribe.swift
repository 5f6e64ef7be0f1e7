import Bytes
import Todo
import TodoProtocol
import TodoStore

/// `subscribe` and `unsubscribe`, and first lists on their way to clients.
extension Hub {
    func subscribe(_ params: SubscribeParams, _ answer: Answer) {
        let session = answer.session
        guard let view = session.login?.view else { return self.answer(answer, .notLoggedIn) }
        let known = session.subscriptions[params.name]
        if let known, known.list.key.text == params.query {
            return self.answer(answer) { writer in
                MessageEncoder.subscribed(answer.id, name: params.name, isComplete: known.isComplete, resumed: nil, into: &writer)
            }
        }
        let query: Query
        do throws(Refusal) {
            query = try self.query(params.query, view.caller, limit: params.query.limit)
        } catch { return self.answer(answer, ErrorResponse(error)) }
        if let error = checkRoom(for: params, query, in: session) { return self.answer(answer, error) }
        if let known { drop(known) }
        let list = list(for: params.query, query, view)
        let subscription = Subscription(session: session, name: params.name, list: list)
        list.add(subscription)
        session.subscriptions[params.name] = subscription
        let resumed = params.since == nil ? nil : canResume(params, list, view)
        if resumed == true { subscription.since = params.since }
        self.answer(answer) { writer in
            MessageEncoder.subscribed(answer.id, name: params.name, isComplete: false, resumed: resumed, into: &writer)
        }
        start(subscription, view)
    }

    private func checkRoom(for params: SubscribeParams, _ query: Query, in session: Session) -> ErrorResponse? {
        let searches = session.subscriptions.values.reduce(query.predicate.searchCost) {
            $0 + ($1.name == params.name ? 0 : $1.list.query.predicate.searchCost)
        }
        guard searches <= settings.limits.liveSearches || query.predicate.searchCost == 0 else {
            return .limit(
                "liveSearches", maximum: settings.limits.liveSearches,
                "The session's live queries make too many searches of text; unsubscribe one, or use comparisons without searches.")
        }
        if session.subscriptions[params.name] != nil { return params.update ? nil : .nameInUse(params.name) }
        let maximum = settings.limits.subscriptions
        guard session.subscriptions.count >= maximum else { return nil }
        return .limit("subscriptions", maximum: maximum, "A session has at most \(maximum) subscriptions; unsubscribe one first.")
    }

    private func list(for text: QueryText, _ query: Query, _ view: UserView) -> SharedList {
        let (scope, place) = SubscriptionIndex.placement(of: query, for: view.caller)
        let key = ListKey(text: text, scope: scope, user: query.predicate.usesUser ? view.caller.userId : nil)
        if let known = index.lists[key] { return known }
        let list = SharedList(key: key, query: query, place: place)
        index.insert(list)
        if case .user = scope { view.lists.append(list) }
        load(list)
        return list
    }

    private func start(_ subscription: Subscription, _ view: UserView) {
        if let projectId = subscription.projectId {
            do {
                subscription.isSighted = try view.caller.isAdmin || view.sees(projectId, access: RowSight(store).access(projectId))
            } catch { return end(subscription.list, error) }
        }
        if subscription.list.live != nil { begin(subscription) } else { holdWrites(of: subscription) }
    }

    private func holdWrites(of subscription: Subscription) {
        subscription.isAwaited = true
        subscription.session.listsAwaited += 1
    }

    private func endWait(_ subscription: Subscription) {
        guard subscription.isAwaited else { return }
        subscription.isAwaited = false
        subscription.session.listsAwaited -= 1
        schedule(subscription.session)
    }

    /// Tells the client the list: what happened since its copy was made, or all of it.
    func begin(_ subscription: Subscription) {
        endWait(subscription)
        guard let since = subscription.since else { return startSending(subscription) }
        subscription.since = nil
        resume(subscription, since: since)
    }

    // MARK: First lists

    /// Sends the rows as they are now, in parts, from an empty list on.
    func startSending(_ subscription: Subscription) {
        guard let live = subscription.list.live else { return }
        let session = subscription.session
        let rows = subscription.isSighted ? live.window(0..<live.windowCount) : []
        subscription.state = .sending(rows: rows, next: 0, version: store.version)
        subscription.journal = Journal()
        if !session.unsent.contains(where: { $0 === subscription }) { session.unsent.append(subscription) }
        sendParts(session)
    }

    /// Sends parts until the socket has to take one first; other traffic goes on between them.
    func sendParts(_ session: Session) {
        guard session.behindSince == nil else { return }
        while session.isOpen, !session.isDraining, let subscription = session.unsent.first {
            guard case .sending(let rows, let next, let version) = subscription.state else {
                session.unsent.removeFirst()
                continue
            }
            let end = endOfPart(rows, from: next)
            let isLast = end == rows.count
            let part = text { writer in
                MessageEncoder.initial(
                    name: subscription.name, index: next, objects: rows[next..<end], completeAt: isLast ? version : nil, into: &writer)
            }
            session.isDraining = !isLast || part.count > Self.smallPart
            deliver(part, to: session, reportsDrained: session.isDraining)
            if isLast {
                session.unsent.removeFirst()
                complete(subscription)
            } else {
                subscription.state = .sending(rows: rows, next: end, version: version)
            }
        }
    }

    /// Where the part that begins there ends: full by its rows or by their bytes, with one row at least.
    private func endOfPart(_ rows: [Object], from next: Int) -> Int {
        let last = min(next + settings.limits.partRows, rows.count)
        var end = next
        var bytes = 0
        while end < last, bytes < settings.limits.partBytes {
            bytes += rows[end].approximateBytes
            end += 1
        }
        return end
    }

    /// Parts up to this size, in bytes, may follow each other without waiting for the socket.
    private static let smallPart = 16_384

    /// The client has the rows of the version that the first list began with: one change brings it up to now.
    private func complete(_ subscription: Subscription) {
        subscription.state = .complete
        let journal = subscription.journal ?? Journal()
        subscription.journal = nil
        guard let diff = subscription.list.live?.diff(from: journal) else { return }
        sendUpdates([text { writer in MessageEncoder.update(name: subscription.name, diff, into: &writer) }], to: subscription.session)
    }

    func sendUpdates(_ updates: [SharedBytes], by: [String] = [], to session: Session) {
        let version = store.version
        deliver(text { writer in MessageEncoder.change(version: version, by: by, updates: updates, into: &writer) }, to: session)
    }

    // MARK: Ends

    func unsubscribe(_ name: String, _ answer: Answer) {
        guard let subscription = answer.session.subscriptions[name] else {
            return self.answer(answer, .noSuchSubscription(name))
        }
        drop(subscription)
        self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
    }

    /// Ends the subscription; a list that nobody has any more is forgotten.
    func drop(_ subscription: Subscription) {
        let session = subscription.session
        let list = subscription.list
        endWait(subscription)
        session.subscriptions[subscription.name] = nil
        session.unsent.removeAll { $0 === subscription }
        list.remove(subscription)
        guard list.subscriptions.isEmpty else { return }
        index.remove(list)
        if case .user(let user) = list.key.scope { users[user]?.lists.removeAll { $0 === list } }
    }

    /// Starts every subscription of the session anew, for a user who sees other objects than before.
    func restartSubscriptions(_ session: Session, _ view: UserView) {
        for old in session.subscriptions.values.sorted(by: { $0.name < $1.name }) {
            let text = old.list.key.text
            drop(old)
            do {
                let list = list(for: text, try query(text, view.caller, limit: text.limit), view)
                let subscription = Subscription(session: session, name: old.name, list: list)
                list.add(subscription)
                session.subscriptions[old.name] = subscription
                start(subscription, view)
            } catch {
                log(.error, "a subscription could not be started anew: \(error)")
            }
        }
    }

    func dropSubscriptions(_ session: Session) {
        for subscription in Array(session.subscriptions.values) { drop(subscription) }
    }
}
