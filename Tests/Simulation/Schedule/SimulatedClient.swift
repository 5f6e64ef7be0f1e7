import Bytes
import TestSupport
import Todo
import TodoClient
import TodoProtocol

/// A client: the real session core of the client library, driven over the simulated network, and what its user wants of it.
final class SimulatedClient {
    /// A transaction that is to be applied exactly once.
    struct Transaction {
        let changes: [ChangeSpec]
        /// How many answers are still to come.
        var underWay = 0
        /// The first result.
        var result: (version: Int64, ids: [String?])?
        var isRefused = false
        /// Whether a connection was lost with a copy of it on the way, which may reach the server later than what is sent on the next one.
        var wasCut = false
        var appliedCount = 0

        var isSettled: Bool { underWay == 0 && (result != nil || isRefused) }
    }

    private enum Purpose {
        case login
        case info
        case write(String)
        case query(RandomQuery)
        case other
    }

    let number: Int
    let user: String
    var session: ClientSession
    var link: Link?
    var backoff = Backoff(firstMilliseconds: 100, mostMilliseconds: 2000)
    var random: SplitMix
    private(set) var transactions: [String: Transaction] = [:]
    /// What the user wants to see, by name.
    private(set) var wanted: [String: RandomQuery] = [:]
    /// The version that `info` told since the last part of a list came; every complete list stands there.
    private(set) var informed: Int64?
    private var workspace = ClientWorkspace()
    private var purposes: [Int64: Purpose] = [:]
    private var lastName = 0
    /// The durable version when that list was first asked for on the connection: nothing older is sent.
    private var askedAt: [String: Int64] = [:]
    private unowned let oracle: Oracle
    private let trace: (String, String) -> Void

    init(number: Int, user: String, _ oracle: Oracle, random: SplitMix, trace: @escaping (String, String) -> Void) throws {
        self.number = number
        self.user = user
        self.oracle = oracle
        self.random = random
        self.trace = trace
        session = try ClientSession(try Endpoint("ws://simulated:80"))
    }

    var isLoggedIn: Bool { session.isOpen && session.login != nil }

    var isSettled: Bool {
        isLoggedIn && session.unansweredCount == 0 && transactions.values.allSatisfy(\.isSettled)
            && wanted.keys.allSatisfy { session.list($0)?.isComplete == true } && informed == oracle.version
    }

    var described: String {
        "client \(number): open \(session.isOpen), logged in \(session.login != nil), \(session.unansweredCount) unanswered, "
            + "\(transactions.filter { !$0.value.isSettled }.keys.sorted()) unsettled, "
            + "incomplete \(wanted.keys.filter { session.list($0)?.isComplete != true }.sorted()), informed \(informed ?? -1)"
    }

    // MARK: The network's side

    func connect(_ link: Link) throws {
        self.link = link
        for name in wanted.keys { askedAt[name] = oracle.version }
        try session.connect(&workspace)
        send()
    }

    /// The connection is over.
    func disconnected() {
        link = nil
        informed = nil
        for txn in transactions.keys where (transactions[txn]?.underWay ?? 0) > 0 { transactions[txn]?.wasCut = true }
        for lost in session.disconnected() { abandon(lost) }
    }

    /// A request that is not sent again: nobody knows what became of it.
    private func abandon(_ id: Int64) {
        if case .write(let txn) = purposes.removeValue(forKey: id) { transactions[txn]?.underWay -= 1 }
    }

    private func send() {
        guard !workspace.output.isEmpty else { return }
        let bytes = workspace.output.finish().array
        link?.toServer.write(bytes)
    }

    /// - Returns: whether the connection goes on.
    func receive(_ bytes: [UInt8]) throws -> Bool {
        var bytes = bytes
        var goesOn = true
        try bytes.withUnsafeMutableBytes { buffer in
            var input = ClientInput(buffer)
            while let event = session.next(&input, &workspace) {
                if try !take(event) { goesOn = false }
            }
        }
        send()
        return goesOn
    }

    // MARK: Events

