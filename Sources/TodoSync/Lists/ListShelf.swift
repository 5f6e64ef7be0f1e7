import Todo

/// Who sees a row: those whose lists a change of it can touch.
struct Audience {
    /// The project that the row belongs to, `nil` for a user.
    var projectId: String?
    /// Everybody sees it.
    var isOpen = false
    /// Those who see it where not everybody does.
    var viewers: Set<String> = []
}

/// Lists that stand at one place, by whose rights decide what they hold.
final class ListDrawer {
    private var everything: [SharedList] = []
    private var projects: [String: [SharedList]] = [:]
    private var users: [String: [SharedList]] = [:]

    var isEmpty: Bool { everything.isEmpty && projects.isEmpty && users.isEmpty }

    /// The lists of admins, and of all whom the row may concern.
    func forEach(seenBy audience: Audience, _ body: (SharedList) throws -> Void) rethrows {
        try everything.forEach(body)
        if let projectId = audience.projectId, let lists = projects[projectId] { try lists.forEach(body) }
        try forEachOfUsers(audience, body)
    }

    /// The lists of the users in the audience. It costs what there are fewer of: users with lists here, or users who see the row.
    func forEachOfUsers(_ audience: Audience, _ body: (SharedList) throws -> Void) rethrows {
        if audience.isOpen {
            for lists in users.values { try lists.forEach(body) }
        } else if users.count < audience.viewers.count {
            for (user, lists) in users where audience.viewers.contains(user) { try lists.forEach(body) }
        } else if !users.isEmpty {
            for user in audience.viewers { try users[user]?.forEach(body) }
        }
    }

    fileprivate func insert(_ list: SharedList) {
        switch list.key.scope {
        case .everything: everything.append(list)
        case .project(let id): projects[id, default: []].append(list)
        case .user(let id): users[id, default: []].append(list)
        }
    }

    fileprivate func remove(_ list: SharedList) {
        switch list.key.scope {
        case .everything: everything.removeAll { $0 === list }
        case .project(let id): Self.remove(list, from: &projects, id)
        case .user(let id): Self.remove(list, from: &users, id)
        }
    }

    private static func remove(_ list: SharedList, from lists: inout [String: [SharedList]], _ id: String) {
        lists[id]?.removeAll { $0 === list }
        if lists[id]?.isEmpty == true { lists[id] = nil }
    }
}

/// Lists that changes of one class can touch, in drawers by what the changed objects hold.
///
/// A list stands in one drawer for each of its anchors, or in the one for lists that any object may concern.
struct ListShelf {
    /// Lists that any object may concern.
    let unanchored = ListDrawer()
    private var drawers: [Anchor: ListDrawer] = [:]
    /// The fields that the anchors are about.
    private var columns: [Column] = []

    private struct Column {
        let column: Anchor.Column
        /// How many drawers are there for it.
        var drawers = 0
        /// The bytes of the longest text that one was made for.
        var bytesMax = 0
    }

    /// Whether nothing stands here.
    var isEmpty: Bool { drawers.isEmpty && unanchored.isEmpty }

    mutating func insert(_ list: SharedList, at anchors: Set<Anchor>?) {
        guard let anchors else { return unanchored.insert(list) }
        for anchor in anchors {
            if let drawer = drawers[anchor] {
                drawer.insert(list)
            } else {
                let drawer = ListDrawer()
                drawer.insert(list)
                drawers[anchor] = drawer
                add(anchor)
            }
        }
    }

    mutating func remove(_ list: SharedList, at anchors: Set<Anchor>?) {
        guard let anchors else { return unanchored.remove(list) }
        for anchor in anchors {
            guard let drawer = drawers[anchor] else { continue }
            drawer.remove(list)
            guard drawer.isEmpty else { continue }
            drawers[anchor] = nil
            forget(anchor)
        }
    }

    private mutating func add(_ anchor: Anchor) {
        let known = columns.firstIndex { $0.column == anchor.column }
        if known == nil { columns.append(Column(column: anchor.column)) }
        let index = known ?? columns.count - 1
        columns[index].drawers += 1
        columns[index].bytesMax = max(columns[index].bytesMax, anchor.value.string?.utf8.count ?? 0)
    }

    private mutating func forget(_ anchor: Anchor) {
        guard let index = columns.firstIndex(where: { $0.column == anchor.column }) else { return }
        columns[index].drawers -= 1
        if columns[index].drawers == 0 { columns.remove(at: index) }
    }

    /// Whether lists are anchored by what the project of an item holds.
    var asksForProjects: Bool { columns.contains { $0.column.holder == .project } }

    /// The drawers of lists that are anchored by what the object holds.
    ///
    /// - Parameters:
    ///   - before: another state of the object, in the same project: only the drawers of what differs from it are found.
    ///   - project: the project of the object, if the shelf asks for it.
    func drawers(
        of object: Object, unlike before: Object? = nil, in project: Object? = nil, _ body: (ListDrawer) throws -> Void
    ) rethrows {
        for entry in columns {
            let column = entry.column
            let holder: Object?
            switch column.holder {
            case .object:
                if let before, before[column.place] == object[column.place] { continue }
                holder = object
            case .project:
                if before != nil { continue }
                holder = project
            }
            guard let value = column.value(in: holder, bytesMax: entry.bytesMax) else { continue }
            if let drawer = drawers[Anchor(column: column, value: value)] { try body(drawer) }
        }
    }
}
