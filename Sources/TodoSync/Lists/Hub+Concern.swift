import Todo
import TodoStore

/// Which lists a batch of changes can touch, and what becomes of their rows.
extension Hub {
    /// Marks every list that the changes can touch, each with what concerns it; the cost does not depend on any other list.
    func concernedLists(_ batch: ChangeBatch, _ sight: RowSight) throws -> [SharedList] {
        var found = ConcernedLists()
        for (number, change) in batch.changes.enumerated() where change.className != .user {
            let shelf = index.rows(of: change.className)
            guard !shelf.isEmpty else { continue }
            try forEachState(change) { object, before in
                let audience = try audience(of: object, batch, sight)
                if before == nil { shelf.unanchored.forEach(seenBy: audience) { found.add($0, number) } }
                let project = shelf.asksForProjects ? try audience.projectId.flatMap(sight.project) : nil
                shelf.drawers(of: object, unlike: before, in: project) { drawer in
                    drawer.forEach(seenBy: audience) { found.add($0, number) }
                }
            }
        }
        addSightChanges(batch, &found)
        try addListsOfUsers(batch, sight, &found)
        try addLookingAtProjects(batch, sight, &found)
        try addLookingAtItems(batch, sight, &found)
        return found.lists
    }

    /// What an object was and what it is; the second with the first where both are in one project, so that only what differs is looked at.
    private func forEachState(_ change: Change, _ body: (_ object: Object, _ before: Object?) throws -> Void) rethrows {
        if let before = change.before { try body(before, nil) }
        guard let after = change.after else { return }
        let isSame = change.before.map { $0.projectId == after.projectId } ?? false
        try body(after, isSame ? change.before : nil)
    }

    private func audience(of object: Object, _ batch: ChangeBatch, _ sight: RowSight) throws -> Audience {
        guard let projectId = object.projectId else { return Audience() }
        return try audience(of: projectId, sight, wasOpen: batch.openBeforeDeletion.contains(projectId))
    }

    /// Who sees the project: whoever holds a permission on it, or everybody where it is open.
    private func audience(of projectId: String, _ sight: RowSight, wasOpen: Bool = false) throws -> Audience {
        let isOpen = try wasOpen || sight.access(projectId).map { $0 != .private } ?? false
        return Audience(projectId: projectId, isOpen: isOpen, viewers: isOpen ? [] : viewers[projectId] ?? [])
    }

    /// Who gained or lost sight of a project has its rows looked at anew; those of a project that came into being are changes themselves.
    private func addSightChanges(_ batch: ChangeBatch, _ found: inout ConcernedLists) {
        for (user, projectId, number) in batch.permissions where !batch.created.contains(projectId) {
            for list in users[user]?.lists ?? [] { found.revisit(list, projectId, [number]) }
        }
        for (projectId, number) in batch.openings where !batch.created.contains(projectId) {
            for view in users.values where view.roles[projectId] == nil {
                for list in view.lists { found.revisit(list, projectId, [number]) }
            }
        }
    }

    /// Lists of users: those of everybody who sees a project of the user whose row or permission changed, or saw it before. Nobody else sees that
    /// user, but for admins, whose lists have everything.
    private func addListsOfUsers(_ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists) throws {
        let shelf = index.rows(of: .user)
        guard !shelf.isEmpty else { return }
        let grants = (
            ofProject: Dictionary(grouping: batch.permissions, by: \.project), ofUser: Dictionary(grouping: batch.permissions, by: \.user)
        )
        var known: [String: Audience] = [:]
        func audienceNowOrBefore(_ projectId: String) throws -> Audience {
            if let audience = known[projectId] { return audience }
            var audience = try self.audience(of: projectId, sight, wasOpen: batch.openings[projectId] != nil)
            for grant in grants.ofProject[projectId] ?? [] { audience.viewers.insert(grant.user) }
            known[projectId] = audience
            return audience
        }
        for (user, projectId, number) in batch.permissions {
            // Whoever is gone is a change of its own.
            guard let row = try store.object(.user, user) else { continue }
            let audience = try audienceNowOrBefore(projectId)
            shelf.unanchored.forEachOfUsers(audience) { found.lookUp($0, user, [number]) }
            shelf.drawers(of: row) { drawer in drawer.forEachOfUsers(audience) { found.lookUp($0, user, [number]) } }
        }
        for (number, change) in batch.changes.enumerated() where change.className == .user {
            let kept = try store.permissions(ofUser: change.key).map { $0.text(PermissionField.projectId) }
            let turned = (grants.ofUser[change.key] ?? []).map(\.project)
            let audiences = try [Audience(viewers: [change.key])] + (kept + turned).map(audienceNowOrBefore)
            func add(_ drawer: ListDrawer) {
                drawer.forEach(seenBy: audiences[0]) { found.add($0, number) }
                for audience in audiences.dropFirst() { drawer.forEachOfUsers(audience) { found.add($0, number) } }
            }
            add(shelf.unanchored)
            forEachState(change) { object, before in shelf.drawers(of: object, unlike: before, add) }
        }
    }

