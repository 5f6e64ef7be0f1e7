import Todo
import TodoProtocol
import TodoStore

/// Resuming with `since`: what happened to a list after the version that the client has, told as one change.
extension Hub {
    /// Whether the changes since that version tell the subscription everything; else it gets the whole list.
    func canResume(_ params: SubscribeParams, _ list: SharedList, _ view: UserView) -> Bool {
        guard let since = params.since, params.epoch == store.epoch else { return false }
        return changesToResume(list, since: since, view) != nil
    }

    /// Sends what happened since that version, or the whole list where that can't be told any more.
    func resume(_ subscription: Subscription, since: Int64) {
        guard let (diff, _) = mergedDiff(of: subscription, since: since) else { return startSending(subscription) }
        subscription.state = .complete
        sendUpdates(
            [text { writer in MessageEncoder.update(name: subscription.name, diff, isComplete: true, into: &writer) }],
            to: subscription.session)
    }

    /// What happened to the list since that version, and who wrote it; `nil` where only the whole list tells it.
    func mergedDiff(of subscription: Subscription, since: Int64) -> (diff: ListDiff, by: [String])? {
        guard let live = subscription.list.live, let view = subscription.session.login?.view,
            let batch = changesToResume(subscription.list, since: since, view)
        else { return nil }
        guard subscription.isSighted else { return (ListDiff(), []) }
        do {
            let (journal, numbers) = try journal(of: subscription.list, live, batch)
            return (live.diff(from: journal) ?? ListDiff(), batch.writers(of: numbers))
        } catch {
            log(.error, "a list could not be brought up to date: \(error)")
            return nil
        }
    }

    private func changesToResume(_ list: SharedList, since: Int64, _ view: UserView) -> ChangeBatch? {
        guard !list.isVolatile, let batch = changes(since: since) else { return nil }
        let relations = list.query.predicate.relations
        if relations.contains(.project), !batch.projects.isEmpty { return nil }
        if relations.contains(.items), !batch.projectsOfItems.isEmpty { return nil }
        if list.className == .user, !batch.permissions.isEmpty || !batch.openings.isEmpty { return nil }
        if view.caller.isAdmin { return batch }
        let isSightUnchanged =
            batch.permissions.allSatisfy { $0.user != view.caller.userId || batch.created.contains($0.project) }
            && batch.openings.keys.allSatisfy { view.roles[$0] != nil || batch.created.contains($0) }
        return isSightUnchanged ? batch : nil
    }

    /// The changes since that version, read once for all who resume from it together.
    private func changes(since version: Int64) -> ChangeBatch? {
        guard version <= store.version else { return nil }
        if resumptions.version != store.version { resumptions = (store.version, [:]) }
        if let known = resumptions.batches[version] { return known }
        do {
            guard case .net(_, let changes, let by) = try store.changes(since: version, rowsMax: settings.limits.catchUpRows) else {
                return nil
            }
            let batch = ChangeBatch(changes, writers: by)
            resumptions.batches[version] = batch
            return batch
        } catch {
            log(.error, "the change log can't be read: \(error.message)")
            return nil
        }
    }

    /// What the changed rows were in the list, and which changes concern rows of it; sight is the same as now for every one that there was.
    private func journal(of list: SharedList, _ live: LiveList, _ batch: ChangeBatch) throws -> (journal: Journal, numbers: [Int]) {
        let sight = RowSight(store)
        let roles = roles(of: list.key.scope)
        var journal = Journal()
        var numbers: [Int] = []
        for (number, change) in batch.changes.enumerated() where change.className == list.className {
            let old = try change.before.flatMap { try sight.admit($0, into: list.query, list.key.scope, roles: roles) }
            journal.record(key: change.key, old: old)
            if old != nil || live.object(forKey: change.key) != nil { numbers.append(number) }
        }
        return (journal, numbers)
    }
}
