import Bytes
import Todo
import TodoProtocol
import TodoStore

/// `subscribe` and `unsubscribe`.
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
        auditReading(params.query, view.caller, session)
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

    func endWait(_ subscription: Subscription) {
        guard subscription.isAwaited else { return }
        subscription.isAwaited = false
        subscription.session.listsAwaited -= 1
        schedule(subscription.session)
    }

    /// Tells the client the list: what happened since its copy was made, or all of it.
    func begin(_ subscription: Subscription) {
        if subscription.since != nil, subscription.session.behindSince == nil, !mayReadLog {
            return postpone(subscription.session, .lists)
        }
        endWait(subscription)
        guard let since = subscription.since else { return startSending(subscription) }
        // What a session is told when it has caught up counts from one version for all of its lists.
        guard subscription.session.behindSince == nil else { return }
        subscription.since = nil
        resume(subscription, since: since)
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
        subscription.state = .loading
        index.remove(list)
        free(list)
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
