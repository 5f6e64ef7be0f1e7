internal import Synchronization

/// The changes of a live list, one after the other. Every sequence is an observer of its own, from the moment it was made.
///
/// An observer that does not keep up holds a bounded number of changes: past it they are dropped, and it gets the whole list instead.
public struct LiveChanges: AsyncSequence, Sendable {
    /// What it yields.
    public typealias Element = LiveChange
    /// It never fails: the end of the subscription is a change.
    public typealias Failure = Never

    let buffer: ChangeBuffer

    /// Yields the changes. Two iterators of one sequence share its changes between them.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer)
    }

    /// Yields the changes.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: ChangeBuffer

        /// The next change; `nil` once the list has ended, the client is closed, or the task is cancelled.
        public mutating func next() async -> LiveChange? {
            await buffer.next()
        }

        /// The next change, wherever the caller runs.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LiveChange? {
            await buffer.next()
        }
    }
}

/// Changes on their way from the client's thread to one observer.
final class ChangeBuffer: Sendable {
    /// So many changes wait for an observer.
    private static let changesMax = 256

    private struct State {
        var changes: [LiveChange] = []
        var waiting: CheckedContinuation<LiveChange?, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Adds a change.
    ///
    /// - Parameter whole: what stands for all changes so far.
    func add(_ change: LiveChange, whole: @autoclosure () -> LiveChange) {
        let waiting = state.withLock { state -> CheckedContinuation<LiveChange?, Never>? in
            guard !state.isOver else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            if state.changes.count == Self.changesMax {
                state.changes = [whole()]
            } else {
                state.changes.append(change)
            }
            return nil
        }
        waiting?.resume(returning: change)
    }

    /// Nothing follows what has been added.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    func next() async -> LiveChange? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: LiveChange?? = state.withLock { state in
                    if !state.changes.isEmpty { return .some(state.changes.removeFirst()) }
                    // One iterator waits at a time; a second one, or one that is cancelled, is let go.
                    if state.isOver || Task.isCancelled || state.waiting != nil { return .some(nil) }
                    state.waiting = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }
    }
}
