internal import Synchronization
public import Todo
internal import TodoProtocol

/// A live list: the rows of a query, kept up to date from the server's changes for as long as the subscription lasts.
public final class LiveResults: Sendable {
    private enum Wait {
        case complete
        case version(Int64)
    }

    private struct State {
        var rows: [Object] = []
        var isComplete = false
        var version: Int64?
        var error: ClientError?
        var waits: [UInt64: (Wait, CheckedContinuation<ClientError?, Never>)] = [:]
        var nextWait: UInt64 = 0
        var observers: [WeakObserver] = []

        func holds(_ wait: Wait) -> Bool {
            switch wait {
            case .complete: isComplete
            case .version(let wanted): isComplete && (version ?? 0) >= wanted
            }
        }
    }

    /// An observer lives as long as its sequence.
    private struct WeakObserver {
        weak var buffer: ChangeBuffer?
    }

    /// The subscription's name.
    public let name: String
    /// The class of the rows.
    public let className: ClassName
    private let state = Mutex(State())

    init(name: String, className: ClassName) {
        self.name = name
        self.className = className
    }

    /// The rows, in order, as far as they have arrived.
    public var rows: [Object] { state.withLock { $0.rows } }

    /// Whether `rows` is the whole list.
    public var isComplete: Bool { state.withLock { $0.isComplete } }

    /// The store's version that the rows reflect; `nil` before the list has been complete.
    public var version: Int64? { state.withLock { $0.version } }

    /// Why the subscription has ended; `nil` while it lasts.
    public var error: ClientError? { state.withLock { $0.error } }

    /// The list's changes from now on, the whole list first.
    public var changes: LiveChanges {
        let buffer = ChangeBuffer()
        state.withLock { state in
            if state.isComplete, let version = state.version { add(.initial(rows: state.rows, version: version), to: buffer, state) }
            if state.error != nil {
                buffer.end()
            } else {
                state.observers.append(WeakObserver(buffer: buffer))
            }
        }
        return LiveChanges(buffer: buffer)
    }

    /// Waits until `rows` is the whole list.
    ///
    /// - Throws: why the subscription ended before; `ended` where the task was cancelled.
    public func waitUntilComplete() async throws(ClientError) {
        try await wait(for: .complete)
    }

    /// Waits until the list reflects that version, or a later one that touched it.
    ///
    /// A version that did not touch the list does not reach it. A write's own changes have arrived before its result has.
    ///
    /// - Throws: why the subscription ended before; `ended` where the task was cancelled.
    public func wait(untilVersion version: Int64) async throws(ClientError) {
        try await wait(for: .version(version))
    }

    private func wait(for wait: Wait) async throws(ClientError) {
        let number = state.withLock { state in
            state.nextWait += 1
            return state.nextWait
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: ClientError?? = state.withLock { state in
                    if state.holds(wait) { return .some(nil) }
                    if let error = state.error { return .some(error) }
                    if Task.isCancelled { return .some(.ended) }
                    state.waits[number] = (wait, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waits.removeValue(forKey: number) }
            waiting?.1.resume(returning: .ended)
        }
        if let error { throw error }
    }
}

/// What the client's thread does with the list.
extension LiveResults {
    /// The list is as the replica has it now, by a part of a first list.
    func publish(_ replica: Replica) {
        let ready = state.withLock { state in
            take(replica, &state)
            if state.isComplete, let version = state.version {
                for observer in state.observers {
                    if let buffer = observer.buffer { add(.initial(rows: state.rows, version: version), to: buffer, state) }
                }
            }
            return takeReady(&state)
        }
        for continuation in ready { continuation.resume(returning: nil) }
    }

    /// The list is as the replica has it now, by a change.
    func publish(_ replica: Replica, _ update: ListUpdate, by: [String]) {
        let ready = state.withLock { state in
            take(replica, &state)
            if !state.observers.isEmpty {
                let change = LiveUpdate(update, rows: state.rows, version: state.version ?? 0, by: by)
                for observer in state.observers {
                    if let buffer = observer.buffer { add(.update(change), to: buffer, state) }
                }
            }
            return takeReady(&state)
        }
        for continuation in ready { continuation.resume(returning: nil) }
    }

    /// The connection is lost: the rows stay, and are the whole list again when the client has caught up.
    func suspend() {
        state.withLock { $0.isComplete = false }
    }

    /// The subscription is over.
    func end(_ error: ClientError) {
        let waits = state.withLock { state in
            guard state.error == nil else { return [CheckedContinuation<ClientError?, Never>]() }
            state.error = error
            for observer in state.observers {
                guard let buffer = observer.buffer else { continue }
                if case .server(let error) = error { add(.ended(error), to: buffer, state) }
                buffer.end()
            }
            state.observers = []
            defer { state.waits = [:] }
            return state.waits.values.map { $0.1 }
        }
        for continuation in waits { continuation.resume(returning: error) }
    }

    private func take(_ replica: Replica, _ state: inout State) {
        state.rows = replica.rows
        state.isComplete = replica.isComplete
        state.version = replica.version
        state.observers.removeAll { $0.buffer == nil }
    }

    private func takeReady(_ state: inout State) -> [CheckedContinuation<ClientError?, Never>] {
        guard !state.waits.isEmpty else { return [] }
        var ready: [CheckedContinuation<ClientError?, Never>] = []
        for (number, (wait, continuation)) in state.waits where state.holds(wait) {
            state.waits[number] = nil
            ready.append(continuation)
        }
        return ready
    }

    private func add(_ change: LiveChange, to buffer: ChangeBuffer, _ state: State) {
        buffer.add(change, whole: .initial(rows: state.rows, version: state.version ?? 0))
    }
}
