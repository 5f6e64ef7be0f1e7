import Bytes
import Crypto
import Network
import Todo
import TodoClient
import TodoProtocol

/// What other threads tell the run.
enum RunMessage: Sendable {}

/// A run from the first connection to the proof, on one event loop.
struct LoadRun: EventHandler, ~Copyable {
    typealias Message = RunMessage

    enum Phase: Equatable {
        case preparing
        case joining
        case writing
        case draining
        case verifying
        case removing
        case leaving
        case over
    }

    /// So many sessions log in at a time.
    static let joinersMax = 128
    /// A phase that waits for the server and hears nothing for so long has failed.
    static let patienceMilliseconds = 30_000
    static let tickMilliseconds = 200

    let options: LoadOptions
    let endpoint: Endpoint
    let address: SocketAddress
    /// What connections are encrypted with, if they are.
    let context: TLSContext?
    /// Whether the server goes away afterwards, so that nothing has to be removed from it.
    let isServerOwn: Bool
    let serverProcess: Int32?

    var plan: WritePlan
    var tracker: DeliveryTracker
    var report = Report()
    var progress = Progress<Phase>()
    var phase = Phase.preparing
    /// The phase is set, and what it begins with is yet to be done.
    private(set) var isEntering = false
    var workspace = ClientWorkspace()
    var members = ConnectionTable<Member>()
    /// The connection of each session, the keeper's last.
    var ids: [ConnectionID?]

    /// Entries that the keeper has yet to write.
    var preparation: [ChangeSpec] = []
    var joined = 0
    var readyCount = 0
    var begun = Instant.now()
    var nextWrite = 0
    var unanswered = 0
    var verification: Verification
    /// When something was last heard that the phase waits for.
    var heard = Instant.now()
    var tick = Instant.now()
    var start = Usages()

    init(
        _ options: LoadOptions, endpoint: Endpoint, address: SocketAddress, context: TLSContext?, server: OwnServer?, run: String
    ) {
        self.options = options
        self.endpoint = endpoint
        self.address = address
        self.context = context
        isServerOwn = server != nil
        serverProcess = server?.process
        let plan = WritePlan(run: run, sessions: options.sessions, projects: options.projects, seed: options.seed)
        self.plan = plan
        tracker = DeliveryTracker(sessions: options.sessions, projects: options.projects) { plan.project(of: $0) }
        verification = Verification(projects: options.projects)
        ids = Array(repeating: nil, count: options.sessions + 1)
    }

    var keeper: Int { options.sessions }

    // MARK: The loop's events

    mutating func started(_ loop: inout EventLoop) {
        preparation = plan.preparation()
        connect(keeper, &loop)
        tick = loop.now
        heard = loop.now
        setAlarm(&loop)
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let member = members.pointer(to: id) else { return }
        var input = ClientInput(bytes)
        while let event = member.pointee.session.next(&input, &workspace) {
            handle(event, member, id, &loop)
        }
        send(to: id, &loop)
        // A turn with many deliveries must not hold up what is due.
        if phase == .writing { writeWhatIsDue(&loop) }
    }

    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.finish(id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard let member = members.remove(id) else { return }
        ids[member.index] = nil
        guard member.stage != .leaving, phase != .over else { return }
        lose(member.index, reason.sentence, &loop)
    }

    mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let member = members.pointer(to: id) else { return }
        if member.pointee.stage == .loggingIn {
            logIn(member)
            send(to: id, &loop)
        } else {
            loop.abort(id)
        }
    }

    mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) {
        guard signal != .hangUp else { return }
        let isSecond = report.wasInterrupted
        report.wasInterrupted = true
        progress.end()
        // What other people's server holds of this run is removed; a second Ctrl-C does not wait for it.
        if isSecond || isServerOwn || phase == .leaving || ids[keeper] == nil { return end(&loop) }
        enter(.removing, &loop)
    }

    mutating func alarmed(_ loop: inout EventLoop) {
        if phase == .writing { writeWhatIsDue(&loop) }
        if loop.now >= tick {
            tick = loop.now.advanced(milliseconds: Self.tickMilliseconds)
            beat(&loop)
        }
        setAlarm(&loop)
    }

    mutating func turnEnding(_ loop: inout EventLoop) {
        step(&loop)
        setAlarm(&loop)
    }

    private mutating func setAlarm(_ loop: inout EventLoop) {
        guard phase == .writing else { return loop.setAlarm(tick) }
        loop.setAlarm(min(tick, dueTime(of: nextWrite)))
    }

    // MARK: Phases

    /// On to the next phase where all is there for it.
    private mutating func step(_ loop: inout EventLoop) {
        advance(&loop)
        while isEntering {
            isEntering = false
            begin(&loop)
            advance(&loop)
        }
    }

    private mutating func advance(_ loop: inout EventLoop) {
        switch phase {
        case .preparing: break
        case .joining:
            while joined < options.sessions, joined - readyCount < Self.joinersMax, phase == .joining {
                joined += 1
                connect(joined - 1, &loop)
            }
            if readyCount == options.sessions { enter(.writing, &loop) }
        case .writing: writeWhatIsDue(&loop)
        case .draining:
            if unanswered == 0, tracker.waitingCount == 0 { enter(.verifying, &loop) }
        case .verifying: verifyStep(&loop)
        case .removing: break
        case .leaving: if members.count == 0 { end(&loop) }
        case .over: break
        }
    }

    /// Sets the phase. What it begins with is done when the turn ends, as sessions share one buffer for what they send.
    mutating func enter(_ next: Phase, _ loop: inout EventLoop) {
        guard phase != .over, phase != next else { return }
        if phase == .writing { report.note(usages(loop), since: start) }
        phase = next
        heard = loop.now
        isEntering = true
    }

    private mutating func begin(_ loop: inout EventLoop) {
        switch phase {
        case .writing:
            begun = Instant.now()
            start = usages(loop)
        case .removing: removeProjects(&loop)
        case .leaving: leave(&loop)
        default: break
        }
    }

    mutating func end(_ loop: inout EventLoop) {
        if phase == .writing { report.note(usages(loop), since: start) }
        phase = .over
        loop.stop()
    }

    /// Gives the run up: what is wrong has been noted.
    mutating func giveUp(_ loop: inout EventLoop) {
        if isServerOwn || ids[keeper] == nil || phase == .preparing || phase == .removing { return end(&loop) }
        enter(.removing, &loop)
    }

    /// The regular look at the time: progress, and whether the server is still there.
    private mutating func beat(_ loop: inout EventLoop) {
        if let standing { progress.show(standing, of: phase, at: loop.now) }
        let silence = loop.now.nanoseconds(since: heard)
        guard silence > Int64(Self.patienceMilliseconds) * 1_000_000, phase != .writing else { return }
        report.fail(despair)
        if phase == .leaving || phase == .removing { end(&loop) } else { giveUp(&loop) }
    }

    private var despair: String {
        let seconds = Self.patienceMilliseconds / 1000
        switch phase {
        case .preparing: return "The server did not answer for \(seconds) s while the projects were made."
        case .joining: return "\(readyCount) of \(options.sessions) sessions were ready, and then nothing came for \(seconds) s."
        case .draining:
            if unanswered > 0 { return "\(unanswered) writes were not answered within \(seconds) s." }
            for project in 0..<options.projects {
                guard let (version, sessions) = tracker.laggards(ofProject: project), let first = sessions.first else { continue }
                return "Version \(version) did not reach \(sessions.count) sessions of project \(project + 1) within \(seconds) s; "
                    + "the first of them is session \(first + 1)."
            }
            return "Changes did not reach every session within \(seconds) s."
        case .verifying: return "The server did not answer the closing queries within \(seconds) s."
        default: return "The server did not answer within \(seconds) s while the run was ended."
        }
    }

    /// How far the phase is, in a line; `nil` where it is not worth one.
    private var standing: String? {
        switch phase {
        case .preparing: return "making the projects …"
        case .joining: return "logging in: \(Figures.whole(readyCount)) of \(Figures.whole(options.sessions)) sessions"
        case .writing:
            let seconds = Double(Instant.now().nanoseconds(since: begun)) / 1e9
            return "writing: \(Figures.decimal(seconds, 1)) of \(Figures.decimal(options.seconds, 0)) s, "
                + "\(Figures.whole(nextWrite)) writes, \(Figures.whole(unanswered)) unanswered, "
                + "\(Figures.whole(report.deliveries)) deliveries, p99 to result \(Figures.time(report.toResult.quantile(0.99)))"
        case .draining: return "waiting for the last changes: \(Figures.whole(unanswered)) writes unanswered"
        case .verifying: return "comparing every session's lists with the server's"
        case .removing: return "removing the projects of this run"
        case .leaving, .over: return nil
        }
    }
}

extension LoadRun {
    /// What the run found.
    var outcome: Outcome {
        Outcome(
            options: options, url: endpoint.description, report: report, sent: nextWrite, toOne: tracker.toOne, toEvery: tracker.toEvery)
    }
}
