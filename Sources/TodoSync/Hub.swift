import Bytes
import Todo
import TodoProtocol
public import TodoStore
import WebToken

/// The session layer: everything that happens between decoded requests and encoded messages.
///
/// It belongs to one thread, the committer. Inputs go in, deliveries come out; it knows no socket, and the time is given to it. Every
/// turn takes all inputs that wait, so that transactions which came together are made durable together, and does a bounded amount of work.
public final class Hub {
    let store: any Store
    /// The store's objects and the volatile ones beside them.
    let live: LiveObjects
    /// Who was met in which project, for `findUser`.
    var acquaintances = Acquaintances()
    let settings: SyncSettings
    let jobs: any JobRunner
    let log: Log

    var moment: Moment
    var sessions: [SessionID: Session] = [:]
    var users: [String: UserView] = [:]
    /// The users who are logged in and hold a permission on a project, by project.
    var viewers: [String: Set<String>] = [:]
    var index = SubscriptionIndex()
    var group = CommitGroup()
    var outbox: Outbox
    var jobBook = JobBook()
    var writer = JSONWriter()
    /// Sessions that may not have logged in, with their deadlines, in the order of these.
    var loginDeadlines: [(at: Int64, session: SessionID)] = []
    /// Projects whose positions grew long.
    var projectsToRebalance: Set<String> = []
    /// Sessions whose token was renewed in the group that ends now.
    var released: [Session] = []
    /// No token of a session expires before then.
    var earliestExpiry: Timestamp?
    /// Snapshots that are open, and the readers that wait for one.
    var reads = ReadQueue()
    /// Sessions that were closed as too slow since the last tick.
    var stuckSessions = 0
    /// Why the store takes no writes, while it takes none.
    var storeFailure: StoreFailure?
    /// What happened since older versions, for sessions that resume or were behind.
    var catchUps = CatchUps()
    /// Logged changes that may still be read for them until the next tick.
    var catchUpRowsLeft: Int
    /// Of them, those that may be read in this turn.
    var catchUpRowsLeftInTurn: Int
    /// Sessions that are told what happened since their version in the next turn.
    var postponed: [Session] = []
    /// What live queries of projects have to know about items, as of the last commit.
    let tallies: ItemTallies
    /// First lists so far.
    var firstLists = 0
    /// Parts of first lists that several sessions are sent.
    var parts = PartCache()
    /// Parts that another thread encodes, and the sessions that wait for each.
    var partsUnderWay: [PartKey: [SessionID]] = [:]
    /// The part that has come from there, while it is being handed out.
    var arrivedPart: EncodedPart?
    /// Slows down who guesses passwords or makes accounts in heaps.
    var throttle: LoginThrottle
    /// The passwords that wait to be hashed.
    var hashing = HashingQueue()
    /// Whose JSON Web Tokens log in.
    var tokenVerifier: TokenVerifier
    /// Sessions that were answered more than their sockets have taken, as of the last tick or since.
    var overdrawn: Set<SessionID> = []
    /// Whose requests run next.
    var ready = FairQueue()
    /// The turn that is under way.
    var turn = Turn()
    private var isShutDown = false
    private var isUpkeepDue = false

    /// Tells whether an input waits that `isUrgent`: the turn under way, and a large transaction in it, give way to that.
    public var isUrgentInputWaiting: () -> Bool = { false }

    /// Whether something is left that can be done: `process` is to be called again, without waiting for further inputs.
    public var hasWork: Bool { !ready.isEmpty || !postponed.isEmpty || !projectsToRebalance.isEmpty }

    /// Whether the store takes writes, as far as the last one tells.
    public var isStoreWritable: Bool { storeFailure == nil }

    /// Counters for the operator.
    public internal(set) var figures = SyncFigures()

