import Todo
import TodoProtocol
import TodoStore

/// Removing a user: one transaction in the change log, so that open lists hear of it like of any other.
extension Hub {
    /// Removes a user, inside a group: permissions, accounts, tokens, sessions, and what becomes of the user's own projects. Projects that
    /// others own stay as they are, with all that the user wrote in them; items that were assigned to the user are assigned to nobody.
    ///
    /// - Parameter admin: the id of the admin in whose name it is logged; `nil` for the operator.
    func deleteUser(_ userId: String, _ ownProjects: OwnProjects, by admin: String?, from address: String? = nil) throws {
        let caller = Caller(userId: admin ?? userId, isAdmin: true)
        var run = TransactionRun(store: live, settings: transactionSettings(caller), makeId: freshId)
        try run.deleteUser(userId, ownProjects)
        try append(run.changes, by: admin)
        auditRights(run.changes, by: admin ?? "operator", from: address)
        try store.deleteAccounts(ofUser: userId)
        try endAll(ofUser: userId, "the account was deleted")
    }

    /// The same by the operator's words, and what was done in a sentence.
    func delete(_ user: Object, _ ownProjects: OperatorCommand.OwnProjects, by admin: String?) throws -> String {
        let name = user.text(UserField.name)
        let owned = try store.permissions(ofUser: user.key).filter { try Rights.isOnlyOwner($0, store) }.count
        let fate: String
        switch ownProjects {
        case .undecided:
            guard owned == 0 else {
                throw Refusal(
                    .conflict, "ownsProjects",
                    "'\(name)' is the only owner of \(owned) projects: hand them over to another user, or delete them.")
            }
            try deleteUser(user.key, .unsettled, by: admin)
            fate = ""
        case .delete:
            try deleteUser(user.key, .delete, by: admin)
            fate = " and \(owned) projects"
        case .handOver(let text):
            let heirName = try UserName(text, path: "handOver")
            guard let heir = try store.userNamed(normalisedName: heirName.folded), heir.key != user.key else {
                throw Refusal(.notFound, "noSuchObject", "There is no other user named '\(heirName.shown)' to hand projects over to.")
            }
            try deleteUser(user.key, .handOver(to: heir.key), by: admin)
            fate = "; \(owned) projects belong to '\(heir.text(UserField.name))' now"
        }
        return "Deleted '\(name)' (\(user.key))\(owned == 0 ? "" : fate)."
    }
}
