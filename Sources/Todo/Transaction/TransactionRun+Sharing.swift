/// Sharing beyond plain permission objects: by a user's name, and by an invitation.
extension TransactionRun {
    /// A permission for the user of that name. Sight and right of the project come first; what is then told of a name is what
    /// `findUser` tells everybody.
    mutating func grant(userName: String, _ values: FieldValues, isUpsert: Bool) throws -> String {
        let given = Given(values.map { ($0.place, $0.value) }) { $1 }
        let projectId = try self.given(.permission, PermissionField.projectId, given)
        _ = try project(projectId, requiring: .owner, path: "object.projectId")
        guard let user = try store.userNamed(normalisedName: userName) else {
            throw Refusal(.notFound, "noSuchObject", "There is no user of that name.", path: "object.userName")
        }
        let named = values + [(PermissionField.userId, .string(user.key))]
        return try isUpsert ? upsert(.permission, named) : create(.permission, named)
    }

    /// Gives the caller a role in the project, which the caller need not see yet: whoever calls this has checked the invitation.
    public mutating func join(_ projectId: String, as role: Role) throws {
        try give(role, to: settings.caller.userId, in: projectId)
    }

    /// Gives the user that role in the project at least: one that is held already is never made smaller.
    mutating func give(_ role: Role, to userId: String, in projectId: String) throws {
        guard let known = try store.object(.permission, PermissionKey.of(project: projectId, user: userId)) else {
            let permission = permission(project: projectId, user: userId, role: role)
            try insert(permission)
            return try settleOwner(before: nil, after: permission)
        }
        guard let held = Role(name: known.text(PermissionField.role)), held < role else { return }
        var raised = known
        raised[PermissionField.role] = .string(role.name)
        try replace(known, with: raised)
        try settleOwner(before: known, after: raised)
    }
}
