import Todo

/// The changes of one commit, or of several merged, and what follows from them for sight and for related objects.
struct ChangeBatch {
    let changes: [Change]
    /// The users who wrote them, at most 10.
    let by: [String]
    /// Permissions that came or went: the user may see the project now, or no longer.
    private(set) var permissions: [(user: String, project: String)] = []
    /// Projects that opened or closed to everybody.
    private(set) var openings: [String] = []
    /// Users who became admins, or are none any more.
    private(set) var turnedAdmins: Set<String> = []
    /// Projects that came into being.
    private(set) var created: Set<String> = []
    /// Projects that everybody saw and that are gone.
    private(set) var openBeforeDeletion: Set<String> = []
    /// Projects whose row changed and the places of the changed fields, a bit each, for items whose query looks at them.
    private(set) var projects: [(id: String, places: UInt64)] = []
    /// Projects of which an item changed, for projects whose query looks at their items.
    private(set) var projectsOfItems: Set<String> = []

    init(_ changes: [Change], by: [String] = []) {
        self.changes = changes
        self.by = by
        for change in changes {
            switch change.className {
            case .permission:
                if (change.before == nil) != (change.after == nil), let permission = change.after ?? change.before {
                    permissions.append((permission.text(PermissionField.userId), permission.text(PermissionField.projectId)))
                }
            case .project:
                projects.append((change.key, Self.changedPlaces(change)))
                if change.before == nil { created.insert(change.key) }
                if change.after == nil, Self.isOpen(change.before) { openBeforeDeletion.insert(change.key) }
                if Self.isOpen(change.before) != Self.isOpen(change.after) { openings.append(change.key) }
            case .item:
                if let before = change.before { projectsOfItems.insert(before.text(ItemField.projectId)) }
                if let after = change.after { projectsOfItems.insert(after.text(ItemField.projectId)) }
            case .user:
                if let before = change.before, let after = change.after, before[UserField.isAdmin] != after[UserField.isAdmin] {
                    turnedAdmins.insert(change.key)
                }
            }
        }
    }

    /// The projects of which a field changed that the predicate looks at.
    func projects(lookedAtBy predicate: Predicate) -> [String] {
        guard predicate.projectPlaces != 0 else { return [] }
        return projects.compactMap { $0.places & predicate.projectPlaces == 0 ? nil : $0.id }
    }

    private static func changedPlaces(_ change: Change) -> UInt64 {
        guard let before = change.before, let after = change.after else { return .max }
        return after.values.indices.reduce(0) { $0 | (before[$1] == after[$1] ? 0 : 1 << UInt64($1)) }
    }

    /// Whether everybody sees the project.
    static func isOpen(_ project: Object?) -> Bool {
        guard let project, project.className == .project, let access = Access(rawValue: project.text(ProjectField.access)) else {
            return false
        }
        return access != .private
    }
}