    private func take(_ event: SessionEvent) throws -> Bool {
        switch event {
        case .opened: maintain(at: nil)
        case .result(let id, let result): try take(id, result)
        case .failure(let id, let error): try take(id, error)
        case .initial(let name, let isComplete): try takeInitial(name, isComplete)
        case .change(let change): try takeChange(change)
        case .subscriptionEnded(let name, let error): trace("ended list", "\(number) \(name) \(error.code)")
        case .loggedOut(let error): trace("refused token", "\(number) \(error.code)")
        case .violated(let sentence): throw Fault("client \(number) sees the protocol broken: \(sentence)")
        case .refused(let status, let sentence): throw Fault("client \(number) was refused: \(status) \(sentence)")
        case .closed(let code, let reason):
            trace("close \(code)", "\(number)")
            guard [1000, 1001, 4001, 4002, 4003].contains(code) else { throw Fault("client \(number) was closed: \(code) \(reason)") }
            return false
        }
        return true
    }

    private func takeInitial(_ name: String, _ isComplete: Bool) throws {
        guard let replica = session.list(name), let query = wanted[name] else { return }
        informed = nil
        trace("initial", "\(number) \(name) \(replica.rows.count) \(isComplete)")
        if isComplete, let version = replica.version {
            try oracle.check(replica.rows, of: query, for: user, at: version)
        } else {
            try oracle.checkSight(of: replica.rows[...], for: user, since: askedAt[name] ?? 0)
        }
    }

    /// All complete lists stand at the change's version, also those that it does not name.
    private func takeChange(_ change: ChangeMessage) throws {
        trace(change.updates.contains(where: \.isComplete) ? "resumption" : "change", "\(number) \(change.version) \(change.updates.count)")
        for (name, query) in wanted {
            guard let replica = session.list(name), replica.isComplete, (replica.version ?? 0) <= change.version else { continue }
            let isNamed = change.updates.contains { $0.name == name }
            do { try oracle.check(replica.rows, of: query, for: user, at: change.version) } catch let fault as Fault {
                throw fault.within("client \(number), list \(name)\(isNamed ? "" : ", which the change does not name")")
            }
        }
    }

    private func take(_ id: Int64, _ result: ServerResult) throws {
        let purpose = purposes.removeValue(forKey: id)
        switch (purpose, result) {
        case (.login, _): maintain(at: nil)
        case (.info, .info(let info)): informed = info.version
        case (.query(let query), .query(let version, let objects)):
            try oracle.check(objects, of: query, for: user, at: version)
        case (.write(let txn), .write(let version, let ids, let isDuplicate)):
            trace(isDuplicate ? "duplicate" : "write", "\(number) \(txn) \(version)")
            try accepted(txn, version, ids, isDuplicate)
        default: break
        }
    }

    private func accepted(_ txn: String, _ version: Int64, _ ids: [String?], _ isDuplicate: Bool) throws {
        transactions[txn]?.underWay -= 1
        try oracle.check(accepted: txn, of: user, version: version, ids: ids)
        if !isDuplicate { transactions[txn]?.appliedCount += 1 }
        guard let transaction = transactions[txn], transaction.appliedCount <= 1 else {
            throw Fault("\(txn) is acknowledged as applied twice")
        }
        if transaction.result == nil { transactions[txn]?.result = (version, ids) }
        // A writer has seen its own write before the result.
        let seen = max(oracle.end(ofCommitOf: version), session.version)
        for (name, query) in wanted where !isDuplicate {
            guard let replica = session.list(name), replica.isComplete, (replica.version ?? 0) <= seen else { continue }
            try oracle.check(replica.rows, of: query, for: user, at: seen)
        }
    }

    private func take(_ id: Int64?, _ error: ServerError) throws {
        guard let id, let purpose = purposes.removeValue(forKey: id) else { throw Fault("client \(number): \(error.message)") }
        trace("error \(error.code)", "\(number)")
        guard let code = error.knownCode, ![.parse, .invalidRequest, .unknownMethod, .internalError].contains(code) else {
            throw Fault("client \(number): \(error.code) \(error.message)")
        }
        guard case .write(let txn) = purpose else { return }
        transactions[txn]?.underWay -= 1
        // To be sent again: the store can't write now, or somebody has to log in first.
        if [.unavailable, .tokenExpired, .notLoggedIn].contains(code) { return }
        guard transactions[txn]?.result == nil else { throw Fault("\(txn) is refused after it was accepted: \(error.message)") }
        transactions[txn]?.isRefused = true
        // Another copy of it that is still under way may be accepted.
        if transactions[txn]?.underWay == 0, transactions[txn]?.wasCut == false { try oracle.check(refused: txn, of: user) }
    }

