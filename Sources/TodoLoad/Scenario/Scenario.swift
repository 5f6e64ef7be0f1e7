/// What a run does besides writing, and measures.
enum Scenario: String, CaseIterable {
    /// All sessions are cut off at once, miss some writes, and come back at once.
    case reconnect
    /// The sessions of the first project stop reading while much is written there.
    case stalled
    /// Sessions take a large list, one after the other, while others write.
    case firstList = "first-list"

    /// One thing after the other.
    enum Step: Equatable {
        /// The projects and their rows are made.
        case prepare
        /// All sessions log in and get their lists.
        case join
        /// Writes at the rate of the run, measured under that name.
        case measure(String)
        /// All sessions are cut off, and writes are missed.
        case drop
        /// All sessions come back.
        case reconnect
        /// The sessions of the first project read nothing more, and it is written there until their sockets are full.
        case stall
        /// They read again.
        case wake
        /// The lists of all sessions are compared with the server's queries.
        case verify
        /// The projects are deleted from a server that is somebody else's.
        case remove
        case over

        /// What the step is called in the report.
        var name: String {
            switch self {
            case .prepare: "making the projects"
            case .join: "first lists of all sessions"
            case .measure(let name): "writing, \(name)"
            case .drop: "all sessions cut off"
            case .reconnect: "all sessions back"
            case .stall: "filling the sockets of the stalled"
            case .wake: "the stalled read again"
            case .verify: "comparing every list"
            case .remove: "removing the projects"
            case .over: "over"
            }
        }
    }

    var steps: [Step] {
        switch self {
        case .reconnect: [.prepare, .join, .measure("before"), .drop, .reconnect, .measure("after"), .verify, .remove, .over]
        case .stalled: [.prepare, .join, .measure("all read"), .stall, .measure("some stalled"), .wake, .verify, .remove, .over]
        case .firstList:
            [.prepare, .join] + (0..<Self.turns).flatMap { _ in [.measure("without"), .measure(Self.withFirstLists)] }
                + [.verify, .remove, .over]
        }
    }

    static let withFirstLists = "with first lists"
    /// How often is written without first lists and with them, in turns: what else the machine does is about the same for both then.
    static let turns = 4

    /// Rows of a project, of the large list in `first-list`, unless the command line says otherwise.
    var rows: Int {
        switch self {
        case .reconnect: 200
        case .stalled: 20
        case .firstList: 100_000
        }
    }
}

/// What a step was found to take.
struct StepFigures {
    var name: String
    var seconds = 0.0
    var bytesReceived = 0
    var writes = 0
    /// From when a write was due.
    var toResult = Histogram()
    /// To each session that reads.
    var toReaders = Histogram()
    /// How long a large list took, from the request to its last row.
    var firstLists = Histogram()
    /// Memory of the server when the step ended, where it runs on this machine.
    var serverMemory: Int?

    init(_ name: String) {
        self.name = name
    }
}
