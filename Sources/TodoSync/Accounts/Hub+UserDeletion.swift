import Todo
import TodoProtocol
import TodoStore

/// Removing a user: one transaction in the change log, so that open lists hear of it like of any other.
extension Hub {
    /// Removes the user with all permissions, accounts and tokens. Projects that others own stay as they are, with all that the user
    /// wrote in them; items that were assigned to the user are assigned to nobody.
    ///
    /// - Parameter admin: in whose name it is logged; `nil` for the server's own.
    func delete(_ user: Object, _ ownProjects: OperatorCommand.OwnProjects, by admin: String?) throws -> String {
        let permissions = try store.permissions(ofUser: user.key)
        let owned = try permissions.filter { try isOnlyOwner($0) }.map { $0.text(PermissionField.projectId) }
        var entries = try settle(owned, of: user, ownProjects)
        for permission in permissions where ownProjects != .delete || !owned.contains(permission.text(PermissionField.projectId)) {
            entries.append(.delete(.permission, key: permission.key, condition: []))
        }
        let assigned = try Predicate.parse("assignee == $0", of: .item, args: [.value(.string(user.key))], user: user.key)
        entries.append(.updateMatching(.item, assigned, set: [(ItemField.assignee, .null)]))

        let settings = TransactionSettings(
            caller: Caller(userId: admin ?? user.key, isAdmin: true), now: moment.wall,
            accessOfNewProjects: self.settings.accessOfNewProjects, objectsMax: .max, searchBytesMax: .max)
        let changes = try changes(of: entries, settings, store)
        try store.delete(user)
        try store.deleteAccounts(ofUser: user.key)
        try append(changes + [Change(.user, key: user.key, before: user, after: nil)], by: admin)
        try endAll(of: user, "the account was deleted")
        return "Deleted '\(user.text(UserField.name))' (\(user.key))\(fate(of: owned, ownProjects))."
    }

    private func isOnlyOwner(_ permission: Object) throws -> Bool {
        guard permission.text(PermissionField.role) == Role.owner.name else { return false }
        return try store.permissions(ofProject: permission.text(PermissionField.projectId)).allSatisfy { other in
            other.key == permission.key || other.text(PermissionField.role) != Role.owner.name
        }
    }

    /// What becomes of the projects of which the user is the only owner.
    private func settle(_ owned: [String], of user: Object, _ ownProjects: OperatorCommand.OwnProjects) throws -> [Entry] {
        switch ownProjects {
        case .undecided:
            guard owned.isEmpty else {
                throw Refusal(
                    .conflict, "lastOwner",
                    "'\(user.text(UserField.name))' is the only owner of \(owned.count) projects: hand them over to another user, or delete them."
                )
            }
            return []
        case .delete: return owned.map { .delete(.project, key: $0, condition: []) }
        case .handOver(let text):
            let name = try UserName(text, path: "handOver")
            guard let heir = try store.userNamed(normalisedName: name.folded), heir.key != user.key else {
                throw Refusal(.notFound, "noSuchObject", "There is no other user named '\(name.shown)' to hand projects over to.")
            }
            return owned.map { projectId in
                .upsert(
                    .permission,
                    values: [
                        (PermissionField.projectId, .string(projectId)), (PermissionField.userId, .string(heir.key)),
                        (PermissionField.role, .string(Role.owner.name)),
                    ])
            }
        }
    }

    private func changes(of entries: [Entry], _ settings: TransactionSettings, _ store: some Store) throws -> [Change] {
        var run = TransactionRun(store: store, settings: settings, makeId: freshId)
        _ = try run.apply(entries)
        return run.changes
    }

    private func fate(of owned: [String], _ ownProjects: OperatorCommand.OwnProjects) -> String {
        guard !owned.isEmpty else { return "" }
        return switch ownProjects {
        case .undecided: ""
        case .delete: " and \(owned.count) projects"
        case .handOver(let name): "; \(owned.count) projects belong to '\(name)' now"
        }
    }
}
