/// Sight and rights: existence never leaks, so sight is asked first (`-32003`) and the right second (`-32002`).
extension TransactionRun {
    /// What the caller may do in the project, `nil` where it may not even see it.
    func role(in project: Object) throws -> Role? {
        try Rights.role(of: settings.caller, in: project, store)
    }

    func role(inProject projectId: String) throws -> Role? {
        guard let project = try store.object(.project, projectId) else { return nil }
        return try role(in: project)
    }

    func sees(_ object: Object) throws -> Bool {
        try Rights.sees(settings.caller, object, store)
    }

    /// The project that a new object goes into, if the caller has at least that role there.
    func project(_ projectId: String, requiring role: Role, path: String) throws -> Object {
        let project = try visible(.project, projectId, path: path)
        try require(role, in: project)
        return project
    }

    private func require(_ role: Role, in project: Object) throws {
        guard let held = try self.role(in: project), held >= role else {
            throw Refusal(
                .notPermitted, "roleTooLow",
                "This needs the role '\(role.name)' in the project '\(project.key)'; ask one of its owners for it.")
        }
    }

    func roleNeeded(toSet set: FieldValues, ofClass className: ClassName) -> Role {
        switch className {
        case .item: .editor
        case .project: set.contains { $0.place == ProjectField.access } ? .owner : .editor
        case .permission, .user: .owner
        case .presence: .viewer
        }
    }

    func requireRight(toSet set: FieldValues, of object: Object) throws {
        guard let projectId = object.projectId, let project = try store.object(.project, projectId) else {
            throw Refusal(
                .notPermitted, "keptByServer", "The server keeps \(object.className.name) objects; a transaction can't change them.")
        }
        try require(roleNeeded(toSet: set, ofClass: object.className), in: project)
        try requireOwnSession(object)
    }

    /// Sight of every object concerned comes before the right to any: here, of the project that an item is to move into.
    func requireSight(ofTarget set: FieldValues, _ className: ClassName, path: String = "set") throws {
        guard className == .item, let target = set.first(where: { $0.place == ItemField.projectId })?.value.string else { return }
        _ = try visible(.project, target, path: "\(path).projectId")
    }

    func requireRightToDelete(_ object: Object) throws {
        try requireOwnSession(object)
        guard try mayDelete(object) else {
            let needed: Role = object.className == .item ? .editor : .owner
            throw Refusal(
                .notPermitted, "roleTooLow",
                "To delete this \(object.className.name) needs the role '\(needed.name)' in its project; ask one of its owners for it.")
        }
    }

    private func mayDelete(_ object: Object) throws -> Bool {
        guard let projectId = object.projectId, let role = try role(inProject: projectId) else { return false }
        return mayDelete(role, object)
    }

    /// Whether that role in its project is enough to delete the object.
    func mayDelete(_ role: Role, _ object: Object) -> Bool {
        switch object.className {
        case .item: role >= .editor
        case .project: role >= .owner
        case .permission: role >= .owner || object.text(PermissionField.userId) == settings.caller.userId
        case .presence: isOfOwnSession(object)
        case .user: false
        }
    }
}
