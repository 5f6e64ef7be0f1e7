import Synchronization
import Todo

/// Read-only connections that are not in use, kept for the next snapshot. Any thread may use it.
final class SnapshotPool: Sendable {
    private struct State {
        var idle: [SnapshotConnection] = []
        var isClosed = false
    }

    /// As many as read at the same time on a large machine; more are opened when needed and closed afterwards.
    private let idleMax = 8
    private let state = Mutex(State())
    private let path: String
    private let fieldNumbers: FieldNumbers

    init(path: String, fieldNumbers: FieldNumbers) {
        self.path = path
        self.fieldNumbers = fieldNumbers
    }

    /// A snapshot of the last committed state.
    func take() throws(StoreFailure) -> SQLiteSnapshot {
        let idle = state.withLock { $0.idle.popLast() }
        let connection: SnapshotConnection
        if let idle { connection = idle } else { connection = try SnapshotConnection(path: path, fieldNumbers) }
        return SQLiteSnapshot(connection, version: try connection.start(), pool: self)
    }

    /// Takes a connection back; it is closed where there are enough.
    func giveBack(_ connection: SnapshotConnection) {
        guard connection.end() else { return connection.close() }
        let isKept = state.withLock { state in
            guard !state.isClosed, state.idle.count < idleMax else { return false }
            state.idle.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }

    /// Closes the idle connections; those in use are closed when they come back.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.close() }
    }
}