    /// A session layer over the store, whose deliveries go to that many event loops.
    public init(store: any Store, settings: SyncSettings, loops: Int, jobs: any JobRunner, log: Log, moment: Moment) {
        self.store = store
        live = LiveObjects(store)
        self.settings = settings
        self.jobs = jobs
        self.log = log
        self.moment = moment
        outbox = Outbox(loops: loops)
        catchUpRowsLeft = settings.limits.catchUpRowsPerSecond
        catchUpRowsLeftInTurn = settings.limits.catchUpRowsPerTurn
        tallies = ItemTallies(countMax: settings.limits.itemTallies)
        throttle = LoginThrottle(settings.limits)
        tokenVerifier = settings.tokenVerifier
    }

    /// Takes everything that happened and does one turn's work of what follows, up to its durable commit. What is left is told by `hasWork`.
    public func process(_ inputs: [Input], at moment: Moment) {
        self.moment = moment
        turn = Turn()
        catchUpRowsLeftInTurn = settings.limits.catchUpRowsPerTurn
        for input in inputs { take(input) }
        runTurn()
        // What others wait for urgently is to go out first.
        guard !turn.isHurried else { return }
        // Those who write come before those who catch up.
        takePostponed()
        rebalance()
        if isUpkeepDue { upkeep() }
    }

    /// Upkeep, to be called about once a second: deadlines, expired tokens, the change log.
    public func tick(at moment: Moment) {
        self.moment = moment
        tellOfStuckSessions()
        closeThoseWithoutLogin()
        probeStore()
        watchOverdrawn()
        upkeep()
        forgetSentParts()
        catchUpRowsLeft = settings.limits.catchUpRowsPerSecond
        publishPresences()
    }

    /// One small step, so that no commit waits for it; where more is waiting, the next turn takes the next.
    private func upkeep() {
        do {
            var limits = settings.limits.log
            limits.rememberedAgeMilliseconds = settings.limits.transactionMemoryMilliseconds
            isUpkeepDue = try store.upkeep(now: moment.wall, limits: limits)
        } catch {
            isUpkeepDue = false
            noteStoreFailure(error)
        }
    }

    /// The deliveries for one event loop since the last call, in order.
    public func takeDeliveries(loop: Int) -> [Delivery] {
        outbox.take(loop: loop)
    }

    /// Closes every session with 1001; what was acknowledged is durable already.
    public func shutDown() {
        isShutDown = true
        for session in sessions.values { outbox.close(session.id, code: 1001, reason: "the server is going away") }
    }

    private func take(_ input: Input) {
        switch input {
        case .opened(let id, let peer):
            let session = Session(id: id, peer: peer, openedAt: moment.wall)
            sessions[id] = session
            expectLogin(session)
            if isShutDown { outbox.close(id, code: 1001, reason: "the server is going away") }
        case .message(let id, let incoming, let bytes):
            if let session = sessions[id] { take(incoming, bytes, session) }
        case .closed(let id):
            if let session = sessions.removeValue(forKey: id) { forget(session) }
        case .drained(let id):
            if let session = sessions[id] { noteDrained(session) }
        case .fellBehind(let id):
            if let session = sessions[id] { fallBehind(session) }
        case .caughtUp(let id):
            if let session = sessions[id] { mayReadLog ? catchUp(session) : postpone(session, .catchUp) }
        case .stuck(let id, let seconds):
            if let session = sessions[id] { noteStuck(session, seconds) }
        case .finished(let finished):
            jobBook.close(finished)?(finished.outcome)
        case .operated(let command, let reply):
            operate(command, reply)
        case .tokenVerifier(let verifier):
            tokenVerifier = verifier
        }
    }

