public import Bytes
import Crypto
import Synchronization
import Todo
import TodoProtocol
import TodoStore

/// The kinds of work that other threads do, so that one kind never waits for another.
public enum JobLane: CaseIterable, Sendable {
    /// Password hashing: slow on purpose.
    case hashing
    /// Reading first lists and queries from snapshots.
    case reading
    /// Encoding the parts of first lists, each in a moment: they don't wait behind a long read.
    case encoding
}

/// Runs work off the committer's thread and gives its outcome back as an input.
public protocol JobRunner: Sendable {
    /// Runs the job on a thread of the lane; its outcome comes back through the committer's mailbox.
    func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished)
}

/// The outcome of a job.
public struct Finished: Sendable {
    let ticket: Int
    let outcome: Outcome

    /// Whether a password was hashed or checked.
    var isOfPassword: Bool {
        switch outcome {
        case .hashed, .checked: true
        default: false
        }
    }

    enum Outcome: Sendable {
        case hashed(Result<String, JobFault>)
        case checked(Result<PasswordCheck, JobFault>)
        case loaded(ReadList)
        case listed(ListWindow)
        case answered(Outgoing)
        /// An answer that goes out with others of its batch.
        case batched(SharedBytes)
        case found(Object?)
        case encoded(EncodedPart)
        /// What was to be read was not.
        case failed(JobFault)
        /// Memory was given back.
        case freed
    }

    /// The same with the message that the job has written, if any, framed where it was written.
    public func framed(by frame: (SharedBytes) -> any Sendable) -> Finished {
        switch outcome {
        case .answered(let message): Finished(ticket: ticket, outcome: .answered(message.framed(by: frame)))
        case .encoded(let part):
            Finished(ticket: ticket, outcome: .encoded(EncodedPart(key: part.key, end: part.end, message: part.message.framed(by: frame))))
        default: self
        }
    }
}

/// The rows of a list as they were read from one snapshot of the store.
///
/// Whoever takes them is the only one who has them: a list that somebody else holds too is copied, all of it, when it changes.
final class ReadList: Sendable {
    let version: Int64
    /// What its query asks of the items of large projects.
    let tallies: ItemTallies.Kept
    private let live: Mutex<LiveList?>

    init(version: Int64, _ live: consuming LiveList?, tallies: ItemTallies.Kept = [:]) {
        self.version = version
        self.tallies = tallies
        self.live = Mutex(live)
    }

    func take() -> LiveList? {
        live.withLock { $0.take() }
    }
}

/// Why a job failed, in words for the log and for the client.
struct JobFault: Error, Sendable {
    /// What to answer.
    let response: ErrorResponse

    init(_ response: ErrorResponse) {
        self.response = response
    }

    init(_ error: any Error) {
        response =
            switch error {
            case let fault as JobFault: fault.response
            case let refusal as Refusal: ErrorResponse(refusal)
            default: .unavailable
            }
    }
}

/// The jobs under way and what to do with their outcomes.
struct JobBook {
    private var next = 0
    private var waiting: [Int: (Finished.Outcome) -> Void] = [:]

    mutating func open(_ then: @escaping (Finished.Outcome) -> Void) -> Int {
        next += 1
        waiting[next] = then
        return next
    }

    mutating func close(_ finished: Finished) -> ((Finished.Outcome) -> Void)? {
        waiting.removeValue(forKey: finished.ticket)
    }
}
