import Bytes
import Crypto
import Network
import TodoClient
import TodoProtocol
import WebSocket

/// Opens connections that do nothing, and measures what each of them takes of the server's memory.
///
/// First they are bare, then each logs in, then twice as many more come and go beside them.
struct IdleRun: EventHandler, ~Copyable {
    typealias Message = RunMessage

    enum Phase: Equatable {
        case opening
        case loggingIn
        case warming
        case passing
        case leaving
        case over
    }

    /// So many connections are made, or log in, at a time.
    static let underWayMax = 128
    /// How long a process is given to come to rest before its memory is read.
    static let restMilliseconds = 1_500
    /// A phase in which nothing goes on for so long has failed.
    static let patienceMilliseconds = 30_000

    let endpoint: Endpoint
    let address: SocketAddress
    let context: TLSContext?
    let process: Int32
    var report: IdleReport

    var connections = ConnectionTable<IdleConnection>()
    var lasting: [ConnectionID] = []
    var codec = LoopCodec()
    var output = ByteWriter()
    var writer = JSONWriter()
    private(set) var phase = Phase.opening
    /// Of the present phase: how many have been started, and how many are done.
    var begun = 0
    var done = 0
    /// When the memory is read that the phase ends with.
    private var measuresAt = Instant.distantFuture
    private var heard = Instant.now()

    init(_ count: Int, endpoint: Endpoint, address: SocketAddress, context: TLSContext?, process: Int32) {
        self.endpoint = endpoint
        self.address = address
        self.context = context
        self.process = process
        report = IdleReport(url: endpoint.description, connections: count)
        report.passing = 2 * count
    }

    /// How many connections the phase is about.
    private var wanted: Int {
        switch phase {
        case .opening, .loggingIn, .leaving: report.connections
        case .warming, .passing: report.passing
        case .over: 0
        }
    }

    // MARK: The loop's events

    mutating func started(_ loop: inout EventLoop) {
        report.atStart = ResidentMemory.of(process: process)
        guard report.atStart != nil else { return fail("The memory of process \(process) can't be read.", &loop) }
        go(&loop)
    }

    mutating func turnEnding(_ loop: inout EventLoop) {
        go(&loop)
    }

    mutating func alarmed(_ loop: inout EventLoop) {
        if loop.now >= measuresAt {
            measuresAt = .distantFuture
            measure(&loop)
        } else if loop.now.nanoseconds(since: heard) > Int64(Self.patienceMilliseconds) * 1_000_000 {
            fail(
                "\(done) of \(wanted) connections were done (\(phase)), and then nothing came for \(Self.patienceMilliseconds / 1000) s.",
                &loop)
        }
        go(&loop)
    }

    mutating func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) {
        if signal != .hangUp { fail("Interrupted.", &loop) }
    }

    // MARK: Phases

    /// Starts what may be started, and waits for rest where all is done.
    private mutating func go(_ loop: inout EventLoop) {
        while phase != .over, begun < wanted, begun - done < Self.underWayMax {
            begun += 1
            start(begun - 1, &loop)
        }
        if phase != .over, done == wanted, measuresAt == .distantFuture {
            measuresAt = loop.now.advanced(milliseconds: phase == .leaving ? 0 : Self.restMilliseconds)
        }
        loop.setAlarm(min(measuresAt, loop.now.advanced(milliseconds: 1_000)))
    }

    private mutating func start(_ number: Int, _ loop: inout EventLoop) {
        switch phase {
        case .opening: connect(number, isLasting: true, &loop)
        case .loggingIn: logIn(number, &loop)
        case .warming, .passing: connect(number, isLasting: false, &loop)
        case .leaving: leave(lasting[number], &loop)
        case .over: break
        }
    }

    /// One more is done.
    mutating func advance(_ loop: inout EventLoop) {
        done += 1
        heard = loop.now
    }

    private mutating func measure(_ loop: inout EventLoop) {
        let bytes = ResidentMemory.of(process: process)
        switch phase {
        case .opening:
            report.open = bytes
            enter(.loggingIn, &loop)
        case .loggingIn:
            report.loggedIn = bytes
            enter(.warming, &loop)
        case .warming:
            report.warm = bytes
            enter(.passing, &loop)
        case .passing:
            report.passed = bytes
            enter(.leaving, &loop)
        case .leaving, .over:
            phase = .over
            loop.stop()
        }
    }

    private mutating func enter(_ next: Phase, _ loop: inout EventLoop) {
        phase = next
        begun = 0
        done = 0
        heard = loop.now
    }

    mutating func fail(_ sentence: String, _ loop: inout EventLoop) {
        guard phase != .over else { return }
        if report.failure == nil { report.failure = sentence }
        phase = .over
        loop.stop()
    }
}
