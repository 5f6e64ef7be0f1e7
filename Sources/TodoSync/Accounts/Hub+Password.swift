import Crypto
import Todo
import TodoProtocol
import TodoStore

/// `register`, `login` by password, and `changePassword`: what hashes, on a thread of its own.
extension Hub {
    func register(username: String, password: String, _ answer: Answer) {
        guard settings.providers.contains(.password) else { return self.answer(answer, .unknownProvider) }
        guard settings.allowsSignUp else {
            auditRefusal("register", answer.session, reason: "sign-up is off")
            return self.answer(answer, .signUpOff)
        }
        let name: UserName
        do throws(Refusal) { name = try UserName(username, path: "username") } catch { return self.answer(answer, ErrorResponse(error)) }
        if answer.session.login != nil { return self.answer(answer, .otherUser) }
        let address = answer.session.peer.address
        if let wait = throttle.register(from: address, at: moment.monotonicMilliseconds) ?? hashing.enter(address, settings.limits) {
            return throttled("register", .password, wait, answer)
        }
        let cost = settings.passwordCost
        hash(for: answer) {
            .hashed(Self.attempt { try PasswordHash.make(password, cost: cost).text })
        } then: { [unowned self] outcome in
            guard case .hashed(.success(let hash)) = outcome else { return hashingFailed(answer) }
            inGroup(answer) { [unowned self] in
                guard try store.userNamed(normalisedName: name.folded) == nil else {
                    auditRefusal("register", answer.session, reason: "the name is taken")
                    throw ErrorResponse.nameTaken
                }
                let user = try createUser(name)
                let account = Account(
                    userId: user.key, provider: Provider.password.rawValue, subject: name.folded, passwordHash: hash,
                    isSuspended: false, createdAt: moment.wall)
                guard try store.insertAccount(account) else { throw ErrorResponse.nameTaken }
                group.effects.append { [unowned self] in
                    audit(Audit(event: "register", user: user.key, address: address, details: [("name", name.shown)]))
                }
                try logIn(user, .password, answer)
            }
        }
    }

    /// Wrong name and wrong password take the same work and get the same answer.
    func loginByPassword(username: String, password: String, _ answer: Answer) {
        let name: UserName
        do throws(Refusal) { name = try UserName(username, path: "username") } catch { return self.answer(answer, ErrorResponse(error)) }
        if mayTry("login", name.folded, answer) { check(password, of: name, answer) }
    }

    /// Counts an attempt at the account and takes a place in the queue for it; where one of them has to wait, that is the answer.
    private func mayTry(_ event: String, _ account: String, _ answer: Answer) -> Bool {
        let address = answer.session.peer.address
        var wait = throttle.attempt(account: account, from: address, at: moment.monotonicMilliseconds)
        if wait == nil {
            wait = hashing.enter(address, settings.limits)
            guard wait != nil else { return true }
            throttle.takeBack(account: account, from: address, at: moment.monotonicMilliseconds)
        }
        do {
            // The operator is to learn whose account is tried.
            let user = try store.account(provider: Provider.password.rawValue, subject: account)?.userId
            throttled(event, .password, of: user, wait ?? 1, answer)
        } catch { refuse(answer, error) }
        return false
    }

    /// The place in the queue is taken already.
    private func check(_ password: String, of name: UserName, _ answer: Answer) {
        let account: Account?
        do { account = try store.account(provider: Provider.password.rawValue, subject: name.folded) } catch {
            hashing.leave(answer.session.peer.address)
            return refuse(answer, error)
        }
        let stored = account?.passwordHash
        let cost = settings.passwordCost
        hash(for: answer) {
            .checked(Self.attempt { try PasswordCheck.run(password, against: stored, cost: cost) })
        } then: { [unowned self] outcome in
            guard case .checked(.success(let check)) = outcome else { return hashingFailed(answer) }
            guard check.isRight else { return self.answer(answer, refusedLogin(.password, account?.userId, answer)) }
            let isOvertaken = enter(name, checked: check, against: stored, answer)
            // The password was exchanged while the old one was checked.
            guard isOvertaken else { return }
            if let wait = hashing.enter(answer.session.peer.address, settings.limits) {
                throttled("login", .password, wait, answer)
            } else {
                self.check(password, of: name, answer)
            }
        }
    }

