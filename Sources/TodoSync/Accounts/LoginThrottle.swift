/// Slows guessing down: bad log-ins by address and by account, and registrations by address. Time is given to it.
///
/// An account is never locked: whoever guesses at it makes it answer only every so many seconds, 30 at most. And that does not touch its
/// owner, who comes from an address from which that account was entered before and is therefore counted apart.
struct LoginThrottle {
    private let limits: SyncLimits
    /// What is left of each address's allowance, for log-ins and for registrations.
    private var logins: BoundedTable<AddressBlock, Allowance>
    private var registrations: BoundedTable<AddressBlock, Allowance>
    /// The failures in a row at each account, and of each known visitor of one.
    private var accounts: BoundedTable<String, FailureRow>
    private var visitors: BoundedTable<Visitor, FailureRow>

    /// An account and an address from which it was entered.
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
        if let wait = row.wait(limits, at: now) { return wait }
        if let wait = takeLogin(block, at: now) { return wait }
        row.fail(at: now)
        accounts[account] = row
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
        if visitors[visitor] == nil {
            accounts[account]?.takeBack()
            giveLoginBack(block)
        }
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
            accounts[account]?.takeBack()
            giveLoginBack(block)
        }
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

/// Failures one behind the other, each making the next attempt wait longer.
private struct FailureRow: Timed {
    private var count = 0
    private(set) var touchedAt: Int64

    /// After so long without one, earlier failures are forgotten.
    private static let memoryMilliseconds: Int64 = 15 * 60_000

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
