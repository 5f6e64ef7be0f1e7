import Bytes
import Synchronization
import Todo
import TodoProtocol
import TodoStore
import TodoSync

/// Jobs that run when the hub's turn is over, in the order in which they came.
final class InlineJobs: JobRunner {
    private let waiting = Mutex<[@Sendable () -> Finished]>([])

    func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished) {
        waiting.withLock { $0.append(job) }
    }

    func takeFirst() -> (@Sendable () -> Finished)? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// A hub over a temporary store, whose clients take everything at once and only count it.
final class BenchHub {
    let store: SQLiteStore
    let hub: Hub
    var moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)
    /// Messages that were delivered, each counted once a session.
    private(set) var messages = 0
    /// Their bytes.
    private(set) var bytes = 0
    private(set) var lastText = ""
    private let jobs = InlineJobs()
    private var decoder = MessageDecoder()
    private var connections: UInt64 = 0

    init(_ store: SQLiteStore, change: (inout SyncSettings) -> Void = { _ in }) {
        self.store = store
        var settings = SyncSettings(server: "benchmark", providers: [.nickname], accessOfNewProjects: .private)
        change(&settings)
        hub = Hub(
            store: store, settings: settings, loops: 1, jobs: jobs, log: Log(level: .error) { _, line in print(line) }, moment: moment)
    }

    convenience init() throws {
        self.init(try SQLiteStore.temporary())
    }

    deinit { store.close() }

    func connect() -> SessionID {
        connections += 1
        let id = SessionID(loop: 0, connection: connections)
        process([.opened(id, Peer(address: "benchmark", userAgent: nil))])
        return id
    }

    /// A session that is logged in under that nickname.
    func login(_ nickname: String) -> SessionID {
        let id = connect()
        send(id, #""method":"login","params":{"provider":"nickname","nickname":"\#(nickname)"}"#)
        return id
    }

    func input(_ session: SessionID, _ request: String) -> Input {
        var text = #"{"jsonrpc":"2.0","id":1,\#(request)}"#
        return .message(session, text.withUTF8 { decoder.decode(UnsafeRawBufferPointer($0)) })
    }

    /// Sends one request and lets everything follow from it.
    func send(_ session: SessionID, _ request: String) {
        process([input(session, request)])
    }

    func subscribe(_ session: SessionID, _ name: String, _ className: String, _ filter: String, _ more: String = "") {
        send(session, subscription(name, className, filter, more))
    }

    func subscription(_ name: String, _ className: String, _ filter: String, _ more: String = "") -> String {
        #""method":"subscribe","params":{"name":"\#(name)","class":"\#(className)","filter":"\#(filter)"\#(more)}"#
    }

    func write(_ session: SessionID, _ changes: String) {
        send(session, #""method":"write","params":{"changes":[\#(changes)]}"#)
    }

    func process(_ inputs: [Input]) {
        takeTurns(inputs)
        while let job = jobs.takeFirst() { takeTurns([.finished(job())]) }
    }

    private func takeTurns(_ inputs: [Input]) {
        hub.process(inputs, at: moment)
        takeDeliveries()
        while hub.hasWork {
            hub.process([], at: moment)
            takeDeliveries()
        }
    }

    private func takeDeliveries() {
        while true {
            var drained: [Input] = []
            let deliveries = hub.takeDeliveries(loop: 0)
            if deliveries.isEmpty { return }
            for delivery in deliveries {
                switch delivery {
                case .broadcast(let text, let connections):
                    messages += connections.count
                    bytes += text.count * connections.count
                case .message(let text, let connection, let reportsDrained, _):
                    messages += 1
                    bytes += text.count
                    if text.count < 512 { lastText = text.string }
                    if reportsDrained { drained.append(.drained(SessionID(loop: 0, connection: connection))) }
                case .framed: preconditionFailure("no job frames anything here")
                case .worked, .watch, .close: break
                }
            }
            if !drained.isEmpty { hub.process(drained, at: moment) }
        }
    }

    /// Puts a project with items into the store, past the hub: quick, and not what is measured.
    static func fill(_ store: SQLiteStore, project: String, items: Int, owner: String) throws {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        try store.begin()
        let projectObject = object(
            .project,
            [
                ProjectField.projectId: .string(project), ProjectField.name: .string(project), ProjectField.owner: .string(owner),
                ProjectField.creator: .string(owner), ProjectField.timestamp: .date(now),
                ProjectField.itemCount: .integer(Int64(items)), ProjectField.openCount: .integer(Int64(items)),
                ProjectField.access: .string("private"),
            ])
        let permission = object(
            .permission,
            [
                0: .string("\(project):\(owner)"), PermissionField.projectId: .string(project), PermissionField.userId: .string(owner),
                PermissionField.role: .string("owner"),
            ])
        try store.insert(projectObject)
        try store.insert(permission)
        var position: String?
        for number in 0..<items {
            let next = Position.between(position, nil)
            position = next
            try store.insert(
                object(
                    .item,
                    [
                        ItemField.itemId: .string("\(project)-\(number)"), ItemField.projectId: .string(project),
                        ItemField.body: .string("Buy milk and bread number \(number * 7919 % 1_000_003)"), ItemField.timestamp: .date(now),
                        ItemField.position: .string(next), ItemField.createdBy: .string(owner),
                        BenchItems.priority: .integer(Int64(number % 4)),
                    ]))
        }
        try store.append(
            LogEntry(
                version: store.nextVersion, at: now, by: owner,
                changes: [Change(.permission, key: permission.key, before: nil, after: permission)]))
        try store.commit()
    }

    private static func object(_ className: ClassName, _ given: [Int: Value]) -> Object {
        Object(className, className.schema.fields.enumerated().map { given[$0] ?? $1.initial ?? .null })
    }

    /// The id of the session's user.
    func userId(_ session: SessionID, _ nickname: String) throws -> String {
        try store.userNamed(normalisedName: nickname)?.key ?? ""
    }
}