    /// Logs in whoever knew the password, if it is still the one.
    ///
    /// - Returns: whether it is not the one that was checked any more.
    private func enter(_ name: UserName, checked: PasswordCheck, against stored: String?, _ answer: Answer) -> Bool {
        let provider = Provider.password.rawValue
        var isOvertaken = false
        do {
            isOvertaken = try store.account(provider: provider, subject: name.folded).map { $0.passwordHash != stored } ?? false
        } catch {
            refuse(answer, error)
            return false
        }
        guard !isOvertaken else { return true }
        inGroup(answer) { [unowned self] in
            guard let account = try store.account(provider: provider, subject: name.folded), account.passwordHash == stored,
                let user = try store.object(.user, account.userId)
            else { throw refusedLogin(.password, nil, answer) }
            guard !account.isSuspended else { throw suspendedLogin(.password, account, answer) }
            if let renewed = checked.renewed { try store.setPasswordHash(renewed, provider: provider, subject: name.folded) }
            // Before the address becomes a known one, so that the attempt is taken off where it was counted.
            group.effects.append { [unowned self] in
                throttle.succeed(account: name.folded, from: answer.session.peer.address, at: moment.monotonicMilliseconds)
            }
            try logIn(user, .password, answer)
        }
        return false
    }

    // MARK: Changing it

    func changePassword(old: String, new: String, _ answer: Answer) {
        guard let login = answer.session.login else { return self.answer(answer, .notLoggedIn) }
        let userId = login.view.caller.userId
        let account: Account?
        do { account = try passwordAccount(ofUser: userId) } catch { return refuse(answer, error) }
        guard let account, let stored = account.passwordHash else { return self.answer(answer, .noPassword) }
        guard mayTry("password", account.subject, answer) else { return }
        let cost = settings.passwordCost
        hash(for: answer) {
            .checked(Self.attempt { try PasswordCheck.exchange(old, for: new, against: stored, cost: cost) })
        } then: { [unowned self] outcome in
            guard case .checked(.success(let check)) = outcome else { return hashingFailed(answer) }
            guard let hash = check.renewed else {
                audit(Audit(event: "password", outcome: .refused, by: userId, user: userId, address: answer.session.peer.address))
                return self.answer(answer, .wrongPassword)
            }
            setPassword(hash, instead: account, keeping: login.tokenHash, answer)
        }
    }

    private func setPassword(_ hash: String, instead account: Account, keeping token: [UInt8], _ answer: Answer) {
        inGroup(answer) { [unowned self] in
            guard answer.session.login != nil else { throw ErrorResponse.notLoggedIn }
            // Exchanged meanwhile from elsewhere: the old one is not the old one any more.
            guard try passwordAccount(ofUser: account.userId)?.passwordHash == account.passwordHash else {
                throw ErrorResponse.wrongPassword
            }
            try store.setPasswordHash(hash, provider: account.provider, subject: account.subject)
            holdBack(ofUser: account.userId) { $0 !== answer.session }
            for record in try store.tokens(ofUser: account.userId) where record.hash != token { try store.deleteToken(hash: record.hash) }
            group.effects.append { [unowned self] in
                closeSessions(ofUser: account.userId, except: answer.session, "the password was changed")
                let address = answer.session.peer.address
                throttle.succeed(account: account.subject, from: address, at: moment.monotonicMilliseconds)
                audit(Audit(event: "password", by: account.userId, user: account.userId, address: address))
            }
            self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
        }
    }

    func passwordAccount(ofUser userId: String) throws(StoreFailure) -> Account? {
        try store.accounts(ofUser: userId).first { $0.provider == Provider.password.rawValue && $0.passwordHash != nil }
    }

    // MARK: Hashing

    /// Lets the hashing thread work; the place in the queue is given back when it has, also where the session is gone by then.
    private func hash(
        for answer: Answer, _ job: @escaping @Sendable () -> Finished.Outcome, then: @escaping (Finished.Outcome) -> Void
    ) {
        let address = answer.session.peer.address
        work(for: answer, .hashing, job, whenDone: { [unowned self] in hashing.leave(address) }, then: then)
    }

    private func hashingFailed(_ answer: Answer) {
        log(.error, "a password could not be hashed")
        self.answer(answer, .internalError)
    }

    private static func attempt<Value>(_ work: () throws -> Value) -> Result<Value, JobFault> {
        do { return .success(try work()) } catch { return .failure(JobFault(error)) }
    }
}
