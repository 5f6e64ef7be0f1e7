/// Slows guessing down: bad log-ins by address and by account, and registrations by address. Time is given to it.
///
/// An account is never locked: whoever guesses at it makes it answer them only every so many seconds, 30 at most. That does not touch its
/// owner: an address from which the account was entered before is counted apart, and one that has not failed at it yet has an attempt that
/// does not wait for what others did.
struct LoginThrottle {
    private let limits: SyncLimits
    /// What is left of each address's allowance, for log-ins and for registrations.
    private var logins: BoundedTable<AddressBlock, Allowance>
    private var registrations: BoundedTable<AddressBlock, Allowance>
    /// The failures in a row at each account, and of each known visitor of one.
    private var accounts: BoundedTable<String, FailureRow>
    private var visitors: BoundedTable<Visitor, FailureRow>
    /// Who has tried to enter which account lately.
    private var guessers: BoundedTable<Visitor, Guess>

    /// An account and an address.
    private struct Visitor: Hashable {
        let account: String
        let block: AddressBlock
    }

    init(_ limits: SyncLimits) {
        self.limits = limits
        logins = BoundedTable(countMax: limits.throttleEntries)
        registrations = BoundedTable(countMax: limits.throttleEntries)
        accounts = BoundedTable(countMax: limits.throttleEntries)
        visitors = BoundedTable(countMax: limits.throttleEntries)
        guessers = BoundedTable(countMax: limits.throttleEntries)
    }

    /// Counts an attempt before its outcome is known, so that many at once count as many. `account` is the name as it is compared, known
    /// to the server or not: what is told must not depend on that.
    ///
    /// - Returns: the seconds to wait where the attempt is not to be made; it is not counted then.
    mutating func attempt(account: String, from address: String, at now: Int64) -> Int? {
        let block = AddressBlock(address)
        let visitor = block.map { Visitor(account: account, block: $0) }
        // Whoever was in before is judged by what they do themselves.
        if let visitor, var row = visitors[visitor] {
            if let wait = row.wait(limits, at: now) { return wait }
            row.fail(at: now)
            visitors[visitor] = row
            return nil
        }
        var row = accounts[account] ?? FailureRow(at: now)
        let wait = row.wait(limits, at: now)
        let isFirst = visitor.map { guessers[$0].map { now - $0.touchedAt >= FailureRow.memoryMilliseconds } ?? true } ?? false
        if let wait, !isFirst { return wait }
        if let wait = takeLogin(block, at: now) { return wait }
        if let visitor { guessers[visitor] = Guess(touchedAt: now, isCounted: wait == nil) }
        // A first attempt amid the guesses of others does not put off anybody's next one.
        if wait == nil {
            row.fail(at: now)
            accounts[account] = row
        }
        return nil
    }

    /// The seconds to wait before the address may make another attempt whose outcome is known at once; then only `fail` counts.
    mutating func wait(from address: String, at now: Int64) -> Int? {
        guard let block = AddressBlock(address) else { return nil }
        if let wait = takeLogin(block, at: now) { return wait }
        giveLoginBack(block)
        return nil
    }

    /// Such an attempt was bad.
    mutating func fail(from address: String, at now: Int64) {
        _ = takeLogin(AddressBlock(address), at: now)
    }

    /// The attempt was right, or was not made in the end: it does not count.
    mutating func succeed(account: String, from address: String, at now: Int64) {
        guard let block = AddressBlock(address) else {
            accounts[account] = nil
            return
        }
        let visitor = Visitor(account: account, block: block)
        if visitors[visitor] == nil { forget(visitor) }
        visitors[visitor] = FailureRow(at: now)
    }

    /// The attempt came to no answer: it is as if it had not been made.
    mutating func takeBack(account: String, from address: String, at now: Int64) {
        guard let block = AddressBlock(address) else {
            accounts[account]?.takeBack()
            return
        }
        let visitor = Visitor(account: account, block: block)
        if visitors[visitor] != nil {
            visitors[visitor]?.takeBack()
        } else {
            forget(visitor)
        }
    }

    /// Takes back what the latest attempt from there cost.
    private mutating func forget(_ visitor: Visitor) {
        if guessers[visitor]?.isCounted == true { accounts[visitor.account]?.takeBack() }
        guessers[visitor] = nil
        giveLoginBack(visitor.block)
    }

    /// Someone entered the account from there without a password, by a token: that address is its owner's too.
    mutating func recognise(account: String, from address: String, at now: Int64) {
        guard let block = AddressBlock(address) else { return }
        let visitor = Visitor(account: account, block: block)
        if visitors[visitor] == nil { visitors[visitor] = FailureRow(at: now) }
    }

    /// Counts a registration.
    ///
    /// - Returns: the seconds to wait where it is not to be made.
    mutating func register(from address: String, at now: Int64) -> Int? {
        guard let block = AddressBlock(address) else { return nil }
        var allowance = registrations[block] ?? Allowance(limits.registrationsOfAddress, at: now)
        defer { registrations[block] = allowance }
        return allowance.take(of: limits.registrationsOfAddress, oneEvery: limits.registrationMilliseconds, at: now)
    }

    private mutating func takeLogin(_ block: AddressBlock?, at now: Int64) -> Int? {
        guard let block else { return nil }
        var allowance = logins[block] ?? Allowance(limits.loginFailuresOfAddress, at: now)
        defer { logins[block] = allowance }
        return allowance.take(of: limits.loginFailuresOfAddress, oneEvery: limits.loginFailureMilliseconds, at: now)
    }

    private mutating func giveLoginBack(_ block: AddressBlock) {
        logins[block]?.giveBack(of: limits.loginFailuresOfAddress)
    }
}

/// An address that tried to enter an account, and whether that counts among the account's failures.
private struct Guess: Timed {
    private(set) var touchedAt: Int64
    let isCounted: Bool
}

/// Failures one behind the other, each making the next attempt wait longer.
private struct FailureRow: Timed {
    private var count = 0
    private(set) var touchedAt: Int64

    /// After so long without one, earlier failures are forgotten.
    static let memoryMilliseconds: Int64 = 15 * 60_000

    init(at now: Int64) { touchedAt = now }

    /// The seconds until the next attempt may be made.
    func wait(_ limits: SyncLimits, at now: Int64) -> Int? {
        guard count >= limits.loginFailuresOfAccount, now - touchedAt < Self.memoryMilliseconds else { return nil }
        let doublings = min(count - limits.loginFailuresOfAccount, 20)
        let delay = min(1000 << Int64(doublings), limits.loginDelayMilliseconds)
        let left = touchedAt + delay - now
        return left > 0 ? Int((left + 999) / 1000) : nil
    }

    mutating func fail(at now: Int64) {
        if now - touchedAt >= Self.memoryMilliseconds { count = 0 }
        count += 1
        touchedAt = now
    }

    mutating func takeBack() { count = max(0, count - 1) }
}

/// So many at once, and one more every so often.
private struct Allowance: Timed {
    private var left: Int
    private(set) var touchedAt: Int64

    init(_ whole: Int, at now: Int64) {
        left = whole
        touchedAt = now
    }

    mutating func take(of whole: Int, oneEvery milliseconds: Int64, at now: Int64) -> Int? {
        let gained = (now - touchedAt) / milliseconds
        left = Int(min(Int64(whole), Int64(left) + gained))
        touchedAt += gained * milliseconds
        guard left > 0 else { return Int((touchedAt + milliseconds - now + 999) / 1000) }
        left -= 1
        return nil
    }

    mutating func giveBack(of whole: Int) { left = min(whole, left + 1) }
}
