/// `update`, `delete` and `move`, once the caller's right is shown.
extension TransactionRun {
    mutating func update(_ object: Object, _ set: FieldValues, path: String = "set") throws {
        var changed = object
        for (place, value) in set { changed[place] = value }
        switch object.className {
        case .item: try updateItem(object, &changed, set, path: path)
        case .permission: try updatePermission(object, changed)
        case .project, .user, .presence: try replace(object, with: changed)
        }
    }

    private mutating func updateItem(_ item: Object, _ changed: inout Object, _ set: FieldValues, path: String) throws {
        let source = item.text(ItemField.projectId)
        let target = changed.text(ItemField.projectId)
        if source != target {
            let project = try self.project(target, requiring: .editor, path: "\(path).projectId")
            changed[ItemField.position] = .string(Position.between(try store.lastPosition(inProject: target), nil))
            if !set.contains(where: { $0.place == ItemField.assignee }), let assignee = item[ItemField.assignee].string,
                try !isSeen(project, by: assignee)
            {
                changed[ItemField.assignee] = .null
            }
        }
        if set.contains(where: { $0.place == ItemField.assignee }) {
            guard let project = try store.object(.project, target) else {
                throw StoreFailure("the item '\(item.key)' belongs to no project; restore the store from a backup")
            }
            try requireSight(ofAssignee: changed[ItemField.assignee], in: project, path: "\(path).assignee")
        }
        let wasDone = item[ItemField.isDone] == .boolean(true)
        let isDone = changed[ItemField.isDone] == .boolean(true)
        if wasDone != isDone { changed[ItemField.completedAt] = isDone ? .date(settings.now) : .null }
        try replace(item, with: changed)
        count(items: -1, open: wasDone ? 0 : -1, in: source)
        count(items: 1, open: isDone ? 0 : 1, in: target)
    }

    private mutating func updatePermission(_ permission: Object, _ changed: Object) throws {
        try replace(permission, with: changed)
        try settleOwner(before: permission, after: changed)
    }

    mutating func delete(_ object: Object) throws {
        switch object.className {
        case .project: try deleteProject(object)
        case .item:
            try remove(object)
            count(items: -1, open: object[ItemField.isDone] == .boolean(true) ? 0 : -1, in: object.text(ItemField.projectId))
        case .permission:
            try remove(object)
            try settleOwner(before: object, after: nil)
        case .presence: try remove(object)
        case .user: throw Refusal(.notPermitted, "keptByServer", "A user can't be deleted by a transaction.")
        }
    }

    mutating func deleteProject(_ project: Object) throws {
        var items: [Object] = []
        try store.forEach(.item, where: [Term(place: ItemField.projectId, .equal, .string(project.key))]) {
            if $0.text(ItemField.projectId) == project.key { items.append($0) }
            return true
        }
        for item in items { try remove(item) }
        for permission in try store.permissions(ofProject: project.key) { try remove(permission) }
        try remove(try store.object(.project, project.key) ?? project)
    }

    /// `owner` is the creator while that user holds the role, else the owner whose permission is oldest; there is always one.
    ///
    /// It is settled where a permission made somebody an owner, or makes nobody one any more: to look for the owners among all permissions of
    /// the project at each other change would make the n-th member cost n.
    mutating func settleOwner(before: Object?, after: Object?) throws {
        let owners = [before, after].compactMap { $0 }.filter { $0.text(PermissionField.role) == Role.owner.name }
        guard owners.count == 1, let projectId = owners[0].projectId else { return }
        try settleOwner(ofProject: projectId)
    }

    private mutating func settleOwner(ofProject projectId: String) throws {
        guard let project = try store.object(.project, projectId) else { return }
        let owners = try store.permissions(ofProject: projectId)
            .filter { $0.text(PermissionField.role) == Role.owner.name }
            .map { $0.text(PermissionField.userId) }
        guard let oldest = owners.first else {
            throw Refusal(
                .conflict, "lastOwner",
                "The project '\(projectId)' would have no owner; make somebody else an owner first, or delete the project.")
        }
        let creator = project.text(ProjectField.creator)
        var owned = project
        owned[ProjectField.owner] = .string(owners.contains(creator) ? creator : oldest)
        try replace(project, with: owned)
    }

    /// `move` is about the project's whole order; where the item stands already, nothing is written.
    mutating func move(_ key: String, to place: Place) throws {
        let item = try visible(.item, key, path: "id")
        let neighbour = try neighbour(place)
        try requireRight(toSet: [], of: item)
        let projectId = item.text(ItemField.projectId)
        if let neighbour, neighbour.item.text(ItemField.projectId) != projectId {
            throw Refusal(
                .conflict, "otherProject",
                "'\(neighbour.item.key)' is in another project; set 'projectId' first, or name an item of the same project.",
                path: neighbour.path)
        }
        if neighbour?.item.key == key { return }
        let (lower, upper) = try bounds(place, beside: neighbour?.item.text(ItemField.position) ?? "", of: item)
        let position = item.text(ItemField.position)
        if lower.map({ $0 <= position }) ?? true, upper.map({ position <= $0 }) ?? true { return }
        var moved = item
        moved[ItemField.position] = .string(Position.between(lower, upper))
        try replace(item, with: moved)
    }

    /// The item beside which another is put, which the caller must see, and the name of the member that names it.
    private func neighbour(_ place: Place) throws -> (item: Object, path: String)? {
        switch place {
        case .start, .end: nil
        case .before(let key): (try visible(.item, key, path: "before"), "before")
        case .after(let key): (try visible(.item, key, path: "after"), "after")
        }
    }

    /// The positions between which the item is to stand; its own where it is first or last already.
    private func bounds(_ place: Place, beside position: String, of item: Object) throws -> (lower: String?, upper: String?) {
        let projectId = item.text(ItemField.projectId)
        return switch place {
        case .start: (nil, try store.firstPosition(inProject: projectId))
        case .end: (try store.lastPosition(inProject: projectId), nil)
        case .before: (try store.position(before: position, inProject: projectId, except: item.key), position)
        case .after: (position, try store.position(after: position, inProject: projectId, except: item.key))
        }
    }
}
