import Crypto
import Todo
import TodoProtocol
import TodoStore

/// `login`: by nickname and by token here, by password in `Hub+Password`, by JSON Web Token in `Hub+WebToken`.
extension Hub {
    func login(_ request: LoginRequest, _ answer: Answer) {
        switch request {
        case .password(let username, let password) where settings.providers.contains(.password):
            loginByPassword(username: username, password: password, answer)
        case .nickname(let nickname) where settings.providers.contains(.nickname):
            loginByNickname(nickname, answer)
        case .jwt(let token) where settings.providers.contains(.jwt):
            loginByWebToken(token, answer)
        case .token(let token):
            loginByToken(token, answer)
        case .password, .nickname, .jwt, .other:
            audit(
                Audit(
                    event: "login", outcome: .refused, address: answer.session.peer.address,
                    details: [("reason", "the provider is not enabled")]))
            self.answer(answer, .unknownProvider)
        }
    }

    private func loginByNickname(_ nickname: String, _ answer: Answer) {
        let name: UserName
        do throws(Refusal) { name = try UserName(nickname, path: "nickname") } catch { return self.answer(answer, ErrorResponse(error)) }
        if let wait = throttle.wait(from: answer.session.peer.address, at: moment.monotonicMilliseconds) {
            return throttled("login", .nickname, wait, answer)
        }
        inGroup(answer) { [unowned self] in
            if let account = try store.account(provider: Provider.nickname.rawValue, subject: name.folded) {
                // Anybody may come in here, so never an admin.
                guard !account.isSuspended else { throw suspendedLogin(.nickname, account, answer) }
                guard let user = try store.object(.user, account.userId), user[UserField.isAdmin].boolean != true else {
                    throw refusedLogin(.nickname, account.userId, answer)
                }
                return try logIn(user, .nickname, answer)
            }
            if let owner = try store.userNamed(normalisedName: name.folded) { throw refusedLogin(.nickname, owner.key, answer) }
            let user = try createUser(name)
            let account = Account(
                userId: user.key, provider: Provider.nickname.rawValue, subject: name.folded, passwordHash: nil,
                isSuspended: false, createdAt: moment.wall)
            guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
            try logIn(user, .nickname, answer)
        }
    }

    // MARK: By token

    /// Answers with the same token, its life renewed where the last renewal is a while ago: a reconnect writes nothing as a rule, and
    /// works while the disk is full.
    private func loginByToken(_ token: String, _ answer: Answer) {
        do {
            let hash = try SHA256.hash(utf8: token)
            if let record = try store.token(hash: hash), let user = try store.object(.user, record.userId), isFresh(record) {
                try enterNow(user, token: token, record, answer)
            } else {
                renew(token, hash, answer)
            }
        } catch { refuse(answer, error) }
    }

    private func isFresh(_ record: TokenRecord) -> Bool {
        record.expiresAt > moment.wall && moment.wall < renewal(after: record.lastSeenAt)
    }

    private func renew(_ token: String, _ hash: [UInt8], _ answer: Answer) {
        inGroup(answer) { [unowned self] in
            guard let record = try store.token(hash: hash), let user = try store.object(.user, record.userId) else {
                auditBadToken(nil, "no such token", answer)
                throw ErrorResponse.tokenRevoked
            }
            guard record.expiresAt > moment.wall else {
                auditBadToken(user.key, "the token has expired", answer)
                throw ErrorResponse.tokenExpired
            }
            try enter(user, token: token, hash: hash, expiresAt: try renew(record), "token", answer)
        }
    }

    private func auditBadToken(_ userId: String?, _ reason: String, _ answer: Answer) {
        audit(
            Audit(
                event: "login", outcome: .refused, user: userId, address: answer.session.peer.address,
                details: [("provider", "token"), ("reason", reason)]))
    }

    // MARK: Entering

    /// A new token for the user, who is logged in on the answer's session once the group is durable.
    ///
    /// - Parameter end: the latest end of the token; without one it has the whole life of a token.
    func logIn(_ user: Object, _ provider: Provider, until end: Timestamp? = nil, _ answer: Answer) throws {
        if let login = answer.session.login, login.view.caller.userId != user.key { throw ErrorResponse.otherUser }
        let token = Base64.encodeURL(try RandomBytes.make(32))
        let hash = try SHA256.hash(utf8: token)
        let expiresAt = min(end ?? .latest, expiry())
        try store.insertToken(
            TokenRecord(
                hash: hash, userId: user.key, createdAt: moment.wall, expiresAt: expiresAt, lastSeenAt: moment.wall,
                userAgent: answer.session.peer.userAgent))
        try enter(user, token: token, hash: hash, expiresAt: expiresAt, provider.rawValue, answer)
    }

