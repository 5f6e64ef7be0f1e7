import Todo
import TodoProtocol
import TodoStore

/// Resuming with `since`: what happened to a list after the version that the client has, told as one change.
///
/// The list as it was is put together from the list as it is and the merged changes of the log, with the rights and the related objects of then.
extension Hub {
    /// Whether what happened since that version can be told, and takes less than the whole list.
    func canResume(_ subscription: Subscription, since: Int64) -> Bool {
        guard !subscription.list.isVolatile, let span = span(since: since), let view = subscription.session.login?.view else {
            return false
        }
        guard subscription.list.live != nil else {
            return pastRows(of: subscription.list, since: since, span, view.caller) != nil
        }
        guard let catchUp = catchUp(subscription, since: since) else { return false }
        return !isDearer(catchUp.diff, than: subscription)
    }

    /// Sends what happened since that version, or the whole list where that can't be told any more.
    func resume(_ subscription: Subscription, since: Int64) {
        guard let catchUp = catchUp(subscription, since: since) else { return startSending(subscription) }
        subscription.state = .complete
        let name = subscription.name
        let answer = catchUp.answer(name) {
            let update = text { writer in MessageEncoder.update(name: name, catchUp.diff, isComplete: true, into: &writer) }
            return text { writer in MessageEncoder.change(version: store.version, by: [], updates: [update], into: &writer) }
        }
        deliver(answer, to: subscription.session, isShared: subscription.list.subscriptions.count > 1)
    }

    /// What happened to the list since that version; `nil` where only the whole list tells it.
    func catchUp(_ subscription: Subscription, since: Int64) -> CatchUp? {
        let list = subscription.list
        guard !list.isVolatile, let live = list.live, let view = subscription.session.login?.view, let span = span(since: since) else {
            return nil
        }
        do {
            let place = CatchUps.Place(list: list.key, since: since)
            let seen = CatchUps.Seen(
                place: place, wasSighted: try wasSighted(list, view, span), isSighted: subscription.isSighted)
            if let known = catchUps.known[seen] { return known }
            guard let rows = pastRows(of: list, since: since, span, view.caller) else { return nil }
            let diff: ListDiff =
                switch (seen.wasSighted, seen.isSighted) {
                case (true, true): live.diff(from: rows.journal) ?? ListDiff()
                case (true, false): .leaving(count: live.windowCount(before: rows.journal))
                case (false, true): .entering(live.window(0..<live.windowCount))
                case (false, false): ListDiff()
                }
            let catchUp = CatchUp(diff, by: seen.isSighted && seen.wasSighted ? span.batch.writers(of: rows.causes(in: live)) : nil)
            catchUps.known[seen] = catchUp
            figures.catchUps += 1
            return catchUp
        } catch {
            log(.error, "a list could not be brought up to date: \(error)")
            return nil
        }
    }

    /// The users who wrote what the list's subscriber is told by that; where its sight of the whole list came or went, those who gave or took it.
    func writers(of catchUp: CatchUp, _ subscription: Subscription, since: Int64) -> [String] {
        catchUp.by ?? span(since: since).map { giversOfSight(subscription, $0.batch) } ?? []
    }

    /// Whether the client is told less by the rows themselves. They are counted only where the difference is not small.
    func isDearer(_ diff: ListDiff, than subscription: Subscription) -> Bool {
        guard let live = subscription.list.live else { return false }
        let cost = diff.approximateBytes
        guard cost > Self.smallDifference else { return false }
        return !subscription.isSighted || cost > live.present.approximateBytes(upTo: cost)
    }

    /// A difference of so many bytes is told in any case.
    private static let smallDifference = 4_096

    // MARK: How it was

    /// The changes since that version, read once for all who have it; `nil` where the log does not reach back, or too far.
    private func span(since version: Int64) -> CatchUps.Span? {
        guard version <= store.version else { return nil }
        catchUps.enter(store.version)
        if let known = catchUps.spans[version] { return known }
        guard catchUpRowsLeft > 0 else { return nil }
        do {
            var span: CatchUps.Span?
            switch try store.changes(since: version, rowsMax: settings.limits.catchUpRows) {
            case .net(_, let changes, let by):
                span = CatchUps.Span(ChangeBatch(changes, writers: by), store)
                noteLogRead(max(changes.count, Int(store.version - version)))
            case .tooMany: noteLogRead(settings.limits.catchUpRows)
            case .unknown: break
            }
            catchUps.spans[version] = .some(span)
            return span
        } catch {
            log(.error, "the change log can't be read: \(error.message)")
            return nil
        }
    }

    private func noteLogRead(_ rows: Int) {
        catchUpRowsLeft -= rows
        catchUpRowsLeftInTurn -= rows
    }

    /// Whether the user saw the project that the list belongs to.
    private func wasSighted(_ list: SharedList, _ view: UserView, _ span: CatchUps.Span) throws -> Bool {
        guard case .project(let projectId) = list.key.scope, !view.caller.isAdmin else { return true }
        guard let project = try span.past.object(.project, projectId) else { return false }
        return try Rights.role(of: view.caller, in: project, span.past) != nil
    }