    /// Lists that look at the project of an item, among those who see that project. Who comes to see it or loses it has its rows looked at anew
    /// anyway.
    private func addLookingAtProjects(_ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists) throws {
        let shelf = index.lookingAtProjects
        guard !shelf.isEmpty else { return }
        for (projectId, places, number) in batch.projects {
            let audience = try audience(of: projectId, sight)
            func add(_ drawer: ListDrawer) {
                drawer.forEach(seenBy: audience) { list in
                    if list.query.predicate.projectPlaces & places != 0 { found.revisit(list, projectId, [number]) }
                }
            }
            add(shelf.unanchored)
            forEachState(batch.changes[number]) { object, before in shelf.drawers(of: object, unlike: before, add) }
        }
    }

    /// Lists that look at the items of a project, among those who see that project. A transaction may change very many items: each list is told
    /// once for each project, of all that concern it.
    private func addLookingAtItems(_ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists) throws {
        let shelf = index.lookingAtItems
        guard !shelf.isEmpty else { return }
        for (projectId, numbers) in batch.projectsOfItems {
            let audience = try audience(of: projectId, sight)
            shelf.unanchored.forEach(seenBy: audience) { found.lookUp($0, projectId, numbers) }
            var drawers: [ObjectIdentifier: (drawer: ListDrawer, numbers: [Int])] = [:]
            for number in numbers {
                forEachState(batch.changes[number]) { object, before in
                    guard object.projectId == projectId else { return }
                    shelf.drawers(of: object, unlike: before) { drawer in
                        drawers[ObjectIdentifier(drawer), default: (drawer, [])].numbers.append(number)
                    }
                }
            }
            for (drawer, numbers) in drawers.values { drawer.forEach(seenBy: audience) { found.lookUp($0, projectId, numbers) } }
        }
    }

    /// Marks one list with all that can concern it: for a list that was read while these changes were committed.
    func concern(_ list: SharedList, with batch: ChangeBatch) {
        var found = ConcernedLists()
        for (number, change) in batch.changes.enumerated() where change.className == list.className { found.add(list, number) }
        var projects = batch.openings
        for (user, projectId, number) in batch.permissions {
            if list.className == .user { found.lookUp(list, user, [number]) }
            if list.key.scope == .user(user) { projects[projectId] = number }
        }
        for (projectId, number) in batch.projects(lookedAtBy: list.query.predicate) where projects[projectId] == nil {
            projects[projectId] = number
        }
        for (projectId, number) in projects { found.revisit(list, projectId, [number]) }
        if list.query.predicate.relations.contains(.items) {
            for (projectId, numbers) in batch.projectsOfItems { found.lookUp(list, projectId, numbers) }
        }
    }

    /// Moves the list from its old rows to its new ones, and tells who did that; `nil` where nothing of it changed.
    func apply(_ batch: ChangeBatch, to list: SharedList, _ sight: RowSight) throws -> (change: AppliedChange, by: [String])? {
        defer { list.clearConcern() }
        guard let count = list.live?.windowCount else { return nil }
        list.windowCountBefore = count
        // The rows are held by the list alone while they change: a second holder would have all of them copied.
        let candidates = try candidates(list, batch, sight)
        guard let change = list.live?.apply(candidates) else { return nil }
        list.first = nil
        return (change, try writers(of: change, in: list, batch, sight))
    }

    /// Who wrote what changed rows of the list, or gave or took sight of them.
    private func writers(of change: AppliedChange, in list: SharedList, _ batch: ChangeBatch, _ sight: RowSight) throws -> [String] {
        if let only = batch.onlyWriters { return only }
        var touched: Set<String> = []
        for (key, old) in change.replaced {
            touched.insert(key)
            if let projectId = old?.projectId { touched.insert(projectId) }
            if let projectId = list.live?.object(forKey: key)?.projectId { touched.insert(projectId) }
        }
        var numbers = list.concerned.filter { touched.contains(batch.changes[$0].key) }
        for (cause, causes) in list.causes where touched.contains(cause) { numbers += causes }
        if list.className == .user { numbers = try numbersOfSight(list, among: numbers, batch, sight) }
        return batch.writers(of: numbers.sorted())
    }

