import Bytes
import Todo
import TodoProtocol
import TodoStore

/// From a durable commit to the messages that tell of it.
extension Hub {
    /// Tells every session what the commit did to its lists: one message a session, each distinct one encoded once.
    func publish(_ entries: [LogEntry]) {
        guard !entries.isEmpty else { return }
        let changes = merged(entries)
        countCommit(transactions: entries.count, changes: changes.count)
        noteLongPositions(changes)
        catchUps.enter(store.version)
        holdExpired(beforeVersion: entries[0].version - 1)
        let batch = ChangeBatch(changes)
        follow(changes)
        tallies.follow(changes)
        let sight = RowSight(store, tallies: tallies)
        var publication = Publication()
        do {
            let turned = try turnSight(batch, sight)
            let lists = try concernedLists(batch, sight)
            for list in lists { update(list, batch, sight, &publication) }
            for subscription in turned { tellSight(subscription, &publication) }
        } catch {
            log(.error, "a commit could not be told to its readers: \(error)")
            tallies.removeAll()
            for list in Array(index.lists.values) { end(list, error) }
        }
        send(publication, version: store.version, by: writers(entries))
    }

    private func merged(_ entries: [LogEntry]) -> [Change] {
        guard entries.count > 1 else { return entries[0].changes }
        var record = ChangeRecord()
        for entry in entries {
            for change in entry.changes { record.note(change.className, change.key, before: change.before, after: change.after) }
        }
        return record.netChanges
    }

    private func writers(_ entries: [LogEntry]) -> [String] {
        var writers: [String] = []
        for case let user? in entries.lazy.map(\.by) where writers.count < 10 && !writers.contains(user) { writers.append(user) }
        return writers
    }

    /// Keeps the rights of logged-in users up with the commit.
    private func follow(_ changes: [Change]) {
        for change in changes where change.className == .permission {
            guard let permission = change.after ?? change.before else { continue }
            let projectId = permission.text(PermissionField.projectId)
            let userId = permission.text(PermissionField.userId)
            guard let view = users[userId] else { continue }
            view.roles[projectId] = change.after.flatMap { Role(name: $0.text(PermissionField.role)) }
            if change.after != nil {
                viewers[projectId, default: []].insert(userId)
            } else {
                viewers[projectId]?.remove(userId)
                if viewers[projectId]?.isEmpty == true { viewers[projectId] = nil }
            }
        }
    }

    /// Gives or takes sight of lists that belong to one project, and answers the subscriptions for which that changed.
    private func turnSight(_ batch: ChangeBatch, _ sight: RowSight) throws -> [Subscription] {
        var turned: [Subscription] = []
        let projects = Set(batch.permissions.map(\.project)).union(batch.openings)
        for projectId in projects {
            let access = try sight.access(projectId)
            for className in [ClassName.project, .item, .permission] {
                for list in index.lists(at: .project(className, projectId)) {
                    list.windowCountBefore = list.live?.windowCount ?? 0
                    for subscription in list.subscriptions {
                        guard let view = subscription.session.login?.view, !view.caller.isAdmin else { continue }
                        let isSighted = view.sees(projectId, access: access)
                        guard isSighted != subscription.isSighted else { continue }
                        subscription.isSighted = isSighted
                        subscription.sightChanged = true
                        turned.append(subscription)
                    }
                }
            }
        }
        return turned
    }

    private func update(_ list: SharedList, _ batch: ChangeBatch, _ sight: RowSight, _ publication: inout Publication) {
        let applied: AppliedChange?
        do { applied = try apply(batch, to: list, sight) } catch {
            // What a failed read left of a tally is not to be relied on.
            tallies.removeAll()
            return end(list, error)
        }
        guard let applied else { return }
        var fragments: [String: Int] = [:]
        for subscription in list.subscriptions where subscription.isSighted && !subscription.sightChanged {
            subscription.journal?.record(applied)
            guard subscription.isComplete, subscription.session.behindSince == nil, !applied.diff.isEmpty else { continue }
            let fragment: Int
            if let known = fragments[subscription.name] {
                fragment = known
            } else {
                fragment = publication.add(text { writer in MessageEncoder.update(name: subscription.name, applied.diff, into: &writer) })
                fragments[subscription.name] = fragment
            }
            publication.tell(subscription.session, fragment)
        }
    }

    /// Rows leave a subscription whose user lost sight of its project, and come when sight is given.
    private func tellSight(_ subscription: Subscription, _ publication: inout Publication) {
        subscription.sightChanged = false
        guard let live = subscription.list.live else { return }
        guard subscription.isComplete else { return startSending(subscription) }
        guard subscription.session.behindSince == nil else { return }
        let diff: ListDiff =
            subscription.isSighted
            ? .entering(live.window(0..<live.windowCount)) : .leaving(count: subscription.list.windowCountBefore)
        guard !diff.isEmpty else { return }
        let fragment = publication.add(text { writer in MessageEncoder.update(name: subscription.name, diff, into: &writer) })
        publication.tell(subscription.session, fragment)
    }

    private func send(_ publication: Publication, version: Int64, by: [String]) {
        var messages: [[Int]: Int] = [:]
        var groups: [(message: SharedBytes, byLoop: [Int: [UInt64]])] = []
        for session in publication.sessions {
            let key = session.updates
            session.updates.removeAll(keepingCapacity: true)
            guard session.isOpen else { continue }
            let place: Int
            if let known = messages[key] {
                place = known
            } else {
                place = groups.count
                messages[key] = place
                let updates = key.map { publication.fragments[$0] }
                groups.append((text { writer in MessageEncoder.change(version: version, by: by, updates: updates, into: &writer) }, [:]))
            }
            groups[place].byLoop[session.id.loop, default: []].append(session.id.connection)
        }
        for group in groups {
            for (loop, connections) in group.byLoop { outbox.append(group.message, toAll: connections, loop: loop) }
        }
        countDelivery(frames: groups.count, deliveries: publication.sessions.count)
    }
}

/// The fragments of the messages that tell of one commit, and the sessions that get them.
struct Publication {
    private(set) var fragments: [SharedBytes] = []
    private(set) var sessions: [Session] = []

    mutating func add(_ fragment: SharedBytes) -> Int {
        fragments.append(fragment)
        return fragments.count - 1
    }

    mutating func tell(_ session: Session, _ fragment: Int) {
        if session.updates.isEmpty { sessions.append(session) }
        session.updates.append(fragment)
    }
}
