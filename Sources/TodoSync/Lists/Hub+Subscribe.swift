import Bytes
import Todo
import TodoProtocol
import TodoStore

/// `subscribe` and `unsubscribe`, and first lists on their way to clients.
extension Hub {
    func subscribe(_ params: SubscribeParams, _ answer: Answer) {
        let session = answer.session
        guard let view = session.login?.view else { return self.answer(answer, .notLoggedIn) }
        // What happened since a version is told as of a commit: not in the middle of transactions that are not durable yet.
        if params.since != nil, group.isOpen { return afterGroup(answer) { [unowned self] in subscribe(params, answer) } }
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
        do { subscription.isSighted = try isSighted(list, view) } catch {
            drop(subscription)
            return refuse(answer, error)
        }
        var resumed: Bool?
        if let since = params.since {
            subscription.since = params.epoch == store.epoch && canResume(subscription, since: since) ? since : nil
            resumed = subscription.since != nil
        }
        self.answer(answer) { writer in
            MessageEncoder.subscribed(answer.id, name: params.name, isComplete: false, resumed: resumed, into: &writer)
        }
        start(subscription)
    }

    private func start(_ subscription: Subscription) {
        if subscription.list.live != nil { begin(subscription) } else { holdWrites(of: subscription) }
    }

    private func isSighted(_ list: SharedList, _ view: UserView) throws -> Bool {
        guard case .project(let projectId) = list.key.scope else { return true }
        return try view.caller.isAdmin || view.sees(projectId, access: RowSight(store).access(projectId))
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
        let scope = SubscriptionIndex.scope(of: query, for: view.caller)
        let key = ListKey(text: text, scope: scope, user: query.predicate.usesUser ? view.caller.userId : nil)
        if let known = index.lists[key] { return known }
        let list = SharedList(key: key, query: query)
        index.insert(list)
        if case .user = scope { view.lists.append(list) }
        load(list)
        return list
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
        // What a session is told when it has caught up counts from one version for all of its lists.
        guard subscription.session.behindSince == nil else { return }
        subscription.since = nil
        resume(subscription, since: since)
    }

    // MARK: First lists

    /// Sends the rows as they are now, in parts, from an empty list on.
    func startSending(_ subscription: Subscription) {
        guard let live = subscription.list.live else { return }
        let session = subscription.session
        let first = subscription.isSighted ? firstList(subscription.list, live) : FirstList([])
        subscription.state = .sending(first, next: 0, version: store.version)
        subscription.journal = Journal()
        if !session.unsent.contains(where: { $0 === subscription }) { session.unsent.append(subscription) }
        sendParts(session)
    }

    /// The list's rows as they are now: the same for all who begin before it changes.
    private func firstList(_ list: SharedList, _ live: LiveList) -> FirstList {
        if let known = list.first { return known }
        let first = FirstList(live.window(0..<live.windowCount))
        list.first = first
        return first
    }

    /// Sends parts until the socket has to take one first; other traffic goes on between them.
    func sendParts(_ session: Session) {
        guard session.behindSince == nil else { return }
        while session.isOpen, !session.isDraining, let subscription = session.unsent.first {
            guard case .sending(let first, let next, let version) = subscription.state else {
                session.unsent.removeFirst()
                continue
            }
            let end = first.endOfPart(from: next, settings.limits)
            let isLast = end == first.rows.count
            let isShared = subscription.list.subscriptions.count > 1 && !first.rows.isEmpty
            let part = part(of: first, next..<end, subscription.name, completeAt: isLast ? version : nil, isShared: isShared)
            session.isDraining = !isLast || part.count > Self.smallPart
            deliver(part, to: session, reportsDrained: session.isDraining, isShared: isShared)
            if isLast {
                session.unsent.removeFirst()
                complete(subscription)
            } else {
                subscription.state = .sending(first, next: end, version: version)
            }
        }
    }

    private func part(of first: FirstList, _ range: Range<Int>, _ name: String, completeAt version: Int64?, isShared: Bool) -> SharedBytes {
        func encoded() -> SharedBytes {
            figures.parts += 1
            return text { writer in
                MessageEncoder.initial(
                    name: name, index: range.lowerBound, objects: first.rows[range], completeAt: version, into: &writer)
            }
        }
        guard isShared else { return encoded() }
        return parts.part(
            of: first, name: name, start: range.lowerBound, completeAt: version, bytesMax: settings.limits.sharedPartsBytes, encode: encoded
        )
    }

    /// Forgets the encoded parts of first lists that have gone out to everybody.
    func forgetSentParts() {
        guard !parts.isEmpty else { return }
        var used: Set<ObjectIdentifier> = []
        for session in sessions.values {
            for subscription in session.unsent {
                if case .sending(let first, _, _) = subscription.state { used.insert(ObjectIdentifier(first)) }
            }
        }
        parts.forgetUnused(keeping: used)
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
                do {
                    subscription.isSighted = try isSighted(list, view)
                    start(subscription)
                } catch { end(list, error) }
            } catch {
                log(.error, "a subscription could not be started anew: \(error)")
            }
        }
    }

    func dropSubscriptions(_ session: Session) {
        for subscription in Array(session.subscriptions.values) { drop(subscription) }
    }
}