    /// A user is seen through permissions: of those that came or went, the ones in projects that the list's own user sees, and its own.
    private func numbersOfSight(_ list: SharedList, among numbers: [Int], _ batch: ChangeBatch, _ sight: RowSight) throws -> [Int] {
        guard case .user(let viewer) = list.key.scope, let view = users[viewer] else { return numbers }
        let own = list.projectsToRevisit.flatMap { list.causes[$0] ?? [] }
        return try own
            + numbers.filter { number in
                guard let projectId = (batch.changes[number].after ?? batch.changes[number].before)?.projectId else { return true }
                return view.sees(projectId, access: try sight.access(projectId))
            }
    }

    /// Every row that may have to enter, leave, move or change: its key, and the row as the list is to hold it.
    private func candidates(
        _ list: SharedList, _ batch: ChangeBatch, _ sight: RowSight
    ) throws -> [(key: String, after: Object?)] {
        let roles = self.roles(of: list.key.scope)
        var candidates: [(key: String, after: Object?)] = []
        var seen: Set<String> = []
        func add(_ key: String, _ object: @autoclosure () throws -> Object?) throws {
            guard seen.insert(key).inserted else { return }
            let row = try object().flatMap { try sight.admit($0, into: list, roles: roles) }
            candidates.append((key, row))
        }
        for number in list.concerned {
            let change = batch.changes[number]
            if keepsMembership(number, list, batch) {
                seen.insert(change.key)
                if list.live?.object(forKey: change.key) != nil { candidates.append((change.key, change.after)) }
            } else {
                try add(change.key, change.after)
            }
        }
        for key in list.keysToLookUp { try add(key, try live.object(list.className, key)) }
        for projectId in list.projectsToRevisit {
            switch list.className {
            case .project: try add(projectId, try store.object(.project, projectId))
            case .user:
                for permission in try store.permissions(ofProject: projectId) {
                    let key = permission.text(PermissionField.userId)
                    try add(key, try store.object(.user, key))
                }
            case .item, .permission, .presence:
                let place = SubscriptionIndex.projectPlace(of: list.className) ?? 0
                let held = list.live?.objects.filter { $0.text(place) == projectId } ?? []
                for row in held { try add(row.key, try live.object(list.className, row.key)) }
                try live.forEach(list.className, where: [Term(place: place, .equal, .string(projectId))]) { object in
                    try add(object.key, object)
                    return true
                }
            }
        }
        return candidates
    }

    /// Whether a row that changed belongs into the list if it did before: nothing changed that decides it, neither in the row nor around it.
    private func keepsMembership(_ number: Int, _ list: SharedList, _ batch: ChangeBatch) -> Bool {
        // A user is shown to each viewer in another way, and what is volatile may have been read between two messages.
        guard list.className != .user, !list.isVolatile, batch.changedPlaces(number) & list.places == 0 else { return false }
        let change = batch.changes[number]
        if !list.keysToLookUp.isEmpty, list.keysToLookUp.contains(change.key) { return false }
        guard !list.projectsToRevisit.isEmpty, let projectId = change.after?.projectId else { return true }
        return !list.projectsToRevisit.contains(projectId)
    }

    func roles(of scope: Scope) -> [String: Role] {
        guard case .user(let user) = scope else { return [:] }
        return users[user]?.roles ?? [:]
    }
}

/// Lists found so far, each once.
private struct ConcernedLists {
    private(set) var lists: [SharedList] = []

    private mutating func note(_ list: SharedList) {
        guard !list.isConcerned else { return }
        list.isConcerned = true
        lists.append(list)
    }

    mutating func add(_ list: SharedList, _ number: Int) {
        note(list)
        if list.concerned.last != number { list.concerned.append(number) }
    }

    mutating func revisit(_ list: SharedList, _ projectId: String, _ causes: [Int]) {
        if case .project(let own) = list.key.scope, own != projectId { return }
        note(list)
        list.projectsToRevisit.insert(projectId)
        list.addCauses(causes, of: projectId)
    }

    mutating func lookUp(_ list: SharedList, _ key: String, _ causes: [Int]) {
        if case .project(let own) = list.key.scope, own != key { return }
        note(list)
        list.keysToLookUp.insert(key)
        list.addCauses(causes, of: key)
    }
}
