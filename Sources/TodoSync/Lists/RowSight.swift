import Todo

/// Decides which rows of a class a list holds: what its scope lets through and its predicate matches.
///
/// It reads one state of the store: the last commit for live lists, a snapshot for first ones.
final class RowSight {
    private let reader: any ObjectReader
    private let related: StoreRelations
    private var projects: [String: (row: Object?, access: Access?)] = [:]
    private var verdicts: [ObjectIdentifier: [String: Bool]] = [:]
    private var searches: SearchBudget
    /// How often a filter was evaluated.
    private(set) var evaluations = 0

    /// Sight of one state of the store, of which `tallies` are; its predicates may search that much text in all.
    init(_ reader: any ObjectReader, tallies: ItemTallies? = nil, searchBytesMax: Int = .max) {
        self.reader = reader
        searches = SearchBudget(searchBytesMax)
        related = StoreRelations(reader, tallies: tallies)
    }

    /// What the user's own permissions allow in that state, by project.
    static func roles(ofUser userId: String, _ reader: any ObjectReader) throws(StoreFailure) -> [String: Role] {
        var roles: [String: Role] = [:]
        for permission in try reader.permissions(ofUser: userId) {
            roles[permission.text(PermissionField.projectId)] = Role(name: permission.text(PermissionField.role))
        }
        return roles
    }

    /// What everybody may do in the project; `nil` where there is none of that id.
    func access(_ projectId: String) throws(StoreFailure) -> Access? {
        try known(projectId).access
    }

    /// The project of that id, if there is one.
    func project(_ projectId: String) throws(StoreFailure) -> Object? {
        try known(projectId).row
    }

    private func known(_ projectId: String) throws(StoreFailure) -> (row: Object?, access: Access?) {
        if let known = projects[projectId] { return known }
        let row = try reader.object(.project, projectId)
        let found = (row: row, access: row.flatMap { Access(rawValue: $0.text(ProjectField.access)) })
        projects[projectId] = found
        return found
    }

    /// The row as the list shows it, or `nil` where it does not belong into the list.
    func admit(_ object: Object, into query: Query, _ scope: Scope, roles: [String: Role]) throws -> Object? {
        guard let shown = try shown(object, scope, roles) else { return nil }
        return try matches(shown, query) ? shown : nil
    }

    /// The row as the list shows it, or `nil` where it does not belong into the list.
    func admit(_ object: Object, into list: SharedList, roles: [String: Role]) throws -> Object? {
        guard let shown = try shown(object, list.key.scope, roles) else { return nil }
        guard let filter = list.filter, filter.lists > 1 else { return try matches(shown, list.query) ? shown : nil }
        let key = shown.key
        if let known = verdicts[ObjectIdentifier(filter)]?[key] { return known ? shown : nil }
        let isMatch = try matches(shown, list.query)
        verdicts[ObjectIdentifier(filter), default: [:]][key] = isMatch
        return isMatch ? shown : nil
    }

    private func matches(_ shown: Object, _ query: Query) throws -> Bool {
        try searches.charge(query.predicate, shown, related)
        evaluations += 1
        let isMatch = query.predicate.matches(shown, related: related)
        try related.rethrow()
        return isMatch
    }

    private func shown(_ object: Object, _ scope: Scope, _ roles: [String: Role]) throws(StoreFailure) -> Object? {
        switch scope {
        case .everything:
            return object
        case .project(let id):
            return object.projectId == id ? object : nil
        case .user(let user):
            guard object.className == .user else {
                guard let projectId = object.projectId else { return nil }
                return try sees(projectId, roles) ? object : nil
            }
            return try shown(user: object, to: user, roles)
        }
    }

    /// A user is seen by itself and by whoever sees a project on which that user holds a permission; `isAdmin` of others reads false.
    private func shown(user: Object, to viewer: String, _ roles: [String: Role]) throws(StoreFailure) -> Object? {
        if user.key == viewer { return user }
        for permission in try reader.permissions(ofUser: user.key) {
            guard try sees(permission.text(PermissionField.projectId), roles) else { continue }
            var masked = user
            masked[UserField.isAdmin] = .boolean(false)
            return masked
        }
        return nil
    }

    private func sees(_ projectId: String, _ roles: [String: Role]) throws(StoreFailure) -> Bool {
        if roles[projectId] != nil { return true }
        guard let access = try access(projectId) else { return false }
        return access != .private
    }
}
