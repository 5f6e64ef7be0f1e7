import Bytes
import Todo
import TodoProtocol
import TodoStore

/// From a durable commit to the messages that tell of it.
extension Hub {
    /// Tells every session what the commit did to its lists: one message a session, each distinct one encoded once.
    /// What happened to presences since the last time is told with it.
    func publish(_ entries: [LogEntry]) {
        guard !entries.isEmpty || live.hasChanges else { return }
        var (changes, writers) = merged(entries)
        if !entries.isEmpty { countCommit(transactions: entries.count, changes: changes.count) }
        noteLongPositions(changes)
        catchUps.enter(store.version)
        holdExpired(beforeVersion: (entries.first?.version ?? store.version + 1) - 1)
        follow(changes)
        tallies.follow(changes)
        let sight = RowSight(store, tallies: tallies)
        var publication = Publication()
        do {
            try removeUnseenPresences(changes, sight)
            addPresences(&changes, &writers)
            let batch = ChangeBatch(changes, writers: writers)
            noteAcquaintances(batch)
            let turned = try turnSight(batch, sight)
            let lists = try concernedLists(batch, sight)
            for list in lists { update(list, batch, sight, &publication) }
            for subscription in turned { tellSight(subscription, batch, &publication) }
            countConcern(lists: lists.count, filters: sight.evaluations)
        } catch {
            log(.error, "a commit could not be told to its readers: \(error)")
            tallies.removeAll()
            for list in Array(index.lists.values) { end(list, error) }
        }
        send(publication, version: store.version)
    }

    /// The changes of the entries as one for each object; the writers of each, or of all at once where there is one entry.
    private func merged(_ entries: [LogEntry]) -> (changes: [Change], writers: [[String]]) {
        guard entries.count > 1 else { return (entries.first?.changes ?? [], [entries.first?.by.map { [$0] } ?? []]) }
        var record = ChangeRecord()
        var writers: [ObjectID: WriterRecord] = [:]
        for entry in entries {
            for change in entry.changes {
                record.note(change.className, change.key, before: change.before, after: change.after)
                writers[ObjectID(change.className, change.key), default: WriterRecord()]
                    .note(by: entry.by, before: change.before, after: change.after)
            }
        }
        let changes = record.netChanges
        return (
            changes,
            changes.map { change in
                writers[ObjectID(change.className, change.key)]?.writers(before: change.before, after: change.after) ?? []
            }
        )
    }

    private func addPresences(_ changes: inout [Change], _ writers: inout [[String]]) {
        let volatile = live.takeChanges()
        guard !volatile.isEmpty else { return }
        if writers.count == 1 { writers = Array(repeating: writers[0], count: changes.count) }
        changes += volatile.map(\.change)
        writers += volatile.map { $0.writer.map { [$0] } ?? [] }
    }

    /// Whoever sees a project may be told the names of those who wrote or were present there.
    private func noteAcquaintances(_ batch: ChangeBatch) {
        var last = ""
        for (number, change) in batch.changes.enumerated() {
            guard let projectId = (change.after ?? change.before)?.projectId else { continue }
            // A large transaction is mostly about one project and has one writer.
            if batch.onlyWriters != nil, change.className != .presence, projectId == last { continue }
            last = projectId
            for writer in batch.writers(of: CollectionOfOne(number)) { acquaintances.note(writer, in: projectId) }
            if change.className == .presence, let user = change.after?.text(PresenceField.userId) {
                acquaintances.note(user, in: projectId)
            }
        }
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
        let projects = Set(batch.permissions.map(\.project)).union(batch.openings.keys)
        for projectId in projects {
            let access = try sight.access(projectId)
            for list in index.lists(ofProject: projectId) {
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
        return turned
    }

    private func update(_ list: SharedList, _ batch: ChangeBatch, _ sight: RowSight, _ publication: inout Publication) {
        let result: (change: AppliedChange, by: [String])?
        do { result = try apply(batch, to: list, sight) } catch {
            // What a failed read left of a tally is not to be relied on.
            tallies.removeAll()
            return end(list, error)
        }
        guard let (applied, by) = result else { return }
        var fragments: [String: Int] = [:]
        for subscription in list.subscriptions where subscription.isSighted && !subscription.sightChanged {
            subscription.journal?.record(applied)
            guard subscription.isComplete, subscription.session.behindSince == nil, !applied.diff.isEmpty else { continue }
            let fragment: Int
            if let known = fragments[subscription.name] {
                fragment = known
            } else {
                fragment = publication.add(
                    text { writer in MessageEncoder.update(name: subscription.name, applied.diff, into: &writer) }, by: by)
                fragments[subscription.name] = fragment
            }
            publication.tell(subscription.session, fragment)
        }
    }

    /// Rows leave a subscription whose user lost sight of its project, and come when sight is given.
    private func tellSight(_ subscription: Subscription, _ batch: ChangeBatch, _ publication: inout Publication) {
        subscription.sightChanged = false
        guard let live = subscription.list.live else { return }
        guard subscription.isComplete else { return startSending(subscription) }
        guard subscription.session.behindSince == nil else { return }
        let diff: ListDiff =
            subscription.isSighted
            ? .entering(live.window(0..<live.windowCount)) : .leaving(count: subscription.list.windowCountBefore)
        guard !diff.isEmpty else { return }
        let fragment = publication.add(
            text { writer in MessageEncoder.update(name: subscription.name, diff, into: &writer) }, by: giversOfSight(subscription, batch))
        publication.tell(subscription.session, fragment)
    }

    func giversOfSight(_ subscription: Subscription, _ batch: ChangeBatch) -> [String] {
        let user = subscription.session.login?.view.caller.userId
        var numbers = batch.permissions.filter { $0.user == user && $0.project == subscription.projectId }.map(\.number)
        if let projectId = subscription.projectId, let opening = batch.openings[projectId] { numbers.append(opening) }
        return batch.writers(of: numbers)
    }

    private func send(_ publication: Publication, version: Int64) {
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
                let updates = key.map { publication.fragments[$0].text }
                let by = publication.writers(of: key)
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
    private(set) var fragments: [(text: SharedBytes, by: [String])] = []
    private(set) var sessions: [Session] = []

    mutating func add(_ fragment: SharedBytes, by: [String]) -> Int {
        fragments.append((fragment, by))
        return fragments.count - 1
    }

    /// Who wrote what these fragments tell, at most 10 users.
    func writers(of numbers: [Int]) -> [String] {
        guard numbers.count > 1 else { return numbers.first.map { fragments[$0].by } ?? [] }
        var found: [String] = []
        for number in numbers {
            for writer in fragments[number].by where found.count < MessageEncoder.writersMax && !found.contains(writer) {
                found.append(writer)
            }
        }
        return found
    }

    mutating func tell(_ session: Session, _ fragment: Int) {
        if session.updates.isEmpty { sessions.append(session) }
        session.updates.append(fragment)
    }
}
