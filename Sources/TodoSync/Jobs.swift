import Crypto
import Todo
import TodoProtocol
import TodoStore

/// The kinds of work that other threads do, so that one kind never waits for another.
public enum JobLane: CaseIterable, Sendable {
    /// Password hashing: slow on purpose.
    case hashing
    /// Reading first lists and queries from snapshots.
    case reading
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
        case .read, .found: false
        }
    }

    enum Outcome: Sendable {
        case hashed(Result<String, JobFault>)
        case checked(Result<PasswordCheck, JobFault>)
        case read(Result<Rows, JobFault>)
        case found(Result<Object?, JobFault>)
    }

    /// Rows that matched in one snapshot of the store.
    struct Rows: Sendable {
        let version: Int64
        let list: LiveList
    }
}

/// Why a job failed, in words for the log and for the client.
struct JobFault: Error, Sendable {
    /// What to answer.
    let response: ErrorResponse

    init(_ error: any Error) {
        response =
            switch error {
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
