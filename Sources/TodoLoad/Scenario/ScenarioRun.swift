import Bytes
import Crypto
import Network
import Todo
import TodoClient
import TodoProtocol

/// One session of a scenario, which outlives its connections.
final class ScenarioMember {
    let index: Int
    var session: ClientSession
    var connection: ConnectionID?
    var isReady = false
    var isStalled = false

    init(index: Int, session: consuming ClientSession) {
        self.index = index
        self.session = session
    }
}

/// Plays a scenario on one event loop, step by step, and measures each.
struct ScenarioRun: EventHandler, ~Copyable {
    typealias Message = RunMessage

    /// A step that hears nothing for so long has failed.
    static let patienceMilliseconds = 60_000
    static let tickMilliseconds = 100
    /// So many connections are being made at a time: more would not fit into a listener's queue.
    static let connectingMax = 1_000

    let options: LoadOptions
    let scenario: Scenario
    let endpoint: Endpoint
    let address: SocketAddress
    let context: TLSContext?
    let serverProcess: Int32?
    let run: String
    let rows: Int

    var workspace = ClientWorkspace()
    var members: [ScenarioMember] = []
    var places = ConnectionTable<Int>()
    var step = Scenario.Step.prepare
    private var stepsLeft: ArraySlice<Scenario.Step>
    var figures: [StepFigures] = []
    var failures: [String] = []
    private(set) var wasInterrupted = false

    /// Entries that the keeper has yet to write.
    var preparation: [ChangeSpec] = []
    var purposes: [Int64: Purpose] = [:]
    var toConnect: ArraySlice<Int> = []
    var connecting = 0
    var readyCount = 0
    var begun = Instant.now()
    var bytesAtBegin = 0
    var written = 0
    var writtenAtBegin = 0
    var expected: [Int: [Object]] = [:]
    /// The thread that takes the large list, from the first time on that it is to.
    var large: LargeListReader?
    /// Whether it has been told to begin no other list.
    var isPausing = false
    private var heard = Instant.now()
    private var tick = Instant.now()
    private var progress = Progress<Scenario.Step>()

    /// What a request of the keeper was for.
    enum Purpose {
        case login
        case preparation
        case write(due: Instant)
        case query(project: Int)
        case removal
    }

    init(
        _ options: LoadOptions, _ scenario: Scenario, endpoint: Endpoint, address: SocketAddress, context: TLSContext?, server: OwnServer?,
        run: String
    ) {
        self.options = options
        self.scenario = scenario
        self.endpoint = endpoint
        self.address = address
        self.context = context
        self.run = run
        serverProcess = server?.process
        rows = options.rows ?? scenario.rows
        stepsLeft = scenario.steps.dropFirst()
    }

    var hasLargeList: Bool { scenario == .firstList }
    /// The sessions that read from the beginning.
    var readers: Range<Int> { 0..<options.sessions }
    /// The session that writes.
    var keeper: Int { options.sessions }
    /// The project of the large list comes behind those of the readers.
    var projects: Int { options.projects + (hasLargeList ? 1 : 0) }

    func project(of member: Int) -> Int { member < options.sessions ? member % options.projects : options.projects }

    // MARK: The loop's events

    mutating func started(_ loop: inout EventLoop) {
        do {
            for index in 0...keeper { members.append(ScenarioMember(index: index, session: try ClientSession(endpoint))) }
        } catch {
            failures.append("\(error)")
            return loop.stop()
        }
        preparation = preparedRows()
        begin(.prepare, &loop)
        connect(keeper, &loop)
        tick = loop.now
        loop.setAlarm(tick)
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let place = places.pointer(to: id)?.pointee else { return }
        heard = loop.now
        var input = ClientInput(bytes)
        while let event = members[place].session.next(&input, &workspace) { handle(event, members[place], &loop) }
        send(to: id, &loop)
        writeWhatIsDue(&loop)
    }

    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.finish(id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard let place = places.remove(id) else { return }
        let member = members[place]
        _ = member.session.disconnected()
        member.connection = nil
        if member.isReady {
            member.isReady = false
            if readers.contains(place) { readyCount -= 1 }
        } else {
            connecting -= 1
        }
        guard step != .drop, step != .over else { return }
        fail("Session \(place + 1) was lost: \(reason.sentence)", &loop)
    }

    mutating func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let place = places.pointer(to: id)?.pointee else { return }
        logIn(members[place])
        send(to: id, &loop)
    }

    mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) {
        guard signal != .hangUp else { return }
        wasInterrupted = true
        end(&loop)
    }

    mutating func alarmed(_ loop: inout EventLoop) {
        writeWhatIsDue(&loop)
        if loop.now >= tick {
            tick = loop.now.advanced(milliseconds: Self.tickMilliseconds)
            let standing =
                "\(step.name): \(Figures.whole(readyCount)) of \(Figures.whole(options.sessions)) sessions, \(Figures.whole(written)) writes"
            progress.show(standing, of: step, at: loop.now)
            beat(&loop)
        }
        setAlarm(&loop)
    }

    mutating func turnEnding(_ loop: inout EventLoop) {
        advance(&loop)
        setAlarm(&loop)
    }

    private mutating func setAlarm(_ loop: inout EventLoop) {
        guard case .measure = step else { return loop.setAlarm(tick) }
        loop.setAlarm(min(tick, dueTime(of: written - writtenAtBegin)))
    }

    private mutating func beat(_ loop: inout EventLoop) {
        guard step != .over, loop.now.nanoseconds(since: heard) > Int64(Self.patienceMilliseconds) * 1_000_000 else { return }
        fail("Nothing came from the server for \(Self.patienceMilliseconds / 1000) s: \(step.name)", &loop)
    }

    // MARK: Steps

    /// Ends the step and begins the next one.
    mutating func finishStep(_ loop: inout EventLoop) {
        note(&loop)
        guard let next = stepsLeft.popFirst() else { return end(&loop) }
        begin(next, &loop)
    }

    private mutating func note(_ loop: inout EventLoop) {
        guard var last = figures.popLast() else { return }
        last.seconds += Double(Instant.now().nanoseconds(since: begun)) / 1e9
        last.bytesReceived += loop.bytesRead - bytesAtBegin
        last.writes += written - writtenAtBegin
        takeFindings(into: &last)
        last.serverMemory = serverProcess.flatMap { ResidentMemory.of(process: $0) }
        figures.append(last)
    }

    private mutating func begin(_ next: Scenario.Step, _ loop: inout EventLoop) {
        step = next
        isPausing = false
        begun = Instant.now()
        heard = loop.now
        bytesAtBegin = loop.bytesRead
        writtenAtBegin = written
        // What is measured several times, in turns with something else, is told as one.
        if let known = figures.firstIndex(where: { $0.name == next.name }) {
            figures.append(figures.remove(at: known))
        } else {
            figures.append(StepFigures(next.name))
        }
        enter(next, &loop)
    }

    mutating func fail(_ sentence: String, _ loop: inout EventLoop) {
        failures.append(sentence)
        end(&loop)
    }

    mutating func end(_ loop: inout EventLoop) {
        if step != .over { note(&loop) }
        step = .over
        large?.stop()
        large = nil
        progress.end()
        loop.stop()
    }
}
