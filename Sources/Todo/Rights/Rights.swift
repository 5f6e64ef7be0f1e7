/// Who may do what: a project's `access` and the user's `Permission` decide.
public enum Rights {
    /// What the user may do in the project, `nil` where it may not even see it.
    public static func role(of caller: Caller, in project: Object, _ reader: some ObjectReader) throws(StoreFailure) -> Role? {
        if caller.isAdmin { return .owner }
        let permission = try reader.object(.permission, PermissionKey.of(project: project.key, user: caller.userId))
        return max(
            Access(rawValue: project.text(ProjectField.access))?.role, permission.flatMap { Role(name: $0.text(PermissionField.role)) })
    }

    /// Whether the user may see the object: what belongs to a project is visible where the project is.
    ///
    /// A user is seen by itself, by admins, and by whoever sees a project on which that user holds a permission.
    public static func sees(_ caller: Caller, _ object: Object, _ reader: some ObjectReader) throws(StoreFailure) -> Bool {
        if caller.isAdmin { return true }
        guard object.className == .user else {
            guard let projectId = object.projectId else { return false }
            return try seesProject(caller, projectId, reader)
        }
        if object.key == caller.userId { return true }
        for permission in try reader.permissions(ofUser: object.key) {
            if try seesProject(caller, permission.text(PermissionField.projectId), reader) { return true }
        }
        return false
    }

    /// Whether the permission's user is an owner of its project, and nobody else is.
    public static func isOnlyOwner(_ permission: Object, _ reader: some ObjectReader) throws(StoreFailure) -> Bool {
        func isOwner(_ permission: Object) -> Bool { permission.text(PermissionField.role) == Role.owner.name }
        guard isOwner(permission) else { return false }
        return try reader.permissions(ofProject: permission.text(PermissionField.projectId)).allSatisfy {
            $0.key == permission.key || !isOwner($0)
        }
    }

    private static func seesProject(_ caller: Caller, _ projectId: String, _ reader: some ObjectReader) throws(StoreFailure) -> Bool {
        guard let project = try reader.object(.project, projectId) else { return false }
        return try role(of: caller, in: project, reader) != nil
    }

    private static func max(_ left: Role?, _ right: Role?) -> Role? {
        guard let left, let right else { return left ?? right }
        return Swift.max(left, right)
    }
}

/// The key of a permission, `projectId:userId`.
public enum PermissionKey {
    /// The key of that user's permission on that project.
    public static func of(project: String, user: String) -> String { project + ":" + user }
}
