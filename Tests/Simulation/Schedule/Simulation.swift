import Foundation
import TestSupport
import Todo
import TodoClient
import TodoStore
import TodoSync

/// One schedule of a small world: clients, a network that cuts and delays, a server that dies and comes back, a store that fails and two
/// clocks, all in one thread and all from one seed.
final class Simulation {
    enum Event {
        case deliver(Link, Direction)
        case turn(life: Int)
        case job(life: Int)
        case tick(life: Int)
        case watch(UInt64)
        case lostAtServer(Link)
        case lostAtClient(Link)
        case start
        case connect(Int)
        case act(Int)
        case world
        case healStore
    }

    let random: SplitMix
    let cast: Cast
    let oracle: Oracle
    var clients: [SimulatedClient] = []
    var server: SimulatedServer?
    /// Draws what happens to the world as a whole.
    var fate: SplitMix
    var trace = Trace()
    var queue = EventQueue<Event>()
    var now: Int64 = 0
    private var wallOffset: Int64 = 1_800_000_000_000
    private var life = 0
    private var isTurnPlanned = false
    private var isJobPlanned = false
    /// Nothing goes wrong any more.
    var isQuiet = false
    var lastLink: UInt64 = 0
    private let folder: String
    private let settings: SyncSettings
    private let outboundBytesMax: Int
    private let stuckMilliseconds: Int64 = 5000
    private let logAgeMilliseconds: Int64
    private let duration: Int64

    private static let worldOwner = 0
    private static let serverOwner = 1

    static func owner(ofClient number: Int) -> Int { 10 + number }
    static func owner(of link: Link, _ direction: Direction) -> Int {
        1000 + Int(link.number) * 2 + (direction == .toServer ? 0 : 1)
    }

    init(seed: UInt64, tell: ((String) -> Void)? = nil) throws {
        var random = SplitMix(seed: seed)
        trace.tell = tell
        cast = Cast(&random)
        folder = try SimulationFolder.make()
        var settings = SyncSettings(
            server: "simulated", providers: [.password], accessOfNewProjects: Access.allCases[random.next(upTo: Access.allCases.count)])
        settings.passwordCost = Enrolment.passwordCost
        settings.limits.partRows = [1, 2, 500][random.next(upTo: 3)]
        settings.limits.snapshots = 1 + random.next(upTo: 2)
        settings.limits.tokenMilliseconds = [8000, 86_400_000][random.next(upTo: 2)]
        settings.limits.catchUpRows = [5, 50_000][random.next(upTo: 2)]
        settings.limits.partRowsAtOnce = [0, 32][random.next(upTo: 2)]
        settings.limits.catchUpRowsPerTurn = [1, 2_000][random.next(upTo: 2)]
        settings.limits.queuedRequests = [2, 1024][random.next(upTo: 2)]
        settings.limits.changesInGroup = [1, 6, 4096][random.next(upTo: 3)]
        settings.limits.objectsInStep = [1, 32][random.next(upTo: 2)]
        settings.limits.objectsBetweenLooks = [1, 4, 64][random.next(upTo: 3)]
        outboundBytesMax = [200, 1500, 20_000][random.next(upTo: 3)]
        settings.limits.outboundBytes = outboundBytesMax
        self.settings = settings
        logAgeMilliseconds = [1500, 6000, .max / 4][random.next(upTo: 3)]
        duration = Int64(2000 + random.next(upTo: 12_000))
        let store = try SQLiteStore(folder: folder, durability: .full)
        let wall = Timestamp(milliseconds: wallOffset)
        try Enrolment.write(cast, hasAdmin: random.next(upTo: 3) == 0, into: store, at: wall, expiresAt: wall)
        try Enrolment.populate(cast, transactions: random.next(upTo: 40), into: store, at: wall, &random)
        oracle = try Oracle(store)
        store.close()
        fate = SplitMix(seed: random.next())
        self.random = random
    }

