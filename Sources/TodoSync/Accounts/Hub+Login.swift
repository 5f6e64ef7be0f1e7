import Crypto
import Todo
import TodoProtocol
import TodoStore

/// `register` and `login`.
extension Hub {
    func register(username: String, password: String, _ answer: Answer) {
        guard settings.providers.contains(.password) else { return self.answer(answer, .unknownProvider) }
        guard settings.allowsSignUp else { return self.answer(answer, .signUpOff) }
        let name: UserName
        do throws(Refusal) { name = try UserName(username, path: "username") } catch { return self.answer(answer, ErrorResponse(error)) }
        if answer.session.login != nil { return self.answer(answer, .otherUser) }
        work(for: answer, .hashing) {
            .hashed(Self.attempt { try PasswordHash.make(password).text })
        } then: { [unowned self] outcome in
            guard case .hashed(.success(let hash)) = outcome else { return internalError(outcome, answer) }
            inGroup(answer) { [unowned self] in
                let user = try createUser(name)
                let account = Account(
                    userId: user.key, provider: Provider.password.rawValue, subject: name.folded, passwordHash: hash,
                    isSuspended: false, createdAt: moment.wall)
                guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
                try logIn(user, answer)
            }
        }
    }

    func login(_ request: LoginRequest, _ answer: Answer) {
        switch request {
        case .password(let username, let password) where settings.providers.contains(.password):
            loginByPassword(username: username, password: password, answer)
        case .nickname(let nickname) where settings.providers.contains(.nickname):
            loginByNickname(nickname, answer)
        case .token(let token):
            loginByToken(token, answer)
        case .password, .nickname, .jwt, .other:
            log(.warning, "\(answer.session.peer.address): a log-in by a provider that is not enabled")
            self.answer(answer, .unknownProvider)
        }
    }

    /// Wrong name and wrong password take the same work and get the same answer.
    private func loginByPassword(username: String, password: String, _ answer: Answer) {
        let name: UserName
        let account: Account?
        do {
            name = try UserName(username, path: "username")
            account = try store.account(provider: Provider.password.rawValue, subject: name.folded)
        } catch { return refuse(answer, error) }
        let hash = account?.passwordHash
        work(for: answer, .hashing) {
            .verified(Self.attempt { try Self.verify(password, against: hash) })
        } then: { [unowned self] outcome in
            guard case .verified(.success(let isRight)) = outcome else { return internalError(outcome, answer) }
            guard isRight, let account, !account.isSuspended else { return wrongCredentials(answer) }
            inGroup(answer) { [unowned self] in
                guard let user = try store.object(.user, account.userId) else { throw ErrorResponse.wrongCredentials }
                try logIn(user, answer)
            }
        }
    }

    private func loginByNickname(_ nickname: String, _ answer: Answer) {
        inGroup(answer) { [unowned self] in
            let name = try UserName(nickname, path: "nickname")
            if let account = try store.account(provider: Provider.nickname.rawValue, subject: name.folded) {
                guard !account.isSuspended, let user = try store.object(.user, account.userId) else { throw ErrorResponse.wrongCredentials }
                return try logIn(user, answer)
            }
            guard try store.userNamed(normalisedName: name.folded) == nil else { throw ErrorResponse.wrongCredentials }
            let user = try createUser(name)
            let account = Account(
                userId: user.key, provider: Provider.nickname.rawValue, subject: name.folded, passwordHash: nil,
                isSuspended: false, createdAt: moment.wall)
            guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
            try logIn(user, answer)
        }
    }

    /// Answers with the same token, its life renewed where the last renewal is a while ago: a reconnect writes nothing as a rule, and
    /// works while the disk is full.
    private func loginByToken(_ token: String, _ answer: Answer) {
        do {
            let hash = try SHA256.hash(utf8: token)
            if let record = try store.token(hash: hash), let user = try store.object(.user, record.userId), isFresh(record) {
                try enterNow(user, token: token, hash: hash, expiresAt: record.expiresAt, answer)
            } else {
                renew(token, hash, answer)
            }
        } catch { refuse(answer, error) }
    }

    /// Whether less than a thirtieth of the token's life is gone since it was last renewed.
    private func isFresh(_ record: TokenRecord) -> Bool {
        let age = moment.wall.milliseconds - record.lastSeenAt.milliseconds
        return record.expiresAt > moment.wall && age < settings.limits.tokenMilliseconds / 30
    }