    /// Which of the list's rows were something else; `nil` where that takes more than reading the whole list, or can't be told.
    private func pastRows(of list: SharedList, since: Int64, _ span: CatchUps.Span, _ caller: Caller) -> PastRows? {
        let place = CatchUps.Place(list: list.key, since: since)
        if let known = catchUps.rows[place] { return known }
        var rows: PastRows?
        do {
            // Who became an admin, or is none any more, had another list.
            let wasAdmin = try span.past.object(.user, caller.userId)?[UserField.isAdmin].boolean ?? false
            if wasAdmin == caller.isAdmin {
                rows = try self.rows(of: list, span)
            }
        } catch is TooManyCandidates {
            log(.debug, "a list of \(list.className.name) is told whole: too much of it may have changed")
        } catch is Refusal {
            log(.debug, "a list of \(list.className.name) is told whole: its filter searches too much text")
        } catch {
            log(.error, "a list could not be brought up to date: \(error)")
        }
        catchUps.rows[place] = .some(rows)
        return rows
    }

    private func rows(of list: SharedList, _ span: CatchUps.Span) throws -> PastRows {
        var past = PastList(list, span, store, settings.limits)
        try past.noteChanged()
        try past.noteRevisited()
        return past.rows
    }
}

/// More rows may have been different than are looked at.
private struct TooManyCandidates: Error {}

/// Finds out which rows of a list were something else before a span of changes.
private struct PastList {
    private(set) var rows = PastRows()
    private let list: SharedList
    private let batch: ChangeBatch
    private let past: PastReader
    private let present: any ObjectReader
    private let sight: RowSight
    private var roles: [String: Role] = [:]
    private var candidatesLeft: Int

    init(_ list: SharedList, _ span: CatchUps.Span, _ present: any ObjectReader, _ limits: SyncLimits) {
        self.list = list
        self.present = present
        batch = span.batch
        past = span.past
        sight = RowSight(span.past, searchBytesMax: limits.writeSearchBytes)
        candidatesLeft = limits.catchUpCandidates
    }

    /// The rows that changed themselves.
    mutating func noteChanged() throws {
        if case .user(let user) = list.key.scope { roles = try RowSight.roles(ofUser: user, past) }
        for (number, change) in batch.changes.enumerated() where change.className == list.className {
            try note(change.key, change.before, [number])
        }
    }

    /// The rows whose sight or related objects changed, though they did not.
    mutating func noteRevisited() throws {
        var projects = projectsOfOtherSight
        if list.className == .user { return try noteUsers(projects) }
        for (projectId, number) in batch.projects(lookedAtBy: list.query.predicate) { projects[projectId, default: []].append(number) }
        if list.query.predicate.relations.contains(.items) { projects.merge(batch.projectsOfItems) { $0 + $1 } }
        if case .project(let own) = list.key.scope { projects = projects.filter { $0.key == own } }
        for (projectId, numbers) in projects {
            if list.className == .project {
                try visit(projectId, try past.object(.project, projectId), numbers)
            } else {
                let place = list.className == .item ? ItemField.projectId : PermissionField.projectId
                try present.forEach(list.className, where: [Term(place: place, .equal, .string(projectId))]) { object in
                    if object.text(place) == projectId { try visit(object.key, object, numbers) }
                    return true
                }
            }
        }
    }

    /// The projects that the list's user came to see or lost out of sight, or may have, and the changes that did it.
    private var projectsOfOtherSight: [String: [Int]] {
        guard case .user(let user) = list.key.scope else { return [:] }
        var projects = batch.openings.mapValues { [$0] }
        for permission in batch.permissions where permission.user == user {
            projects[permission.project, default: []].append(permission.number)
        }
        return projects
    }

    /// Users are seen through permissions on projects that the viewer sees.
    private mutating func noteUsers(_ projects: [String: [Int]]) throws {
        guard case .user(let viewer) = list.key.scope else { return }
        var users: [String: [Int]] = [:]
        for (user, projectId, number) in batch.permissions where try isSeen(projectId, by: viewer) {
            users[user, default: []].append(number)
        }
        for (projectId, numbers) in projects {
            for reader: any ObjectReader in [present, past] {
                for permission in try reader.permissions(ofProject: projectId) {
                    users[permission.text(PermissionField.userId), default: []] += numbers
                }
            }
        }
        for (user, numbers) in users { try visit(user, try past.object(.user, user), numbers) }
    }

    /// Whether the user saw the project then, or sees it now.
    private func isSeen(_ projectId: String, by user: String) throws -> Bool {
        let caller = Caller(userId: user, isAdmin: false)
        for reader: any ObjectReader in [present, past] {
            guard let project = try reader.object(.project, projectId) else { continue }
            if try Rights.role(of: caller, in: project, reader) != nil { return true }
        }
        return false
    }

    /// Notes a row that did not change itself.
    private mutating func visit(_ key: String, _ object: Object?, _ numbers: [Int]) throws {
        guard !past.hasChanged(list.className, key) else { return rows.note(key, causes: numbers) }
        candidatesLeft -= 1
        guard candidatesLeft >= 0 else { throw TooManyCandidates() }
        try note(key, object, numbers)
    }

    private mutating func note(_ key: String, _ object: Object?, _ numbers: [Int]) throws {
        rows.note(key, old: try object.flatMap { try sight.admit($0, into: list.query, list.key.scope, roles: roles) }, causes: numbers)
    }
}

extension ListDiff {
    /// About how many bytes it has on the wire.
    fileprivate var approximateBytes: Int {
        let inserted = insertions.reduce(0) { $0 + ($1.from == nil ? $1.object.approximateBytes + 24 : 64) }
        return inserted + deletions.count * 7 + modifications.count * 64
    }
}
