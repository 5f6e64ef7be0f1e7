import Bytes
import Crypto
import Network
import Synchronization
import Todo
import TodoClient
import TodoProtocol

/// What is asked of the thread that takes large lists.
enum LargeListMessage: Sendable {
    /// Sessions get the list, one when the one before it has had it and is gone.
    case begin
    /// The session that has it keeps it, and no other follows.
    case pause
    /// Tell the rows that the last session has.
    case tell
    case stop
}

/// What that thread has found, for the one that measures.
final class LargeListFindings: Sendable {
    struct State {
        /// How long each list took, from the request to its last row, in nanoseconds.
        var times: [Int64] = []
        var bytesReceived = 0
        /// Whether no list is on its way.
        var isIdle = true
        /// The rows of the last session, since they were asked for.
        var rows: [Object]?
        var failure: String?
    }

    let state = Mutex(State())
}

/// Takes a large list again and again, on a loop and a thread of its own, so that reading 100,000 rows does not hold up the loop that measures.
struct LargeListRun: EventHandler, ~Copyable {
    typealias Message = LargeListMessage

    private let endpoint: Endpoint
    private let address: SocketAddress
    private let context: TLSContext?
    private let query: QueryText
    private let findings: LargeListFindings
    private var workspace = ClientWorkspace()
    private var session: ClientSession
    private var connection: ConnectionID?
    private var isGoingOn = false
    private var hasList = false
    /// Whether the connection is being given up for the next one, which comes also where no further one is wanted by then.
    private var isReplaced = false
    private var bytesAtBegin = 0
    private var asked = Instant.now()

    init(endpoint: Endpoint, address: SocketAddress, context: TLSContext?, query: QueryText, findings: LargeListFindings) throws {
        self.endpoint = endpoint
        self.address = address
        self.context = context
        self.query = query
        self.findings = findings
        session = try ClientSession(endpoint)
    }

    mutating func posted(_ messages: [LargeListMessage], _ loop: inout EventLoop) {
        for message in messages {
            switch message {
            case .begin:
                isGoingOn = true
                takeNext(&loop)
            case .pause: isGoingOn = false
            case .tell:
                let rows = session.list("tasks")?.rows
                findings.state.withLock { $0.rows = rows }
            case .stop:
                isGoingOn = false
                loop.stop()
            }
        }
    }

    private mutating func takeNext(_ loop: inout EventLoop) {
        guard let last = connection else { return connect(&loop) }
        isReplaced = true
        loop.abort(last)
    }

    private mutating func connect(_ loop: inout EventLoop) {
        do {
            session = try ClientSession(endpoint)
            try session.connect(&workspace)
            connection = try loop.connect(to: address, secured: context, host: endpoint.host)
            hasList = false
            findings.state.withLock { $0.isIdle = false }
            send(&loop)
        } catch {
            workspace.output.removeAll()
            fail("A session for the large list can't connect: \(error)", &loop)
        }
    }

    private mutating func send(_ loop: inout EventLoop) {
        guard !workspace.output.isEmpty, let connection else { return }
        workspace.output.withUnsafeBytes { _ = loop.send(copying: $0, to: connection) }
        workspace.output.removeAll()
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard id == connection else { return }
        var input = ClientInput(bytes)
        while let event = session.next(&input, &workspace) { handle(event, &loop) }
        send(&loop)
    }

    private mutating func handle(_ event: SessionEvent, _ loop: inout EventLoop) {
        switch event {
        case .opened:
            _ = session.login(.nickname("load-large"), &workspace)
        case .result(_, .login):
            asked = Instant.now()
            bytesAtBegin = loop.bytesRead
            _ = session.subscribe(SubscribeParams("tasks", to: query), &workspace)
        case .initial(_, let isComplete): if isComplete { noteList(&loop) }
        case .result, .change: break
        case .failure(_, let error): fail("The server refused a request for the large list: \(error.message) (\(error.code))", &loop)
        case .refused(let status, let sentence): fail("The server refused the upgrade with HTTP status \(status): \(sentence)", &loop)
        case .violated(let sentence): fail("The server broke the protocol: \(sentence)", &loop)
        case .closed(let code, let reason): fail("The server closed the session with the large list: \(code) \(reason)", &loop)
        case .subscriptionEnded(_, let error): fail("The large list ended: \(error.message)", &loop)
        case .loggedOut(let error): fail("The session with the large list was logged out: \(error.message)", &loop)
        }
    }

    private mutating func noteList(_ loop: inout EventLoop) {
        guard !hasList else { return }
        hasList = true
        let time = Instant.now().nanoseconds(since: asked)
        let bytes = loop.bytesRead - bytesAtBegin
        let goesOn = isGoingOn
        findings.state.withLock { state in
            state.times.append(time)
            state.bytesReceived += bytes
            state.isIdle = !goesOn
        }
        if goesOn { takeNext(&loop) }
    }

    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.finish(id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard id == connection else { return }
        connection = nil
        guard isReplaced else { return fail("The session with the large list was lost: \(reason)", &loop) }
        isReplaced = false
        connect(&loop)
    }

    private mutating func fail(_ sentence: String, _ loop: inout EventLoop) {
        findings.state.withLock { $0.failure = $0.failure ?? sentence }
        loop.stop()
    }
}

/// The thread that takes large lists.
final class LargeListReader {
    let findings = LargeListFindings()
    private let mailbox: Mailbox<LargeListMessage>
    private var thread: NamedThread?

    /// How far it gives way to the loop that measures, and to the server: it stands for clients on other machines.
    static let niceness = 10

    init(endpoint: Endpoint, address: SocketAddress, context: TLSContext?, query: QueryText) throws {
        let mailbox = try Mailbox<LargeListMessage>()
        self.mailbox = mailbox
        thread = try NamedThread(name: "large lists", niceness: Self.niceness) { [findings] in
            do {
                var loop = try EventLoop(outboundBytesMax: 1 << 20)
                var run = try LargeListRun(endpoint: endpoint, address: address, context: context, query: query, findings: findings)
                try loop.run(&run, mailbox: mailbox)
            } catch {
                findings.state.withLock { $0.failure = "The thread for large lists ended: \(error)" }
            }
        }
    }

    func post(_ message: LargeListMessage) {
        mailbox.post(message)
    }

    /// Ends the thread.
    func stop() {
        mailbox.post(.stop)
        if let thread = thread.take() { thread.join() }
    }
}