    /// Logs in without a write: nothing has to be durable first.
    private func enterNow(_ user: Object, token: String, _ record: TokenRecord, _ answer: Answer) throws {
        if let login = answer.session.login, login.view.caller.userId != user.key { throw ErrorResponse.otherUser }
        join(answer.session, user: user, hash: record.hash, expiresAt: record.expiresAt, renewedAt: record.lastSeenAt)
        entered(user, "token", answer)
        self.answer(answer, loggedIn: user, token: token, expiresAt: record.expiresAt)
        for session in released { bringUpToDate(session) }
        released.removeAll()
    }

    private func enter(
        _ user: Object, token: String, hash: [UInt8], expiresAt: Timestamp, _ provider: String, _ answer: Answer
    ) throws {
        if let login = answer.session.login, login.view.caller.userId != user.key { throw ErrorResponse.otherUser }
        group.effects.append { [unowned self] in
            join(answer.session, user: user, hash: hash, expiresAt: expiresAt, renewedAt: moment.wall)
            entered(user, provider, answer)
        }
        self.answer(answer, loggedIn: user, token: token, expiresAt: expiresAt)
    }

    private func entered(_ user: Object, _ provider: String, _ answer: Answer) {
        let address = answer.session.peer.address
        throttle.recognise(
            account: CaseFolding.foldedText(user.text(UserField.name)), from: address, at: moment.monotonicMilliseconds)
        audit(
            Audit(
                event: "login", user: user.key, address: address,
                details: [("provider", provider), ("name", user.text(UserField.name))]))
    }

    private func answer(_ answer: Answer, loggedIn user: Object, token: String, expiresAt: Timestamp) {
        let result = LoginResult(
            userId: user.key, name: user.text(UserField.name), isAdmin: user[UserField.isAdmin].boolean ?? false, token: token,
            expiresAt: expiresAt)
        self.answer(answer) { writer in MessageEncoder.login(answer.id, result, into: &writer) }
    }

    // MARK: Refusing

    /// The answer to a bad log-in, which is written down. The name that was tried is not: a password may have been typed in its place.
    func refusedLogin(_ provider: Provider, _ userId: String?, _ answer: Answer, reason: String? = nil) -> ErrorResponse {
        // Attempts by password were counted before they were hashed.
        if provider != .password { throttle.fail(from: answer.session.peer.address, at: moment.monotonicMilliseconds) }
        audit(
            Audit(
                event: "login", outcome: .refused, user: userId, address: answer.session.peer.address,
                details: [("provider", provider.rawValue), ("reason", reason ?? "")]))
        return switch provider {
        case .nickname: .wrongNickname
        case .jwt: .wrongWebToken
        case .password: .wrongCredentials
        }
    }

    /// The same answer, so that only the operator learns that there is such an account.
    func suspendedLogin(_ provider: Provider, _ account: Account, _ answer: Answer) -> ErrorResponse {
        refusedLogin(provider, account.userId, answer, reason: "the account is suspended")
    }

    func throttled(_ event: String, _ provider: Provider, of userId: String? = nil, _ seconds: Int, _ answer: Answer) {
        audit(
            Audit(
                event: event, outcome: .throttled, by: answer.session.login?.view.caller.userId, user: userId,
                address: answer.session.peer.address,
                details: [("provider", provider.rawValue), ("retryAfter", "\(seconds)")]))
        self.answer(answer, .tooManyRequests(retryAfter: seconds))
    }

    // MARK: Users

    func createUser(_ name: UserName, isAdmin: Bool = false) throws -> Object {
        let user = Object(.user, [.string(freshId()), .string(name.shown), .boolean(isAdmin)])
        guard try store.claimName(name.folded, user: user.key) else { throw ErrorResponse.nameTaken }
        try store.insert(user)
        try append([Change(.user, key: user.key, before: nil, after: user)], by: user.key)
        return user
    }

    /// A new id: 96 random bits in base64url.
    func freshId() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<2).map { _ in generator.next() as UInt64 }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        return Base64.encodeURL(Array(bytes.prefix(12)))
    }
}
