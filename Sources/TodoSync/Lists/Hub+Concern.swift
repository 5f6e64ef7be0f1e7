import Todo
import TodoStore

/// Which lists a batch of changes can touch, and what becomes of their rows.
extension Hub {
    /// Marks every list that the changes can touch, each with what concerns it; the cost does not depend on any other list.
    func concernedLists(_ batch: ChangeBatch, _ sight: RowSight) throws -> [SharedList] {
        var found = ConcernedLists()
        for (number, change) in batch.changes.enumerated() {
            for projectId in Self.distinct(change.before?.projectId, change.after?.projectId) {
                found.add(index.lists(at: .project(change.className, projectId)), number)
                try addListsOfAllSeen(change, projectId, number, batch, sight, &found)
            }
            for place in SubscriptionIndex.indexedPlaces(of: change.className) {
                for value in Self.distinct(change.before?[place], change.after?[place]) {
                    found.add(index.lists(at: .term(change.className, place: place, value)), number)
                }
            }
            found.add(index.lists(at: .everything(change.className)), number)
        }
        addSightChanges(batch, &found)
        try addListsOfUsers(batch, sight, &found)
        try addRelated(batch, sight, &found)
        return found.lists
    }

    private static func distinct<Value: Equatable>(_ before: Value?, _ after: Value?) -> [Value] {
        guard let before else { return after.map { [$0] } ?? [] }
        guard let after, after != before else { return [before] }
        return [before, after]
    }

    /// Lists of all that a user sees: of those who hold a permission on the project, or of everybody where it is open.
    private func addListsOfAllSeen(
        _ change: Change, _ projectId: String, _ number: Int, _ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists
    ) throws {
        guard let listed = index.usersWithLists[change.className], !listed.isEmpty else { return }
        for user in try audience(of: projectId, among: listed, sight, wasOpen: batch.openBeforeDeletion.contains(projectId)) {
            found.add(index.lists(at: .user(change.className, user)), number)
        }
    }

    /// Who gained or lost sight of a project has its rows looked at anew.
    private func addSightChanges(_ batch: ChangeBatch, _ found: inout ConcernedLists) {
        for (user, projectId, number) in batch.permissions {
            for list in users[user]?.lists ?? [] { found.revisit(list, projectId, [number]) }
        }
        for (projectId, number) in batch.openings {
            for view in users.values where view.roles[projectId] == nil {
                for list in view.lists { found.revisit(list, projectId, [number]) }
            }
        }
    }

    /// Lists of users: those of everybody who sees a project of the user whose row or permission changed, or saw it before. Nobody else sees that
    /// user, but for admins, whose lists have everything.
    private func addListsOfUsers(_ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists) throws {
        guard let listed = index.usersWithLists[.user], !listed.isEmpty else { return }
        let grants = (
            ofProject: Dictionary(grouping: batch.permissions, by: \.project), ofUser: Dictionary(grouping: batch.permissions, by: \.user)
        )
        var known: [String: Set<String>] = [:]
        func audienceNowOrBefore(_ projectId: String) throws -> Set<String> {
            if let audience = known[projectId] { return audience }
            var audience = Set(try self.audience(of: projectId, among: listed, sight, wasOpen: batch.openings[projectId] != nil))
            for grant in grants.ofProject[projectId] ?? [] where listed.contains(grant.user) { audience.insert(grant.user) }
            known[projectId] = audience
            return audience
        }
        for (user, projectId, number) in batch.permissions {
            for viewer in try audienceNowOrBefore(projectId) {
                for list in index.lists(at: .user(.user, viewer)) { found.lookUp(list, user, [number]) }
            }
        }
        for (number, change) in batch.changes.enumerated() where change.className == .user {
            var viewers: Set<String> = listed.contains(change.key) ? [change.key] : []
            let kept = try store.permissions(ofUser: change.key).map { $0.text(PermissionField.projectId) }
            let turned = (grants.ofUser[change.key] ?? []).map(\.project)
            for projectId in kept + turned { viewers.formUnion(try audienceNowOrBefore(projectId)) }
            for viewer in viewers { found.add(index.lists(at: .user(.user, viewer)), number) }
        }
    }

    /// Those of the users who see the project.
    private func audience(
        of projectId: String, among users: Set<String>, _ sight: RowSight, wasOpen: Bool = false
    ) throws -> some Sequence<String> {
        let isOpen = try wasOpen || sight.access(projectId).map { $0 != .private } ?? false
        return (isOpen ? users : viewers[projectId] ?? []).lazy.filter(users.contains)
    }

    /// Lists that look at the project of an item, or at the items of a project, among those who see that project. Who comes to see it or loses it
    /// has its rows looked at anew anyway.
    private func addRelated(_ batch: ChangeBatch, _ sight: RowSight, _ found: inout ConcernedLists) throws {
        for (projectId, places, number) in batch.projects {
            try forEachRelated(projectId, sight) { list in
                if list.query.predicate.projectPlaces & places != 0 { found.revisit(list, projectId, [number]) }
            }
        }
        for (projectId, numbers) in batch.projectsOfItems {
            try forEachRelated(projectId, sight) { list in
                if list.query.predicate.relations.contains(.items) { found.lookUp(list, projectId, numbers) }
            }
        }
    }

    private func forEachRelated(_ projectId: String, _ sight: RowSight, _ body: (SharedList) -> Void) throws {
        index.relatedLists(.everything).forEach(body)
        index.relatedLists(.project(projectId)).forEach(body)
        guard !index.usersWithRelated.isEmpty else { return }
        for user in try audience(of: projectId, among: index.usersWithRelated, sight) { index.relatedLists(.user(user)).forEach(body) }
    }

    /// Marks one list with all that can concern it: for a list that was read while these changes were committed.
    func concern(_ list: SharedList, with batch: ChangeBatch) {
        var found = ConcernedLists()
        for (number, change) in batch.changes.enumerated() where change.className == list.className { found.add([list], number) }
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
            let row = try object().flatMap { try sight.admit($0, into: list.query, list.key.scope, roles: roles) }
            candidates.append((key, row))
        }
        for number in list.concerned {
            let change = batch.changes[number]
            try add(change.key, change.after)
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

    mutating func add(_ found: [SharedList], _ number: Int) {
        for list in found {
            note(list)
            if list.concerned.last != number { list.concerned.append(number) }
        }
    }

    mutating func revisit(_ list: SharedList, _ projectId: String, _ causes: [Int]) {
        if case .project(let own) = list.key.scope, own != projectId { return }
        note(list)
        list.projectsToRevisit.insert(projectId)
        list.causes[projectId, default: []] += causes
    }

    mutating func lookUp(_ list: SharedList, _ key: String, _ causes: [Int]) {
        if case .project(let own) = list.key.scope, own != key { return }
        note(list)
        list.keysToLookUp.insert(key)
        list.causes[key, default: []] += causes
    }
}
