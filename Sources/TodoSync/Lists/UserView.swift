import Todo

/// A user who is logged in on at least one session: its rights, kept up with the commits, and its lists.
final class UserView {
    private(set) var caller: Caller
    var name: String
    /// What the user's own permissions allow, by project.
    var roles: [String: Role] = [:]
    /// The sessions on which the user is logged in.
    var sessions: [SessionID: Session] = [:]
    /// The lists that belong to this user alone.
    var lists: [SharedList] = []
    /// What the user has of the committer's time.
    let share = Share()

    init(user: Object) {
        caller = Caller(userId: user.key, isAdmin: user[UserField.isAdmin].boolean ?? false)
        name = user.text(UserField.name)
    }

    /// The user may do everything from now on, or no longer.
    func turnAdmin(_ isAdmin: Bool) {
        caller = Caller(userId: caller.userId, isAdmin: isAdmin)
    }

    /// Whether the user may see the project, given what everybody may do there.
    func sees(_ projectId: String, access: Access?) -> Bool {
        guard let access else { return false }
        return caller.isAdmin || access != .private || roles[projectId] != nil
    }
}