    private func take(_ incoming: Incoming, _ bytes: Int, _ session: Session) {
        figures.messages += 1
        switch incoming {
        case .single(let request):
            session.work.append(Work(body: request.body, answer: Answer(session: session, id: request.id, batch: nil), bytes: bytes))
        case .batch(let requests):
            let batch = BatchReplies(count: requests.count)
            for (index, request) in requests.enumerated() {
                let answer = Answer(session: session, id: request.id, batch: batch)
                session.work.append(Work(body: request.body, answer: answer, bytes: index == requests.count - 1 ? bytes : 0))
            }
        case .refused(let error):
            session.work.append(Work(body: .invalid(error), answer: Answer(session: session, id: .null, batch: nil), bytes: bytes))
        }
        schedule(session)
    }

    func info(_ answer: Answer) {
        let session = answer.session
        let info = ServerInfo(
            server: settings.server, providers: settings.providers.map(\.rawValue),
            limits: settings.shownLimits,
            epoch: store.epoch, now: moment.wall,
            version: session.login == nil ? nil : session.behindSince ?? store.version)
        self.answer(answer) { writer in MessageEncoder.info(answer.id, info, into: &writer) }
    }

    // MARK: Ends

    func close(_ session: Session, code: UInt16, reason: String) {
        guard session.isOpen else { return }
        outbox.close(session.id, code: code, reason: reason)
        sessions[session.id] = nil
        forget(session)
    }

    private func forget(_ session: Session) {
        session.isOpen = false
        session.work.removeAll()
        dropSubscriptions(session)
        leave(session)
    }

    /// How many deadlines of sessions that may not have logged in are kept.
    package var loginDeadlineCount: Int { loginDeadlines.count }

    /// The session has so long to log in from now on.
    func expectLogin(_ session: Session) {
        session.loginDeadline = moment.monotonicMilliseconds + settings.limits.loginMilliseconds
        loginDeadlines.append((session.loginDeadline, session.id))
        // Sessions that come and go must not pile up until their time would have been over.
        guard loginDeadlines.count > 2 * sessions.count + 1_024 else { return }
        loginDeadlines.removeAll { at, id in
            guard let session = sessions[id] else { return true }
            return session.login != nil || session.loginDeadline != at
        }
    }

    private func closeThoseWithoutLogin() {
        let now = moment.monotonicMilliseconds
        let due = loginDeadlines.prefix { $0.at <= now }.count
        for (_, id) in loginDeadlines.prefix(due) {
            guard let session = sessions[id], session.login == nil, session.loginDeadline <= now else { continue }
            // Its log-in is among others in the queue: that is not its fault.
            guard session.wait != .job else {
                session.loginDeadline = now + settings.limits.loginMilliseconds
                loginDeadlines.append((session.loginDeadline, id))
                continue
            }
            close(session, code: SessionCloseCode.noLogin.rawValue, reason: "nobody logged in in time")
        }
        loginDeadlines.removeFirst(due)
    }

    func countCommit(transactions: Int, changes: Int) {
        figures.commits += 1
        figures.transactions += transactions
        figures.changes += changes
    }

    func countConcern(lists: Int, filters: Int) {
        figures.listsConcerned += lists
        figures.filtersEvaluated += filters
    }

    func countDelivery(frames: Int, deliveries: Int) {
        figures.frames += frames
        figures.deliveries += deliveries
    }
}

/// Counters since the start.
public struct SyncFigures: Sendable {
    /// Messages taken from sessions; a batch is one.
    public var messages = 0
    /// Requests in them.
    public var requests = 0
    /// Durable commits.
    public var commits = 0
    /// Transactions in them.
    public var transactions = 0
    /// Changed objects in them.
    public var changes = 0
    /// Distinct `change` messages that were encoded.
    public var frames = 0
    /// Sessions that they went to, in all.
    public var deliveries = 0
    /// Parts of first lists that were encoded.
    public var parts = 0
    /// Differences since an older version that were worked out, for resuming sessions and slow ones.
    public var catchUps = 0
    /// Lists that were looked at because a commit might touch them.
    public var listsConcerned = 0
    /// Filters that were evaluated for that, each on one row.
    public var filtersEvaluated = 0

    /// All at zero.
    public init() {}
}
