import Todo

/// The lines of the audit that writes cause: who may see what changed, and what an admin did in projects of others.
extension Hub {
    /// Notes the lines of a transaction; they are written once it is durable.
    func auditRights(_ changes: [Change], _ caller: Caller, _ answer: Answer) {
        var foreign: [String] = []
        let address = answer.session.peer.address
        auditRights(changes, by: caller.userId, from: address)
        for change in changes {
            if caller.isAdmin, let projectId = (change.before ?? change.after)?.projectId, !foreign.contains(projectId),
                answer.session.login?.view.roles[projectId] == nil,
                (change.before ?? change.after)?.className != .project || change.before != nil
            {
                foreign.append(projectId)
            }
        }
        auditOnceDurable(foreign.map { Audit(event: "admin.write", by: caller.userId, address: address, details: [("project", $0)]) })
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
