import Todo
import TodoProtocol
import TodoStore

/// `findUser`: by exact name, or by an id that the caller has met.
extension Hub {
    func findUser(_ reference: UserReference, _ answer: Answer) {
        guard let view = answer.session.login?.view else { return self.answer(answer, .notLoggedIn) }
        let caller = view.caller
        let find: @Sendable (any Snapshot) throws -> Object?
        switch reference {
        case .name(let text):
            let name: String
            do throws(Refusal) { name = try UserName(text, path: "name").folded } catch {
                return self.answer(answer, ErrorResponse(error))
            }
            find = { snapshot in try snapshot.userNamed(normalisedName: name) }
        case .userId(let userId):
            let isMet: Bool
            do { isMet = try hasMet(userId, view) } catch { return refuse(answer, error) }
            find = { snapshot in
                guard let user = try snapshot.object(.user, userId) else { return nil }
                return try isMet || FoundUser.isSeen(user, by: caller, snapshot) ? user : nil
            }
        }
        readUser(answer, find) { [unowned self] user in
            guard let user else { return self.answer(answer, .notFound("There is no such user, or none that you have met.")) }
            let shown = FoundUser.masked(user, for: caller)
            self.answer(answer) { writer in MessageEncoder.user(answer.id, shown, into: &writer) }
        }
    }

    /// Whether the user wrote or was present in a project that the caller sees.
    private func hasMet(_ userId: String, _ view: UserView) throws -> Bool {
        let sight = RowSight(store)
        return try acquaintances.projects(of: userId).contains { view.sees($0, access: try sight.access($0)) }
    }

    private func readUser(
        _ answer: Answer, _ find: @escaping @Sendable (any Snapshot) throws -> Object?, then: @escaping (Object?) -> Void
    ) {
        readSnapshot(for: answer) { snapshot in
            .found(try find(snapshot))
        } then: { outcome in
            guard case .found(let user) = outcome else { preconditionFailure("a user was looked for and something else came of it") }
            then(user)
        }
    }
}

/// What a caller may know of a user.
enum FoundUser {
    /// Whether the caller sees the user, or something that names the user.
    ///
    /// It looks through the projects that the caller sees, never through what the user has: how long that takes tells nothing that the
    /// caller does not know.
    static func isSeen(_ user: Object, by caller: Caller, _ reader: any ObjectReader) throws -> Bool {
        if caller.isAdmin || user.key == caller.userId { return true }
        for projectId in try projects(seenBy: caller, reader) {
            if try reader.object(.permission, PermissionKey.of(project: projectId, user: user.key)) != nil { return true }
            for place in [ItemField.createdBy, ItemField.assignee] where try isNamed(user.key, at: place, in: projectId, reader) {
                return true
            }
        }
        return false
    }

    private static func projects(seenBy caller: Caller, _ reader: any ObjectReader) throws -> Set<String> {
        var projects = Set(try reader.permissions(ofUser: caller.userId).map { $0.text(PermissionField.projectId) })
        for access in Access.allCases where access != .private {
            try reader.forEach(.project, where: [Term(place: ProjectField.access, .equal, .string(access.rawValue))]) { project in
                if project.text(ProjectField.access) == access.rawValue { projects.insert(project.key) }
                return true
            }
        }
        return projects
    }

    private static func isNamed(_ userId: String, at place: Int, in projectId: String, _ reader: any ObjectReader) throws -> Bool {
        var isFound = false
        let terms = [Term(place: place, .equal, .string(userId)), Term(place: ItemField.projectId, .equal, .string(projectId))]
        try reader.forEach(.item, where: terms) { item in
            isFound = item[place] == .string(userId) && item.text(ItemField.projectId) == projectId
            return !isFound
        }
        return isFound
    }

    /// Of others nobody but an admin learns who is an admin.
    static func masked(_ user: Object, for caller: Caller) -> Object {
        guard !caller.isAdmin, user.key != caller.userId else { return user }
        var masked = user
        masked[UserField.isAdmin] = .boolean(false)
        return masked
    }
}
