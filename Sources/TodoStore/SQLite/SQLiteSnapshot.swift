import Synchronization
import Todo

/// A committed state, read over a connection that it borrows from the pool until it is released.
final class SQLiteSnapshot: Snapshot {
    let version: Int64
    private let borrowed: Mutex<SnapshotConnection?>
    private let pool: SnapshotPool

    init(_ connection: SnapshotConnection, version: Int64, pool: SnapshotPool) {
        borrowed = Mutex(connection)
        self.version = version
        self.pool = pool
    }

    deinit {
        release()
    }

    func release() {
        let connection = borrowed.withLock { borrowed in
            defer { borrowed = nil }
            return borrowed
        }
        if let connection { pool.giveBack(connection) }
    }

    private var reader: SQLiteReader {
        guard let connection = borrowed.withLock({ $0 }) else { preconditionFailure("a snapshot is read after its release") }
        return connection.reader
    }

    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
        try reader.object(className, key)
    }

    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        try reader.forEach(className, where: terms, body)
    }

    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] {
        try reader.permissions(ofProject: projectId)
    }

    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] {
        try reader.permissions(ofUser: userId)
    }

    func userNamed(normalisedName: String) throws(StoreFailure) -> Object? {
        try reader.userNamed(normalisedName: normalisedName)
    }

    func changes(since version: Int64, rowsMax: Int) throws(StoreFailure) -> ChangesSince {
        try reader.changes(since: version, rowsMax: rowsMax)
    }

    func history(of scope: HistoryScope, before: Int64?, limit: Int) throws(StoreFailure) -> [HistoryEntry] {
        try reader.log.history(of: scope, before: before, limit: limit)
    }
}