    // MARK: What the user does

    /// One thing that a user does, drawn at random.
    func act(_ cast: Cast) throws {
        guard isLoggedIn else { return }
        switch random.next(upTo: 20) {
        case 0, 1:
            guard wanted.count < 4 else { break }
            lastName += 1
            subscribe("list\(lastName)", RandomQuery(user: user, cast, &random))
        case 2:
            guard wanted.count > 1, let name = wanted.keys.sorted().randomElement(using: &random) else { break }
            // As long as its own request is under way, the name is not given up.
            guard session.list(name)?.isComplete == true else { break }
            wanted[name] = nil
            purposes[session.unsubscribe(name, &workspace)] = .other
        case 3:
            let query = RandomQuery(user: user, cast, &random)
            purposes[session.query(QueryParams(query.text), &workspace)] = .query(query)
        case 4:
            // The same once more, whatever became of it.
            guard let txn = transactions.keys.sorted().randomElement(using: &random), transactions[txn]?.isRefused == false else { break }
            write(txn)
        case 5 where random.next(upTo: 4) == 0:
            // Behind writes of its own, and amid those of others; the user's other connections end with it, whatever waits on them.
            for _ in 0..<random.next(upTo: 3) { begin(RandomTransaction.make(cast, user: user, &random)) }
            purposes[session.logout(everywhere: random.next(upTo: 3) > 0, &workspace)] = .other
        case 6:
            // More at once than one turn takes.
            for _ in 0..<(2 + random.next(upTo: 6)) { begin(RandomTransaction.make(cast, user: user, &random)) }
        default: begin(RandomTransaction.make(cast, user: user, &random))
        }
        send()
    }

    private func begin(_ changes: [ChangeSpec]) {
        let txn = "c\(number)t\(transactions.count)"
        transactions[txn] = Transaction(changes: changes)
        write(txn)
        // A few are sent twice at once.
        if random.next(upTo: 8) == 0 { write(txn) }
    }

    private func write(_ txn: String) {
        guard let changes = transactions[txn]?.changes else { return }
        transactions[txn]?.underWay += 1
        purposes[session.write(txn: txn, changes, &workspace)] = .write(txn)
    }

    private func subscribe(_ name: String, _ query: RandomQuery) {
        wanted[name] = query
        if askedAt[name] == nil { askedAt[name] = oracle.version }
        purposes[session.subscribe(SubscribeParams(name, to: query.text), &workspace)] = .other
    }

    /// What a program does by itself: logs in, subscribes again to what it lost, sends again what could not be written.
    func maintain(at now: Timestamp?) {
        guard session.isOpen else { return }
        let isExpired = session.login.map { login in now.map { login.expiresAt <= $0 } ?? false } ?? true
        if isExpired {
            let isUnderWay = purposes.values.contains { if case .login = $0 { true } else { false } }
            let credentials = LoginRequest.password(username: "name of \(user)", password: Enrolment.password(of: user))
            if !isUnderWay { purposes[session.login(credentials, &workspace)] = .login }
            return send()
        }
        for (name, query) in wanted.sorted(by: { $0.key < $1.key }) where session.list(name) == nil { subscribe(name, query) }
        for txn in transactions.keys.sorted() {
            guard let transaction = transactions[txn], transaction.underWay == 0, !transaction.isSettled else { continue }
            write(txn)
        }
        send()
    }

    func askVersion() {
        guard isLoggedIn else { return }
        purposes[session.info(&workspace)] = .info
        send()
    }

    /// Every list is what its query answers now, and of what was refused nothing is left.
    func check() throws {
        for (txn, transaction) in transactions where transaction.result == nil && !transaction.wasCut {
            try oracle.check(refused: txn, of: user)
        }
        for (name, query) in wanted {
            guard let replica = session.list(name) else { throw Fault("client \(number) lost its list \(name)") }
            do { try oracle.check(replica.rows, of: query, for: user, at: oracle.version) } catch let fault as Fault {
                throw fault.within("client \(number), list \(name), in the end")
            }
        }
    }
}
