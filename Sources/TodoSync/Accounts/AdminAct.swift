import Todo

/// What an admin did to others' data by being an admin: changes of one kind in one project.
struct AdminAct {
    /// What changes have in common to stand in one line.
    struct Key: Hashable {
        let projectId: String
        let className: ClassName
        let kind: String
    }

    let key: Key
    /// The first object that was changed.
    let firstId: String
    /// How many were.
    var count = 1

    /// The line of it for the operator's records.
    func line(by admin: String, from address: String) -> Audit {
        Audit(
            event: "admin.write", by: admin, address: address,
            details: [
                ("project", key.projectId), ("class", key.className.name), ("kind", key.kind), ("id", firstId), ("objects", "\(count)"),
            ])
    }

    /// `create`, `update` or `delete`.
    static func kind(of change: Change) -> String {
        if change.before == nil { return "create" }
        return change.after == nil ? "delete" : "update"
    }

    /// The role that who is no admin needs for the change; `nil` for what the server did by itself.
    static func roleNeeded(for change: Change, _ userId: String) -> Role? {
        switch change.className {
        case .item: return .editor
        case .permission:
            let isLeaving = change.after == nil && change.before?.text(PermissionField.userId) == userId
            return isLeaving ? .viewer : .owner
        case .project:
            guard let before = change.before, let after = change.after else { return .owner }
            if before[ProjectField.access] != after[ProjectField.access] { return .owner }
            return before[ProjectField.name] != after[ProjectField.name] ? .editor : nil
        case .user, .presence: return nil
        }
    }
}
