/// `create` and `upsert`, and what the server fills in.
extension TransactionRun {
    typealias Given = [Int: Value]

    mutating func create(_ className: ClassName, _ values: FieldValues) throws -> String {
        let given = Given(values.map { ($0.place, $0.value) }) { $1 }
        switch className {
        case .project: return try createProject(given)
        case .item: return try createItem(given)
        case .permission: return try createPermission(given)
        case .presence: return try createPresence(given)
        case .user: throw Refusal(.invalid, "keptByServer", "Users come into being by 'register'; they can't be written.", path: "create")
        }
    }

    /// Realm's `add(_:update:)`: an object that is visible is updated; one that is not, or does not exist, is created,
    /// which reports a key that is taken as a conflict once the caller has shown its right to create there.
    mutating func upsert(_ className: ClassName, _ values: FieldValues) throws -> String {
        guard let key = key(className, values), let existing = try store.object(className, key), try sees(existing) else {
            return try create(className, values)
        }
        let set = values.filter { className.schema.fields[$0.place].keeper == .client }
        try requireSight(ofTarget: set, className, path: "object")
        try requireRight(toSet: set, of: existing)
        try update(existing, set, path: "object")
        return key
    }

    private func key(_ className: ClassName, _ values: FieldValues) -> String? {
        func text(_ place: Int) -> String? { values.first { $0.place == place }?.value.string }
        guard className == .permission else { return text(0) }
        guard let project = text(PermissionField.projectId), let user = text(PermissionField.userId) else { return nil }
        return PermissionKey.of(project: project, user: user)
    }

    func requireFree(_ className: ClassName, _ key: String) throws {
        guard try store.object(className, key) == nil else {
            throw Refusal(
                .conflict, "idExists", "The id '\(key)' is taken; choose another, or leave it out and the server chooses one.",
                path: "object.\(className.schema.fields[0].name)")
        }
    }

    func object(_ className: ClassName, _ given: Given, kept: Given) throws -> Object {
        let values = try className.schema.fields.enumerated().map { place, field in
            if let value = kept[place] ?? given[place] ?? field.initial { return value }
            throw missing(className, place)
        }
        return Object(className, values)
    }

    private func missing(_ className: ClassName, _ place: Int) -> Refusal {
        let field = className.schema.fields[place].name
        return Refusal(.invalid, "missing", "A new \(className.name) needs '\(field)'.", path: "object.\(field)")
    }

    func given(_ className: ClassName, _ place: Int, _ given: Given) throws -> String {
        guard let text = given[place]?.string else { throw missing(className, place) }
        return text
    }

    private mutating func createProject(_ given: Given) throws -> String {
        guard given[ProjectField.name] != nil else { throw missing(.project, ProjectField.name) }
        let key = given[ProjectField.projectId]?.string ?? makeId()
        try requireFree(.project, key)
        let owner = Value.string(settings.caller.userId)
        let project = try object(
            .project, given,
            kept: [
                ProjectField.projectId: .string(key), ProjectField.owner: owner, ProjectField.creator: owner,
                ProjectField.timestamp: .date(settings.now), ProjectField.itemCount: .integer(0), ProjectField.openCount: .integer(0),
                ProjectField.access: given[ProjectField.access] ?? .string(settings.accessOfNewProjects.rawValue),
            ])
        try insert(project)
        try insert(permission(project: key, user: settings.caller.userId, role: .owner))
        return key
    }

    private mutating func createItem(_ given: Given) throws -> String {
        let projectId = try self.given(.item, ItemField.projectId, given)
        guard given[ItemField.body] != nil else { throw missing(.item, ItemField.body) }
        let project = try project(projectId, requiring: .editor, path: "object.projectId")
        let key = given[ItemField.itemId]?.string ?? makeId()
        try requireFree(.item, key)
        try requireSight(ofAssignee: given[ItemField.assignee], in: project, path: "object.assignee")
        let isDone = given[ItemField.isDone]?.boolean ?? false
        let item = try object(
            .item, given,
            kept: [
                ItemField.itemId: .string(key), ItemField.timestamp: .date(settings.now),
                ItemField.completedAt: isDone ? .date(settings.now) : .null,
                ItemField.position: .string(Position.between(try store.lastPosition(inProject: projectId), nil)),
                ItemField.createdBy: .string(settings.caller.userId),
            ])
        try insert(item)
        count(items: 1, open: isDone ? 0 : 1, in: projectId)
        return key
    }

    private mutating func createPermission(_ given: Given) throws -> String {
        let projectId = try self.given(.permission, PermissionField.projectId, given)
        let userId = try self.given(.permission, PermissionField.userId, given)
        guard let role = Role(name: try self.given(.permission, PermissionField.role, given)) else {
            throw missing(.permission, PermissionField.role)
        }
        _ = try project(projectId, requiring: .owner, path: "object.projectId")
        guard try store.object(.user, userId) != nil else {
            throw Refusal(.notFound, "noSuchObject", "There is no user with the id '\(userId)'.", path: "object.userId")
        }
        let permission = permission(project: projectId, user: userId, role: role)
        guard try store.object(.permission, permission.key) == nil else {
            throw Refusal(
                .conflict, "idExists", "That user holds a permission on the project already; update it, or use 'upsert'.",
                path: "object.userId")
        }
        try insert(permission)
        try settleOwner(before: nil, after: permission)
        return permission.key
    }

    func permission(project: String, user: String, role: Role) -> Object {
        Object(
            .permission,
            [.string(PermissionKey.of(project: project, user: user)), .string(project), .string(user), .string(role.name)])
    }

    /// An assignee must be someone who sees the project.
    func requireSight(ofAssignee value: Value?, in project: Object, path: String) throws {
        guard let userId = value?.string, try !isSeen(project, by: userId) else { return }
        throw Refusal(.invalid, "assigneeWithoutSight", "'\(userId)' is nobody who sees the project; share it with them first.", path: path)
    }

    func isSeen(_ project: Object, by userId: String) throws -> Bool {
        guard let user = try store.object(.user, userId) else { return false }
        let other = Caller(userId: userId, isAdmin: user[UserField.isAdmin].boolean ?? false)
        return try Rights.role(of: other, in: project, store) != nil
    }
}
