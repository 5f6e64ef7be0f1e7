import TestSupport
import Todo
import TodoClient
import TodoProtocol
import TodoStore
import TodoSync

/// One random history of one random world: transactions, rights, queries, reconnections and slow readers, and after every step a look at
/// the lists that clients have built from the messages alone.
final class ModelRun {
    let cast: Cast
    let store: SQLiteStore
    let hub: Hub
    let jobs = HeldJobs()
    var random: SplitMix
    var moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)
    var clients: [ModelClient] = []
    /// Sessions whose sockets have a part that they have not taken.
    var undrained: [SessionID] = []
    /// The world as a look at every object of the store shows it.
    private(set) var state: NaiveState
    private let lines = LogLines()
    /// Told everything that happens, for whoever looks for a fault.
    private let trace: ((String) -> Void)?
    private var lastConnection: UInt64 = 0
    private var lastName = 0

    /// The history of that seed.
    init(seed: UInt64, trace: ((String) -> Void)? = nil) throws {
        self.trace = trace
        random = SplitMix(seed: seed)
        cast = Cast(&random)
        store = try SQLiteStore.temporary()
        let expiresAt = Timestamp(milliseconds: moment.wall.milliseconds + 86_400_000_000)
        try Enrolment.write(
            cast, hasAdmin: random.next(upTo: 3) == 0, into: store, at: moment.wall, expiresAt: expiresAt)
        state = try NaiveState(store)
        var settings = SyncSettings(
            server: "model", providers: [.nickname], accessOfNewProjects: Access.allCases[random.next(upTo: Access.allCases.count)])
        settings.limits.partRows = [1, 3, 500][random.next(upTo: 3)]
        settings.limits.partRowsAtOnce = [0, 32][random.next(upTo: 2)]
        settings.limits.catchUpRowsPerTurn = [1, 2_000][random.next(upTo: 2)]
        settings.limits.snapshots = 2
        settings.limits.tokenMilliseconds = 30 * 86_400_000_000
        if random.next(upTo: 4) == 0 { settings.limits.catchUpRows = 20 }
        let lines = lines
        let log = Log(level: .error) { _, line in lines.note(line) }
        hub = Hub(store: store, settings: settings, loops: 2, jobs: jobs, log: log, moment: moment)
    }

    deinit { store.close() }

    // MARK: The run

    func run(steps: Int) throws {
        for _ in 0..<(2 + random.next(upTo: 4)) {
            let client = try connect(cast.user(&random))
            clients.append(client)
            for _ in 0..<(2 + random.next(upTo: 5)) { try subscribe(client) }
        }
        for step in 0..<steps {
            trace?("step \(step)")
            do {
                try self.step()
                try check(all: step % 16 == 0 || step == steps - 1)
            } catch let fault as Fault {
                throw fault.within("step \(step)")
            }
        }
        try settle()
    }

    private func step() throws {
        moment.monotonicMilliseconds += Int64(random.next(upTo: 50))
        moment.wall = Timestamp(milliseconds: moment.wall.milliseconds + Int64(random.next(upTo: 50)))
        switch random.next(upTo: 100) {
        case 0..<3: try subscribe(awake())
        case 3..<5: try unsubscribe(awake())
        case 5..<8: try reconnect()
        case 8..<12: try turnSlow()
        case 12..<15: try askOnce(awake())
        case 15: tick()
        default: try write()
        }
        if random.next(upTo: 3) == 0 { try runJob() }
        if random.next(upTo: 3) == 0 { try drain() }
    }

    /// Everything that waits is done, and every list is looked at.
    private func settle() throws {
        for client in clients where client.isBehind { try catchUp(client) }
        while !jobs.isEmpty || !undrained.isEmpty {
            try runJob()
            try drain()
        }
        try check(all: true)
        for client in clients {
            for name in client.names where client.list(name)?.replica.isComplete != true {
                throw Fault("the list '\(name)' stays incomplete")
            }
        }
    }

    /// A client that reads what it is sent, made so where there is none.
    private func awake() throws -> ModelClient {
        let found = clients.filter { !$0.isBehind }
        if let client = found.randomElement(using: &random) { return client }
        let client = clients[random.next(upTo: clients.count)]
        try catchUp(client)
        return client
    }

    // MARK: Steps

    /// One transaction, or several in one turn, which become one commit.
    private func write() throws {
        let count = random.next(upTo: 5) == 0 ? 2 + random.next(upTo: 3) : 1
        var inputs: [Input] = []
        var sent: [(client: ModelClient, request: Int64)] = []
        for _ in 0..<count {
            let client = try awake()
            let changes = RandomTransaction.make(cast, user: client.user, &random)
            let txn = random.next(upTo: 4) == 0 ? "t\(random.next(upTo: 40))" : nil
            let made = client.request { RequestEncoder.write(id: $0, txn: txn, changes: changes, into: &$1) }
            inputs.append(made.input)
            sent.append((client, made.id))
        }
        let before = store.version
        try process(inputs)
        // A write waits for the lists that its session has asked for.
        while sent.contains(where: { $0.client.answers[$0.request] == nil }), !jobs.isEmpty { try runJob() }
        var isAccepted = false
        for (client, request) in sent {
            guard let answer = client.takeAnswer(request) else { throw Fault("a write was not answered") }
            switch answer {
            case .success: isAccepted = true
            case .failure(let error): try Self.check(refusal: error)
            }
        }
        if !isAccepted, store.version != before { throw Fault("a refused transaction took a version") }
        let now = try NaiveState(store)
        if store.version == before, let difference = now.difference(from: state) { throw Fault("changed without a version: \(difference)") }
        state = now
    }

    /// What a client did wrong may only be of these kinds: the generator makes no other.
    private static func check(refusal error: ServerError) throws {
        let expected: Set<String> = [
            "noSuchObject", "roleTooLow", "idExists", "conditionFailed", "lastOwner", "otherProject", "assigneeWithoutSight", "tooLong",
            "missing",
        ]
        guard expected.contains(error.reason ?? "") else { throw Fault("refused: \(error.message) (\(error.reason ?? "–"))") }
    }

    private func subscribe(_ client: ModelClient) throws {
        let query = RandomQuery(user: client.user, cast, &random)
        let replaced = random.next(upTo: 4) == 0 ? client.names.randomElement(using: &random) : nil
        lastName += 1
        let name = replaced ?? "list\(lastName)"
        let made = client.subscribe(name, query, update: replaced != nil)
        // Another query of that name sends nothing more from here on.
        if let old = client.list(name), old.query.text == query.text { return }
        client.expect(name, query)
        try process([made.input])
        guard case .success = try answer(made.id, client) else { throw Fault("a subscription was refused") }
    }

    private func unsubscribe(_ client: ModelClient) throws {
        guard client.names.count > 2, let name = client.names.randomElement(using: &random) else { return }
        let made = client.request { RequestEncoder.unsubscribe(id: $0, name: name, into: &$1) }
        try process([made.input])
        guard case .success = try answer(made.id, client) else { throw Fault("an unsubscription was refused") }
        client.forget(name)
    }

    /// The connection breaks, others go on, and a new one resumes.
    private func reconnect() throws {
        let place = random.next(upTo: clients.count)
        let old = clients[place]
        try process([.closed(old.id)])
        undrained.removeAll { $0 == old.id }
        clients.remove(at: place)
        for _ in 0..<random.next(upTo: 4) where !clients.isEmpty { try write() }
        let client = try connect(old.user)
        clients.append(client)
        for name in old.names { try resume(name, of: old, client) }
    }

    private func resume(_ name: String, of old: ModelClient, _ client: ModelClient) throws {
        guard let list = old.list(name) else { return }
        let isComplete = list.replica.isComplete
        let since = isComplete ? (Bool.random(using: &random) || old.isBehind ? list.replica.version : old.version) : nil
        let made = client.resume(name, list, since: since, epoch: store.epoch)
        try process([made.input])
        guard case .success = try answer(made.id, client) else { throw Fault("a resumption was refused") }
    }

    private func turnSlow() throws {
        let client = clients[random.next(upTo: clients.count)]
        if client.isBehind { return try catchUp(client) }
        guard clients.count(where: \.isBehind) < clients.count - 1 else { return }
        client.isBehind = true
        try process([.fellBehind(client.id)])
    }

    private func catchUp(_ client: ModelClient) throws {
        client.isBehind = false
        try process([.caughtUp(client.id)])
        for name in client.names { try check(client, name) }
    }

    private func askOnce(_ client: ModelClient) throws {
        let query = RandomQuery(user: client.user, cast, &random)
        let made = client.query(query)
        try process([made.input])
        guard case .success(.query(let version, let objects)) = try answer(made.id, client) else { throw Fault("a query was refused") }
        guard version == store.version else { throw Fault("a query answers for version \(version) at \(store.version)") }
        try Self.compare(objects, state.list(query, for: client.user), "query \(query.text)")
    }

    private func tick() {
        moment.monotonicMilliseconds += 1000
        hub.tick(at: moment)
    }

    // MARK: The hub

    private func connect(_ user: String) throws -> ModelClient {
        lastConnection += 1
        let client = ModelClient(SessionID(loop: Int(lastConnection % 2), connection: lastConnection), user: user)
        clients.append(client)
        defer { clients.removeAll { $0 === client } }
        let login = client.login()
        try process([.opened(client.id, Peer(address: "model", userAgent: nil)), login.input])
        guard case .success = try answer(login.id, client) else { throw Fault("a log-in was refused") }
        return client
    }

    private func answer(_ request: Int64, _ client: ModelClient) throws -> Result<ServerResult, ServerError> {
        while client.answers[request] == nil, !jobs.isEmpty { try runJob() }
        guard let answer = client.takeAnswer(request) else { throw Fault("a request was not answered") }
        return answer
    }

    private func runJob() throws {
        if let job = jobs.takeFirst() { try process([.finished(job())]) }
    }

    private func drain() throws {
        guard !undrained.isEmpty else { return }
        try process([.drained(undrained.removeFirst())])
    }

    private func process(_ inputs: [Input]) throws {
        if let trace { for input in inputs { trace("→ \(input)") } }
        var inputs = inputs
        repeat {
            hub.process(inputs, at: moment)
            inputs = []
            for loop in 0..<2 {
                for delivery in hub.takeDeliveries(loop: loop) { try handOut(delivery) }
            }
        } while hub.hasWork
        if let line = lines.takeErrors().first { throw Fault("logged: \(line)") }
    }

    private func handOut(_ delivery: Delivery) throws {
        trace?("← \(delivery.described)")
        switch delivery {
        case .broadcast(let text, let connections):
            for connection in connections { try client(connection)?.take(text) }
        case .message(let text, let connection, let reportsDrained, _):
            guard let client = client(connection) else { return }
            try client.take(text)
            if reportsDrained { undrained.append(client.id) }
        case .framed: preconditionFailure("no job frames anything here")
        case .worked, .watch: break
        case .close(_, let code, let reason): throw Fault("closed with \(code): \(reason)")
        }
    }

    private func client(_ connection: UInt64) -> ModelClient? { clients.first { $0.id.connection == connection } }

    // MARK: Checks

    /// Every list that a message named, one other, and now and then all of them.
    private func check(all: Bool) throws {
        for client in clients where !client.isBehind {
            var names = client.takeTouched()
            if let other = client.names.randomElement(using: &random) { names.insert(other) }
            for name in all ? client.names : names.sorted() { try check(client, name) }
        }
    }

    private func check(_ client: ModelClient, _ name: String) throws {
        guard let list = client.list(name), list.replica.isComplete else { return }
        try Self.compare(
            list.replica.rows, state.list(list.query, for: client.user), "list '\(name)' of \(client.user), \(list.query.text)")
    }

    private static func compare(_ rows: [Object], _ expected: [Object], _ place: String) throws {
        let isEqual =
            rows.count == expected.count
            && zip(rows, expected).allSatisfy { row, other in
                let shown = row.className.schema.shownCount
                return row.values[..<shown] == other.values[..<shown]
            }
        guard !isEqual else { return }
        throw Fault("\(place) holds \(rows.map(\.key)), not \(expected.map(\.key)): \(rows.map(\.values)) ≠ \(expected.map(\.values))")
    }
}
