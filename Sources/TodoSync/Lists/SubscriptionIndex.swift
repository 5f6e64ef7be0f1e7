import Todo

/// Where a list stands in the index: the narrowest thing that every change which touches it has.
enum IndexPlace: Hashable {
    /// Rows of that class in that project.
    case project(ClassName, String)
    /// Rows of that class with that value at that place.
    case term(ClassName, place: Int, Value)
    /// Any row of that class that the user sees.
    case user(ClassName, String)
    /// Any row of that class.
    case everything(ClassName)
}

/// Finds the lists that a change can touch, and no others.
struct SubscriptionIndex {
    private(set) var lists: [ListKey: SharedList] = [:]
    private var places: [IndexPlace: [SharedList]] = [:]
    /// Users with lists of all they see, by class.
    private(set) var usersWithLists: [ClassName: Set<String>] = [:]
    /// Lists whose filter looks at other objects than its own rows, by whose rights decide what they hold.
    private var related: [Scope: [SharedList]] = [:]
    /// Users with such lists.
    private(set) var usersWithRelated: Set<String> = []

    /// The fields by whose value a list is filed: ids, of which few rows share one.
    static func indexedPlaces(of className: ClassName) -> [Int] {
        switch className {
        case .project: projectPlaces
        case .item: itemPlaces
        case .permission: permissionPlaces
        case .presence: presencePlaces
        case .user: []
        }
    }

    private static let projectPlaces = [ProjectField.owner]
    private static let itemPlaces = [ItemField.itemId, ItemField.createdBy, ItemField.assignee]
    private static let presencePlaces = [PresenceField.presenceId, PresenceField.userId]
    private static let permissionPlaces = [PermissionField.permissionId, PermissionField.userId]

    /// The scope and the place of a query: fixed to one project, all that a user sees, or everything for an admin.
    static func placement(of query: Query, for caller: Caller) -> (scope: Scope, place: IndexPlace) {
        let className = query.className
        if let place = projectPlace(of: className),
            let term = query.predicate.terms.first(where: { $0.place == place && $0.comparison == .equal }), let id = term.value.string
        {
            return (.project(id), .project(className, id))
        }
        let scope: Scope = caller.isAdmin ? .everything : .user(caller.userId)
        let indexed = indexedPlaces(of: className)
        if let term = query.predicate.terms.first(where: { $0.comparison == .equal && indexed.contains($0.place) }) {
            return (scope, .term(className, place: term.place, term.value))
        }
        return (scope, caller.isAdmin ? .everything(className) : .user(className, caller.userId))
    }

    static func projectPlace(of className: ClassName) -> Int? {
        switch className {
        case .project: ProjectField.projectId
        case .item: ItemField.projectId
        case .permission: PermissionField.projectId
        case .presence: PresenceField.projectId
        case .user: nil
        }
    }

    func lists(at place: IndexPlace) -> [SharedList] {
        places[place] ?? []
    }

    mutating func insert(_ list: SharedList) {
        lists[list.key] = list
        places[list.place, default: []].append(list)
        if case .user(let className, let user) = list.place { usersWithLists[className, default: []].insert(user) }
        guard !list.query.predicate.relations.isEmpty else { return }
        related[list.key.scope, default: []].append(list)
        if case .user(let user) = list.key.scope { usersWithRelated.insert(user) }
    }

    /// The lists of that scope whose filter looks at other objects.
    func relatedLists(_ scope: Scope) -> [SharedList] {
        related[scope] ?? []
    }

    mutating func remove(_ list: SharedList) {
        lists[list.key] = nil
        removeRelated(list)
        places[list.place]?.removeAll { $0 === list }
        guard places[list.place]?.isEmpty == true else { return }
        places[list.place] = nil
        if case .user(let className, let user) = list.place { usersWithLists[className]?.remove(user) }
    }

    private mutating func removeRelated(_ list: SharedList) {
        guard !list.query.predicate.relations.isEmpty else { return }
        related[list.key.scope]?.removeAll { $0 === list }
        guard related[list.key.scope]?.isEmpty == true else { return }
        related[list.key.scope] = nil
        if case .user(let user) = list.key.scope { usersWithRelated.remove(user) }
    }
}
