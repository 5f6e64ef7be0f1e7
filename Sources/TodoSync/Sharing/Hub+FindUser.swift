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
        let session = answer.session
        session.wait = .job
        withSnapshot { [unowned self] result in
            let snapshot: any Snapshot
            switch result {
            case .failure(let fault):
                session.wait = .none
                return self.answer(answer, fault.response)
            case .success(let taken): snapshot = taken
            }
            let ticket = jobBook.open { [unowned self] outcome in
                endRead()
                session.wait = .none
                guard session.isOpen else { return }
                switch outcome {
                case .found(.success(let user)): then(user)
                case .found(.failure(let fault)): self.answer(answer, fault.response)
                default: self.answer(answer, .internalError)
                }
                schedule(session)
            }
            jobs.submit(.reading) {
                defer { snapshot.release() }
                do { return Finished(ticket: ticket, outcome: .found(.success(try find(snapshot)))) } catch {
                    return Finished(ticket: ticket, outcome: .found(.failure(JobFault(error))))
                }
            }
        }
    }
}

/// What a caller may know of a user.
enum FoundUser {
    /// Whether the caller sees the user, or something that names the user.
    static func isSeen(_ user: Object, by caller: Caller, _ reader: any ObjectReader) throws -> Bool {
        if try Rights.sees(caller, user, reader) { return true }
        return try [ItemField.createdBy, ItemField.assignee].contains { place in try names(user.key, at: place, caller, reader) }
    }

    private static func names(_ userId: String, at place: Int, _ caller: Caller, _ reader: any ObjectReader) throws -> Bool {
        var looked: Set<String> = []
        var isFound = false
        try reader.forEach(.item, where: [Term(place: place, .equal, .string(userId))]) { item in
            // One item a project tells as much as all of them.
            guard item[place] == .string(userId), looked.insert(item.text(ItemField.projectId)).inserted else { return true }
            isFound = try Rights.sees(caller, item, reader)
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
