import Crypto
import Todo
import TodoProtocol
import TodoStore

/// Carries out what the operator asks for.
extension Hub {
    /// Carries the command out in a commit of its own and then tells what came of it.
    func operate(_ command: OperatorCommand, _ reply: @Sendable (OperatorReply) -> Void) {
        var answer = OperatorReply.refused("The store can't do this now; its log says why.")
        turn.hurry()
        // What others have begun in this turn is not to go down with a command that is refused.
        finishGroup()
        do {
            guard command != .list else { return reply(.users(try listUsers())) }
            try openGroup()
            try store.beginNested()
            do {
                let sentence = try carryOut(command, by: nil)
                try store.commitNested()
                group.effects.append { answer = .done(sentence) }
            } catch {
                try store.rollbackNested()
                group.effects.removeAll()
                group.entries.removeAll()
                live.rollback(to: 0)
                answer = .refused(Self.sentence(error))
                audit(Audit(event: command.event, outcome: .refused, by: "operator"))
            }
            finishGroup()
        } catch {
            if group.isOpen { failGroup(error as? StoreFailure ?? StoreFailure("\(error)")) }
        }
        reply(answer)
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case let refusal as Refusal: refusal.message
        case let response as ErrorResponse: response.message
        default: "The store can't do this now; its log says why."
        }
    }

    /// Carries the command out within the open group: what throws is to leave nothing. What follows in memory comes with the commit.
    ///
    /// - Parameter admin: the id of the admin who wants it; `nil` for the operator.
    /// - Returns: a sentence that says what was done.
    func carryOut(_ command: OperatorCommand, by admin: String?, from address: String? = nil) throws -> String {
        let user: Object
        let sentence: String
        var details: [(name: StaticString, value: String)] = []
        switch command {
        case .list: throw Refusal(.invalid, "unknownWord", "A list changes nothing.")
        case .add(let name, let hash, let isAdmin):
            (user, sentence) = try addUser(name, hash, isAdmin)
            details = [("isAdmin", "\(isAdmin)")]
        case .setPassword(let name, let hash):
            user = try self.user(named: name)
            sentence = try setPassword(hash, of: user)
        case .setAdmin(let name, let isAdmin):
            user = try self.user(named: name)
            sentence = try setAdmin(isAdmin, of: user, by: admin)
            details = [("isAdmin", "\(isAdmin)")]
        case .suspend(let name, let isSuspended):
            user = try self.user(named: name)
            sentence = try suspend(user, isSuspended)
            details = [("isSuspended", "\(isSuspended)")]
        case .delete(let name, let ownProjects):
            user = try self.user(named: name)
            sentence = try delete(user, ownProjects, by: admin)
        }
        let line = Audit(
            event: command.event, by: admin ?? "operator", user: user.key, address: address,
            details: [("name", user.text(UserField.name))] + details)
        group.effects.append { [unowned self] in audit(line) }
        return sentence
    }

    private func user(named text: String) throws -> Object {
        let name = try UserName(text, path: "name")
        guard let user = try store.userNamed(normalisedName: name.folded) else {
            throw Refusal(.notFound, "noSuchObject", "There is no user named '\(name.shown)'.")
        }
        return user
    }

    private func addUser(_ text: String, _ hash: String, _ isAdmin: Bool) throws -> (Object, String) {
        guard PasswordHash(text: hash) != nil else { throw Refusal(.invalid, "wrongType", "That is no password's hash.") }
        let name = try UserName(text, path: "name")
        let user = try createUser(name, isAdmin: isAdmin)
        let account = Account(
            userId: user.key, provider: Provider.password.rawValue, subject: name.folded, passwordHash: hash, createdAt: moment.wall)
        guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
        return (user, "Added '\(name.shown)' (\(user.key))\(isAdmin ? ", an admin" : "").")
    }

    private func setPassword(_ hash: String, of user: Object) throws -> String {
        guard PasswordHash(text: hash) != nil else { throw Refusal(.invalid, "wrongType", "That is no password's hash.") }
        guard let account = try passwordAccount(ofUser: user.key) else { throw ErrorResponse.noPassword }
        try store.setPasswordHash(hash, provider: account.provider, subject: account.subject)
        try endAll(ofUser: user.key, "the password was changed")
        return "'\(user.text(UserField.name))' has a new password; all sessions are ended."
    }

    private func setAdmin(_ isAdmin: Bool, of user: Object, by admin: String?) throws -> String {
        let name = user.text(UserField.name)
        if isAdmin, try store.accounts(ofUser: user.key).contains(where: { $0.provider == Provider.nickname.rawValue }) {
            throw Refusal(.conflict, "noPassword", "'\(name)' logs in by a nickname alone, as anybody may: such a user can't be an admin.")
        }
        var changed = user
        changed[UserField.isAdmin] = .boolean(isAdmin)
        try change(user, to: changed, by: admin)
        return isAdmin ? "'\(name)' is an admin." : "'\(name)' is no admin."
    }

    private func suspend(_ user: Object, _ isSuspended: Bool) throws -> String {
        let name = user.text(UserField.name)
        try store.setSuspended(isSuspended, user: user.key)
        guard isSuspended else { return "'\(name)' may log in again." }
        try endAll(ofUser: user.key, "the account is suspended")
        return "'\(name)' is suspended; all sessions are ended."
    }

    /// Every token of the user is dead, and every connection is closed.
    func endAll(ofUser userId: String, _ reason: String) throws {
        _ = try store.deleteTokens(ofUser: userId)
        holdBack(ofUser: userId)
        group.effects.append { [unowned self] in closeSessions(ofUser: userId, reason) }
    }

    private func listUsers() throws -> [OperatorUser] {
        var rows: [Object] = []
        try store.forEach(.user, where: []) { user in
            rows.append(user)
            return true
        }
        return try rows.sorted { ($0.text(UserField.name), $0.key) < ($1.text(UserField.name), $1.key) }.map { user in
            let accounts = try store.accounts(ofUser: user.key)
            return OperatorUser(
                userId: user.key, name: user.text(UserField.name), isAdmin: user[UserField.isAdmin].boolean ?? false,
                isSuspended: accounts.contains(where: \.isSuspended), providers: accounts.map(\.provider),
                lastSeen: try users[user.key] == nil ? store.lastSeen(ofUser: user.key) : moment.wall)
        }
    }
}
