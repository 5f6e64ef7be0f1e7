import Todo
import TodoProtocol
import TodoStore

/// The lines of the audit that writes cause: who may see what changed, and what an admin did in projects of others.
extension Hub {
    /// Notes the lines of a transaction; they are written once it is durable.
    func auditRights(_ changes: [Change], _ caller: Caller, _ answer: Answer) throws(StoreFailure) {
        let address = answer.session.peer.address
        auditRights(changes, by: caller.userId, from: address)
        guard caller.isAdmin else { return }
        auditOnceDurable(try adminActs(changes, caller.userId).map { act in act.line(by: caller.userId, from: address) })
    }

    /// What the user could not have done without being an admin, by project, class and kind of change.
    private func adminActs(_ changes: [Change], _ userId: String) throws(StoreFailure) -> [AdminAct] {
        var acts: [AdminAct] = []
        var places: [AdminAct.Key: Int] = [:]
        var roles: [String: Role?] = [:]
        for change in changes {
            guard let needed = AdminAct.roleNeeded(for: change, userId) else { continue }
            for projectId in Set([change.before?.projectId, change.after?.projectId].compactMap { $0 }).sorted() {
                let held: Role?
                if let known = roles[projectId] {
                    held = known
                } else {
                    held = try roleBefore(changes, userId, projectId)
                    roles.updateValue(held, forKey: projectId)
                }
                guard held.map({ $0 < needed }) ?? true else { continue }
                let key = AdminAct.Key(projectId: projectId, className: change.className, kind: AdminAct.kind(of: change))
                if let place = places[key] {
                    acts[place].count += 1
                } else {
                    places[key] = acts.count
                    acts.append(AdminAct(key: key, firstId: change.key))
                }
            }
        }
        return acts
    }

    /// What the user might do in the project before these changes, were they no admin. In a project that is new all is the user's own.
    private func roleBefore(_ changes: [Change], _ userId: String, _ projectId: String) throws(StoreFailure) -> Role? {
        func before(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
            if let change = changes.first(where: { $0.className == className && $0.key == key }) { return change.before }
            return try store.object(className, key)
        }
        guard let project = try before(.project, projectId) else { return .owner }
        let permission = try before(.permission, PermissionKey.of(project: projectId, user: userId))
        let roles = [
            Access(rawValue: project.text(ProjectField.access))?.role, permission.flatMap { Role(name: $0.text(PermissionField.role)) },
        ]
        return roles.compactMap { $0 }.max()
    }

    /// Notes that an admin looks at all there is of a class, that of others among it.
    func auditReading(_ query: QueryText, _ caller: Caller, _ session: Session) {
        guard caller.isAdmin else { return }
        audit(
            Audit(
                event: "admin.read", by: caller.userId, address: session.peer.address,
                details: [("class", query.className.name), ("filter", String((query.filter ?? "").prefix(200)))]))
    }

    /// Notes who came to hold which role, or lost it, and which projects were opened or closed.
    func auditRights(_ changes: [Change], by user: String, from address: String?) {
        var lines: [Audit] = []
        for change in changes {
            switch change.className {
            case .permission: lines.append(Self.line(of: change, user, address))
            case .project where change.before?.text(ProjectField.access) != change.after?.text(ProjectField.access):
                guard change.before != nil, let access = change.after?.text(ProjectField.access) else { break }
                lines.append(Audit(event: "access", by: user, address: address, details: [("project", change.key), ("access", access)]))
            case .project, .item, .user, .presence: break
            }
        }
        auditOnceDurable(lines)
    }

    private func auditOnceDurable(_ lines: [Audit]) {
        guard !lines.isEmpty else { return }
        group.effects.append { [unowned self] in
            for line in lines { audit(line) }
        }
    }

    private static func line(of change: Change, _ user: String, _ address: String?) -> Audit {
        let permission = change.after ?? change.before
        return Audit(
            event: "permission", by: user, user: permission?.text(PermissionField.userId), address: address,
            details: [
                ("project", permission?.text(PermissionField.projectId) ?? ""),
                ("role", change.after?.text(PermissionField.role) ?? "none"),
                ("before", change.before?.text(PermissionField.role) ?? "none"),
            ])
    }
}