    private func renew(_ token: String, _ hash: [UInt8], _ answer: Answer) {
        inGroup(answer) { [unowned self] in
            guard let record = try store.token(hash: hash), let user = try store.object(.user, record.userId) else {
                throw ErrorResponse.tokenRevoked
            }
            guard record.expiresAt > moment.wall else { throw ErrorResponse.tokenExpired }
            let expiresAt = expiry()
            try store.touchToken(hash: hash, lastSeenAt: moment.wall, expiresAt: expiresAt)
            try enter(user, token: token, hash: hash, expiresAt: expiresAt, answer)
        }
    }

    /// A new token for the user, who is logged in on the answer's session once the group is durable.
    private func logIn(_ user: Object, _ answer: Answer) throws {
        let token = Base64.encodeURL(try RandomBytes.make(32))
        let hash = try SHA256.hash(utf8: token)
        let expiresAt = expiry()
        try store.insertToken(
            TokenRecord(
                hash: hash, userId: user.key, createdAt: moment.wall, expiresAt: expiresAt, lastSeenAt: moment.wall,
                userAgent: answer.session.peer.userAgent))
        try enter(user, token: token, hash: hash, expiresAt: expiresAt, answer)
    }

    /// Logs in without a write: nothing has to be durable first.
    private func enterNow(_ user: Object, token: String, hash: [UInt8], expiresAt: Timestamp, _ answer: Answer) throws {
        if let login = answer.session.login, login.view.caller.userId != user.key { throw ErrorResponse.otherUser }
        join(answer.session, user: user, hash: hash, expiresAt: expiresAt)
        self.answer(answer, loggedIn: user, token: token, expiresAt: expiresAt)
        for session in released { bringUpToDate(session) }
        released.removeAll()
    }

    private func enter(_ user: Object, token: String, hash: [UInt8], expiresAt: Timestamp, _ answer: Answer) throws {
        if let login = answer.session.login, login.view.caller.userId != user.key { throw ErrorResponse.otherUser }
        group.effects.append { [unowned self] in
            join(answer.session, user: user, hash: hash, expiresAt: expiresAt)
        }
        self.answer(answer, loggedIn: user, token: token, expiresAt: expiresAt)
    }

    private func answer(_ answer: Answer, loggedIn user: Object, token: String, expiresAt: Timestamp) {
        let result = LoginResult(
            userId: user.key, name: user.text(UserField.name), isAdmin: user[UserField.isAdmin].boolean ?? false, token: token,
            expiresAt: expiresAt)
        self.answer(answer) { writer in MessageEncoder.login(answer.id, result, into: &writer) }
        log(.info, "\(answer.session.peer.address): '\(user.text(UserField.name))' (\(user.key)) logged in")
    }

    private func createUser(_ name: UserName) throws -> Object {
        let user = Object(.user, [.string(freshId()), .string(name.shown), .boolean(false)])
        guard try store.claimName(name.folded, user: user.key) else { throw ErrorResponse.nameTaken }
        try store.insert(user)
        try append([Change(.user, key: user.key, before: nil, after: user)], by: user.key)
        return user
    }

    private func expiry() -> Timestamp {
        Timestamp(milliseconds: moment.wall.milliseconds + settings.limits.tokenMilliseconds)
    }

    private func wrongCredentials(_ answer: Answer) {
        log(.warning, "\(answer.session.peer.address): a log-in with wrong credentials")
        self.answer(answer, .wrongCredentials)
    }

    private func internalError(_ outcome: Finished.Outcome, _ answer: Answer) {
        log(.error, "a password could not be hashed: \(outcome)")
        self.answer(answer, .internalError)
    }

    private static func attempt<Value>(_ work: () throws -> Value) -> Result<Value, JobFault> {
        do { return .success(try work()) } catch { return .failure(JobFault(error)) }
    }

    private static func verify(_ password: String, against hash: String?) throws -> Bool {
        if let hash, let known = PasswordHash(text: hash) { return try known.verify(password) }
        _ = try PasswordHash.make(password)
        return false
    }

    /// A new id: 96 random bits in base64url.
    func freshId() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<2).map { _ in generator.next() as UInt64 }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        return Base64.encodeURL(Array(bytes.prefix(12)))
    }
}
