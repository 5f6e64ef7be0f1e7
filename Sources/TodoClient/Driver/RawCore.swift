internal import Bytes
internal import Crypto
internal import Synchronization

/// What can be done on a raw connection.
enum RawAction: Sendable {
    case text(String)
    case binary([UInt8])
    case bytes([UInt8])
    case ping
    case close(code: UInt16, reason: String)
    case drop
    case pause
    case resume
}

/// What a raw connection and its thread share.
final class RawCore: Sendable {
    enum Wanted {
        case opened
        case message
        case end
    }

    private struct Waiter {
        var number: UInt64
        var wanted: Wanted
        var continuation: CheckedContinuation<Result<String, ClientError>, Never>
    }

    private struct State {
        var isOpen = false
        var subprotocol: String?
        var messages: [String] = []
        var end: ClientError?
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        /// Waiters whose time was over before they were listed.
        var expired: Set<UInt64> = []

        func answer(to wanted: Wanted) -> Result<String, ClientError>? {
            switch wanted {
            case .opened where isOpen: .success("")
            case .message where !messages.isEmpty: .success(messages[0])
            case .end: end.map { .failure($0) }
            default: end.map { .failure($0) }
            }
        }
    }

    let endpoint: Endpoint
    let subprotocols: [String]
    let headers: [(name: String, value: String)]
    /// What the connection is encrypted with, if it is.
    let context: TLSContext?
    private let state = Mutex(State())

    init(endpoint: Endpoint, subprotocols: [String], headers: [(name: String, value: String)], context: TLSContext?) {
        self.endpoint = endpoint
        self.subprotocols = subprotocols
        self.headers = headers
        self.context = context
    }

    var subprotocol: String? { state.withLock { $0.subprotocol } }

    // MARK: The thread's side

    func opened(_ subprotocol: String?) {
        change {
            $0.isOpen = true
            $0.subprotocol = subprotocol
        }
    }

    func received(_ message: String) {
        change { $0.messages.append(message) }
    }

    func end(_ error: ClientError) {
        change { if $0.end == nil { $0.end = error } }
    }

    private func change(_ body: (inout State) -> Void) {
        let answered = state.withLock { state in
            body(&state)
            var answered: [(CheckedContinuation<Result<String, ClientError>, Never>, Result<String, ClientError>)] = []
            var index = 0
            while index < state.waiters.count {
                let waiter = state.waiters[index]
                guard let answer = state.answer(to: waiter.wanted) else {
                    index += 1
                    continue
                }
                if case .message = waiter.wanted, case .success = answer { state.messages.removeFirst() }
                state.waiters.remove(at: index)
                answered.append((waiter.continuation, answer))
            }
            return answered
        }
        for (continuation, answer) in answered { continuation.resume(returning: answer) }
    }

    // MARK: The caller's side

    func wait(for wanted: Wanted, milliseconds: Int) async -> Result<String, ClientError> {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = Task {
            try await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
            giveUp(number)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Result<String, ClientError>? in
                if let answer = state.answer(to: wanted) {
                    if case .message = wanted, case .success = answer { state.messages.removeFirst() }
                    return answer
                }
                if state.expired.remove(number) != nil { return .failure(.timedOut) }
                state.waiters.append(Waiter(number: number, wanted: wanted, continuation: continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                state.expired.insert(number)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: .failure(.timedOut))
    }
}
