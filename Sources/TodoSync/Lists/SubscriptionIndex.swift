import Todo

/// Where a list is filed: by what changed objects must hold to concern it. `nil` where any object may.
struct ListFiling {
    /// For its own rows.
    let rows: Set<Anchor>?
    /// For the projects of its rows, where its filter looks at them.
    let projects: Set<Anchor>?
    /// For the items of its rows, where its filter looks at them.
    let items: Set<Anchor>?

    init(_ query: Query, _ scope: Scope) {
        // All rows of a list that is fixed to a project are of that project.
        let isFixed = if case .project = scope { true } else { false }
        rows = query.anchors(leavingOut: isFixed ? SubscriptionIndex.projectPlace(of: query.className) : nil)
        projects = query.projectAnchors
        items = query.itemAnchors
    }
}

/// Finds the lists that a change can touch, and no others.
struct SubscriptionIndex {
    private(set) var lists: [ListKey: SharedList] = [:]
    /// By the class of their rows: what concerns them as changed rows.
    private var shelves = ClassName.allCases.map { _ in ListShelf() }
    /// Lists of items whose filter looks at the project: what concerns them as changed projects.
    private(set) var lookingAtProjects = ListShelf()
    /// Lists of projects whose filter looks at the items: what concerns them as changed items.
    private(set) var lookingAtItems = ListShelf()
    /// Lists that are fixed to a project.
    private var ofProjects: [String: [SharedList]] = [:]
    private var filters: [SharedFilter.Key: SharedFilter] = [:]

    /// Whose rights decide what a query's list holds: fixed to one project, all that a user sees, or everything for an admin.
    static func scope(of query: Query, for caller: Caller) -> Scope {
        if let place = projectPlace(of: query.className),
            let term = query.predicate.terms.first(where: { $0.place == place && $0.comparison == .equal }), let id = term.value.string
        {
            return .project(id)
        }
        return caller.isAdmin ? .everything : .user(caller.userId)
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

    /// The lists whose rows are of that class.
    func rows(of className: ClassName) -> ListShelf { shelves[Int(className.rawValue)] }

    /// The lists that are fixed to that project.
    func lists(ofProject projectId: String) -> [SharedList] { ofProjects[projectId] ?? [] }

    mutating func insert(_ list: SharedList) {
        lists[list.key] = list
        shelves[Int(list.className.rawValue)].insert(list, at: list.filing.rows)
        let relations = list.query.predicate.relations
        if relations.contains(.project) { lookingAtProjects.insert(list, at: list.filing.projects) }
        if relations.contains(.items) { lookingAtItems.insert(list, at: list.filing.items) }
        if case .project(let id) = list.key.scope { ofProjects[id, default: []].append(list) }
        shareFilter(of: list)
    }

    mutating func remove(_ list: SharedList) {
        lists[list.key] = nil
        shelves[Int(list.className.rawValue)].remove(list, at: list.filing.rows)
        let relations = list.query.predicate.relations
        if relations.contains(.project) { lookingAtProjects.remove(list, at: list.filing.projects) }
        if relations.contains(.items) { lookingAtItems.remove(list, at: list.filing.items) }
        if case .project(let id) = list.key.scope {
            ofProjects[id]?.removeAll { $0 === list }
            if ofProjects[id]?.isEmpty == true { ofProjects[id] = nil }
        }
        guard let filter = list.filter else { return }
        filter.lists -= 1
        if filter.lists == 0 { filters[filter.key] = nil }
    }

    /// Lists of several users often have one filter; where it searches text, what it says of a row is worth keeping for the next list.
    private mutating func shareFilter(of list: SharedList) {
        guard list.query.predicate.searchCost > 0, list.className != .user else { return }
        let key = SharedFilter.Key(className: list.className, predicate: list.query.predicate)
        let filter = filters[key] ?? SharedFilter(key)
        filters[key] = filter
        filter.lists += 1
        list.filter = filter
    }
}

/// A filter that searches text, and the lists that have it: what it says of a row is found out once for all of them.
final class SharedFilter {
    struct Key: Hashable {
        let className: ClassName
        let predicate: Predicate
    }

    let key: Key
    /// How many lists have it.
    fileprivate(set) var lists = 0

    fileprivate init(_ key: Key) {
        self.key = key
    }
}