    deinit {
        server?.store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var moment: Moment { Moment(wall: Timestamp(milliseconds: wallOffset + now), monotonicMilliseconds: now) }

    // MARK: The run

    /// Plays the schedule, lets everything come to rest, and looks at what is left.
    ///
    /// - Returns: what happened.
    func run() throws -> Trace {
        var random = random
        for number in 0..<(2 + random.next(upTo: 3)) {
            let client = try SimulatedClient(
                number: number, user: cast.user(&random), oracle, random: SplitMix(seed: random.next())
            ) { [unowned self] in trace.note($0, $1, at: now) }
            clients.append(client)
            queue.add(.connect(number), at: Int64(random.next(upTo: 300)), owner: Self.owner(ofClient: number))
            queue.add(.act(number), at: 0, owner: Self.owner(ofClient: number))
        }
        queue.add(.start, at: 0, owner: Self.worldOwner)
        queue.add(.world, at: 200, owner: Self.worldOwner)
        while now < duration { try step() }
        try rest()
        return trace
    }

    /// Nothing goes wrong any more: everything that waits is done in a short time.
    private func rest() throws {
        isQuiet = true
        trace.note("quiet", "", at: now)
        if let server {
            server.store.isFull = false
            server.store.trouble = nil
        }
        let limit = now + 120_000
        while !clients.allSatisfy(\.isSettled) || server?.isIdle != true {
            guard now < limit else { throw Fault("it does not come to rest: \(clients.filter { !$0.isSettled }.map(\.described))") }
            try step()
        }
        for client in clients { try client.check() }
        if let server { try oracle.check(server.store.real) }
    }

    private func step() throws {
        guard let (time, event) = queue.next() else { throw Fault("nothing is left to happen") }
        now = time
        try handle(event)
        if let fault = oracle.fault { throw fault }
        planTurn()
        takeNews()
    }

    private func handle(_ event: Event) throws {
        switch event {
        case .deliver(let link, let direction): try deliver(link, direction)
        case .turn(let life) where life == self.life:
            isTurnPlanned = false
            if try server?.turn(at: moment) == false { try crash() }
        case .job(let life) where life == self.life:
            isJobPlanned = false
            server?.runJob()
        case .tick(let life) where life == self.life:
            if try server?.tick(at: moment) == false { return try crash() }
            queue.add(.tick(life: life), at: now + 1000, owner: Self.serverOwner)
        case .turn, .job, .tick: break
        case .watch(let number): server?.deadlinePassed(number)
        case .lostAtServer(let link): loseAtServer(link)
        case .lostAtClient(let link): loseAtClient(link)
        case .start: try start()
        case .connect(let number): try connect(clients[number])
        case .act(let number): try act(clients[number])
        case .world: try turnWorld()
        case .healStore: server?.store.isFull = false
        }
    }

    // MARK: The server

    private func start() throws {
        guard server == nil else { return }
        trace.note("start", "", at: now)
        let real = try SQLiteStore(folder: folder, durability: .full)
        try oracle.check(real)
        let store = SimulatedStore(real) { [oracle] in oracle.commit($0, $1) }
        store.logAgeMilliseconds = logAgeMilliseconds
        let server = SimulatedServer(store, settings, outboundBytesMax: outboundBytesMax, at: moment) { [unowned self] in
            trace.note($0, $1, at: now)
        }
        // What would arrive in the middle of a turn: turns end, and transactions give way, where this says so.
        server.hub.isUrgentInputWaiting = { [unowned self] in
            guard fate.next(upTo: 12) == 0 else { return false }
            trace.note("urged", "", at: now)
            return true
        }
        self.server = server
        queue.add(.tick(life: life), at: now + 1000, owner: Self.serverOwner)
    }

    /// The process is gone with everything that was not durable; what the system had sent may still arrive.
    private func crash() throws {
        guard let dead = server else { return }
        trace.note("crash", "", at: now)
        server = nil
        life += 1
        isTurnPlanned = false
        isJobPlanned = false
        while let job = dead.jobs.takeFirst() { _ = job() }
        dead.store.close()
        for end in dead.ends.values.sorted(by: { $0.link.number < $1.link.number }) {
            end.link.isOverAtServer = true
            end.link.toServer.cut()
            if fate.next(upTo: 2) == 0 { end.link.toClient.cut() }
            end.link.toClient.isEnded = true
            plan(end.link, .toClient)
        }
        queue.add(.start, at: now + Int64(10 + fate.next(upTo: 1500)), owner: Self.worldOwner)
    }

    private func planTurn() {
        guard let server else { return }
        if server.needsTurn, !isTurnPlanned {
            isTurnPlanned = true
            queue.add(.turn(life: life), at: now + Int64(fate.next(upTo: 4)), owner: Self.serverOwner)
        }
        if !server.jobs.isEmpty, !isJobPlanned {
            isJobPlanned = true
            queue.add(.job(life: life), at: now + Int64(fate.next(upTo: 30)), owner: Self.serverOwner)
        }
    }

    private func takeNews() {
        for client in clients { if let link = client.link { plan(link, .toServer) } }
        guard let server else { return }
        for news in server.takeNews() {
            switch news {
            case .wrote(let link): plan(link, .toClient)
            case .resumed(let link): plan(link, .toServer)
            case .watch(let number):
                queue.add(.watch(number), at: now + stuckMilliseconds, owner: Self.serverOwner)
            }
        }
    }

    // MARK: What clients do, and what befalls them

    private func act(_ client: SimulatedClient) throws {
        if client.isLoggedIn { client.backoff.reset() }
        client.maintain(at: moment.wall)
        if isQuiet { client.askVersion() } else { try client.act(cast) }
        let pause = isQuiet ? 300 : 10 + client.random.next(upTo: 250)
        queue.add(.act(client.number), at: now + Int64(pause), owner: Self.owner(ofClient: client.number))
    }

    private func turnWorld() throws {
        guard !isQuiet else { return }
        queue.add(.world, at: now + Int64(50 + fate.next(upTo: 700)), owner: Self.worldOwner)
        let client = clients[fate.next(upTo: clients.count)]
        switch fate.next(upTo: 14) {
        case 0: if let link = client.link { cut(link) }
        case 1, 2:
            let pipe = fate.next(upTo: 2) == 0 ? client.link?.toServer : client.link?.toClient
            if let pipe, pipe.bytesToCut == nil { pipe.bytesToCut = 1 + fate.next(upTo: 400) }
        case 3, 4, 5: client.link?.toClient.stalledUntil = now + Int64([300, 2000, 20_000][fate.next(upTo: 3)])
        case 6: if server != nil { try crash() }
        case 7, 10:
            server?.store.trouble =
                [.crashBeforeCommit, .crashAfterCommit, .crashAtWrite, .commitFails, .transactionIsLost][fate.next(upTo: 5)]
        case 8:
            trace.note("full disk", "", at: now)
            server?.store.isFull = true
            queue.add(.healStore, at: now + Int64(fate.next(upTo: 1500)), owner: Self.worldOwner)
        case 9:
            trace.note("clock jump", "", at: now)
            // The hands are moved, now forth, now back; never so far that a transaction would be forgotten.
            wallOffset += Int64([-5000, 2000, 9000, 600_000][fate.next(upTo: 4)])
        default: break
        }
    }
}
