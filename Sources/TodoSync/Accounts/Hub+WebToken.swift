import Todo
import TodoProtocol
import TodoStore
import WebToken

/// `login` by a JSON Web Token: who its `sub` is, what its `name` and `admin` claims change.
extension Hub {
    func loginByWebToken(_ token: String, _ answer: Answer) {
        if let wait = throttle.wait(from: answer.session.peer.address, at: moment.monotonicMilliseconds) {
            return throttled("login", .jwt, wait, answer)
        }
        let claims: WebTokenClaims
        do throws(WebTokenFault) {
            claims = try tokenVerifier.verify(token, nowSeconds: Double(moment.wall.milliseconds) / 1000)
        } catch {
            let response = refusedLogin(.jwt, nil, answer, reason: error.description)
            return self.answer(answer, error == .expired ? .tokenExpired : response)
        }
        inGroup(answer) { [unowned self] in
            let user = try user(of: claims, answer)
            // The log-in ends with the token that vouches for it, give or take what clocks differ.
            let end = claims.expiresAtSeconds.map { seconds in
                let milliseconds = (seconds + TokenVerifier.leewaySeconds) * 1000
                return Timestamp(milliseconds: Int64(min(milliseconds, Double(Timestamp.latest.milliseconds))))
            }
            try logIn(user, .jwt, until: end, answer)
        }
    }

    /// The user whom the token names, made at the first log-in, and brought up to what the token says of it.
    private func user(of claims: WebTokenClaims, _ answer: Answer) throws -> Object {
        let provider = Provider.jwt.rawValue
        guard let account = try store.account(provider: provider, subject: claims.subject) else {
            let user = try createUser(try freeName(for: claims, user: nil), isAdmin: claims.isAdmin ?? false)
            let account = Account(
                userId: user.key, provider: provider, subject: claims.subject, passwordHash: nil, isSuspended: false,
                createdAt: moment.wall)
            guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
            if user[UserField.isAdmin].boolean == true { auditAdmin(user.key, true, by: "jwt", answer.session.peer.address) }
            return user
        }
        guard !account.isSuspended else { throw suspendedLogin(.jwt, account, answer) }
        guard let old = try store.object(.user, account.userId) else { throw refusedLogin(.jwt, account.userId, answer) }
        if let login = answer.session.login, login.view.caller.userId != old.key { throw ErrorResponse.otherUser }
        var user = old
        if let isAdmin = claims.isAdmin { user[UserField.isAdmin] = .boolean(isAdmin) }
        let name = try freeName(for: claims, user: old)
        if name.shown != old.text(UserField.name), try store.claimName(name.folded, user: old.key) {
            user[UserField.name] = .string(name.shown)
        }
        try change(old, to: user, by: old.key)
        if let isAdmin = user[UserField.isAdmin].boolean, isAdmin != old[UserField.isAdmin].boolean {
            auditAdmin(user.key, isAdmin, by: "jwt", answer.session.peer.address)
        }
        return user
    }

    /// The name that the token gives, or the next free one like it: "Ann", "Ann 2", "Ann 3" … A user that has one of them keeps it.
    private func freeName(for claims: WebTokenClaims, user: Object?) throws -> UserName {
        if claims.name == nil, let user { return try UserName(user.text(UserField.name), path: "name") }
        let wanted = try UserName(nearest: claims.name ?? claims.subject) ?? UserName("User", path: "name")
        var number = 1
        while true {
            let name = number == 1 ? wanted : wanted.numbered(number)
            let holder = try store.userNamed(normalisedName: name.folded)
            if holder == nil || holder?.key == user?.key { return name }
            number += 1
        }
    }

    /// Writes the user's new row and logs it; what follows in memory comes with the commit.
    func change(_ old: Object, to new: Object, by: String?) throws {
        guard old != new else { return }
        try store.update(new, from: old)
        try append([Change(.user, key: old.key, before: old, after: new)], by: by)
        group.effects.append { [unowned self] in
            users[new.key]?.name = new.text(UserField.name)
            turnAdmin(new.key, new[UserField.isAdmin].boolean ?? false)
        }
    }

    /// Once the group is durable.
    private func auditAdmin(_ userId: String, _ isAdmin: Bool, by: String, _ address: String) {
        group.effects.append { [unowned self] in
            audit(Audit(event: "admin", by: by, user: userId, address: address, details: [("isAdmin", "\(isAdmin)")]))
        }
    }
}
