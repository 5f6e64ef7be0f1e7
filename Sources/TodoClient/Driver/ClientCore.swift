internal import Crypto
internal import Network
internal import Synchronization
internal import TodoProtocol

/// What a client and its thread share.
final class ClientCore: Sendable {
    private struct State {
        var connection = ConnectionState.connecting
        var user: LoginResult?
        var observers: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
        var nextObserver: UInt64 = 0
    }

    let endpoint: Endpoint
    let addresses: [SocketAddress]
    let options: ClientOptions
    /// What its connections are encrypted with, if they are.
    let context: TLSContext?
    private let state = Mutex(State())

    init(endpoint: Endpoint, addresses: [SocketAddress], options: ClientOptions, context: TLSContext?) {
        self.endpoint = endpoint
        self.addresses = addresses
        self.options = options
        self.context = context
    }

    var user: LoginResult? {
        get { state.withLock { $0.user } }
        set { state.withLock { $0.user = newValue } }
    }

    var connection: ConnectionState { state.withLock { $0.connection } }

    /// The client's thread sets it; observers are told.
    func set(_ connection: ConnectionState) {
        let observers = state.withLock { state in
            state.connection = connection
            return Array(state.observers.values)
        }
        for observer in observers {
            observer.yield(connection)
            if case .closed = connection { observer.finish() }
        }
    }

    /// The states from now on, the present one first.
    func observe() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = continuation
            continuation.yield(state.connection)
            if case .closed = state.connection { continuation.finish() }
            return state.nextObserver
        }
        continuation.onTermination = { [self] _ in state.withLock { $0.observers[number] = nil } }
        return stream
    }
}
