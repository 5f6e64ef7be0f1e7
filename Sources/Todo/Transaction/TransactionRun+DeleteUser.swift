/// What becomes of the projects of which a user who is deleted is the only owner.
public enum OwnProjects: Sendable, Hashable {
    /// Nobody has said: the deletion is refused where there are such projects.
    case unsettled
    /// They are deleted, with their items.
    case delete
    /// That user becomes their owner.
    case handOver(to: String)
}

/// Removing a user from the data.
extension TransactionRun {
    /// Removes a user and all that user's permissions; the projects of others stay whole.
    ///
    /// Whoever calls this has checked the right to do it, and ends the user's accounts, tokens and sessions in the same commit.
    /// Items keep `createdBy`; an `assignee` that is gone is cleared.
    public mutating func deleteUser(_ userId: String, _ ownProjects: OwnProjects) throws {
        guard let user = try store.object(.user, userId) else {
            throw Refusal(.notFound, "noSuchObject", "There is no User with the id '\(userId)' that you may see.", path: "userId")
        }
        if case .handOver(let heir) = ownProjects, try heir == userId || store.object(.user, heir) == nil {
            throw Refusal(.notFound, "noSuchObject", "There is no other User with the id '\(heir)' that you may see.", path: "handOverTo")
        }
        for permission in try store.permissions(ofUser: userId) { try withdraw(permission, ownProjects) }
        try clearAssignee(userId)
        try remove(user)
    }

    private mutating func withdraw(_ permission: Object, _ ownProjects: OwnProjects) throws {
        let projectId = permission.text(PermissionField.projectId)
        guard let project = try store.object(.project, projectId) else { return try remove(permission) }
        if try Rights.isOnlyOwner(permission, store) {
            switch ownProjects {
            case .delete: return try deleteProject(project)
            case .handOver(let heir): try give(.owner, to: heir, in: projectId)
            case .unsettled:
                throw Refusal(
                    .conflict, "ownsProjects",
                    "The user is the only owner of projects; say what becomes of them: 'handOverTo' another user, or 'deleteProjects'.")
            }
        }
        try remove(permission)
        try settleOwner(before: permission, after: nil)
    }

    private mutating func clearAssignee(_ userId: String) throws {
        var assigned: [Object] = []
        try store.forEach(.item, where: [Term(place: ItemField.assignee, .equal, .string(userId))]) {
            if $0[ItemField.assignee] == .string(userId) { assigned.append($0) }
            return true
        }
        for item in assigned {
            var free = item
            free[ItemField.assignee] = .null
            try replace(item, with: free)
        }
    }
}
