import CSQLite
import Foundation
public import Todo

/// The embedded store: one SQLite database in a folder of its own.
///
/// It writes in WAL mode with `synchronous=FULL`, so that a commit is on the disk when it returns and readers of a snapshot never wait.
/// Opening reads no object, so the time it takes does not grow with the store.
public final class SQLiteStore: Store {
    /// How far the store goes to keep what it was given.
    package enum Durability {
        /// Every commit is on the disk before it returns.
        case full
        /// The system writes when it likes, and the folder is removed by `close`: for tests and simulations.
        case none
    }

    /// Where the transaction stands.
    enum Stage {
        case none
        /// A transaction is open.
        case open
        /// A part of it is open, which began at that position of the log.
        case nested(LogEnd)
    }

    /// Where the log ends.
    struct LogEnd {
        var version: Int64
        var bytes: Int64
    }

    /// The database's file in the folder.
    package static let fileName = "todosync.db"

    /// The folder that holds the database.
    public let folder: String
    /// A random id of this store's history.
    public let epoch: String
    /// What opening found out about the history.
    public let finding: HistoryFinding

    package let connection: SQLiteConnection
    let transaction: SQLiteTransaction
    let reader: SQLiteReader
    let objects: SQLiteObjectWriter
    let log: SQLiteLogWriter
    let accounts: SQLiteAccounts
    let invitations: SQLiteInvitations
    let pool: SnapshotPool
    var stage = Stage.none
    /// Where the log ends as the open transaction has it, and as it was committed.
    var logEnd: LogEnd
    var committed: LogEnd

    private let history: SQLiteHistory
    private var dataFolder: DataFolder?
    private let durability: Durability

    /// Opens the store in that folder, making both where they are missing, and locks the folder until `close`.
    ///
    /// It throws where the folder cannot be made or written, is in use by another server, or holds a file that is not a store or is
    /// newer than this program.
    ///
    /// - Parameter startsNewHistory: whether to begin a new history, with an epoch of its own, as is done without being asked where the folder is
    ///   found to be a copy.
    public convenience init(folder: String, startsNewHistory: Bool = false) throws(StoreFailure) {
        try self.init(folder: folder, durability: .full, startsNewHistory: startsNewHistory)
    }

    /// Whether there is a store in that folder.
    public static func exists(in folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + fileName)
    }

    /// A new store in a temporary folder, which `close` removes. It is fast because it is not durable.
    public static func temporary() throws(StoreFailure) -> SQLiteStore {
        try SQLiteStore(folder: DataFolder.temporaryPath(), durability: .none)
    }

    package init(folder path: String, durability: Durability, startsNewHistory: Bool = false) throws(StoreFailure) {
        let dataFolder = try DataFolder(path)
        try dataFolder.make(file: Self.fileName)
        let file = dataFolder.file(Self.fileName)
        let connection = try SQLiteConnection(path: file, mode: .readWrite)
        try Self.configure(connection, durability)
        let earlierForm = try connection.integer("PRAGMA user_version") ?? 0
        try SQLiteMigrations.apply(to: connection)
        let fieldNumbers = try SQLiteLogWriter.assignFieldNumbers(connection)

        folder = path
        history = SQLiteHistory(connection, folder: path, database: Self.fileName)
        (epoch, finding) =
            switch durability {
            case .full: try history.begin(earlierForm: earlierForm, startsAnew: startsNewHistory)
            // The folder goes with the store, so there is nothing to know again.
            case .none: (try history.epoch(), .same)
            }
        reader = try SQLiteReader(connection, fieldNumbers)
        transaction = try SQLiteTransaction(connection)
        objects = try SQLiteObjectWriter(connection)
        log = try SQLiteLogWriter(connection, fieldNumbers)
        accounts = try SQLiteAccounts(connection)
        invitations = try SQLiteInvitations(connection)
        pool = SnapshotPool(path: file, fieldNumbers: fieldNumbers)
        let last = try reader.log.last()
        committed = LogEnd(version: last.version, bytes: last.logBytes)
        logEnd = committed
        self.connection = connection
        self.durability = durability
        self.dataFolder = consume dataFolder
    }

    deinit {
        close()
    }

    private static func configure(_ connection: SQLiteConnection, _ durability: Durability) throws(StoreFailure) {
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "OFF")")
        // 64 MiB of pages: the indices' inner pages of a store of millions of items stay in memory.
        try connection.execute("PRAGMA cache_size = -65536")
        // Mapped memory would turn an error of the disk into a signal that ends the process.
        try connection.execute("PRAGMA mmap_size = 0")
        try connection.execute("PRAGMA temp_store = MEMORY")
        // 16 MiB of log before its pages go to their places in the file: a page that many commits touch is then written once for many.
        try connection.execute("PRAGMA wal_autocheckpoint = 4000")
        // A log that a burst made large gives its room back.
        try connection.execute("PRAGMA journal_size_limit = 67108864")
    }

    /// The number of the last commit; 0 for a new store.
    public var version: Int64 { committed.version }

    /// The version that the next entry of the log must have.
    public var nextVersion: Int64 { logEnd.version + 1 }

    /// The last committed state, for one other thread.
    public func snapshot() throws(StoreFailure) -> any Snapshot {
        try pool.take()
    }

    /// Closes the store, dropping an open transaction.
    public func close() {
        guard connection.isOpen else { return }
        rollback()
        pool.close()
        // Statistics for the choice of indices, where the tables have changed much. A failure only leaves the old ones.
        try? connection.execute("PRAGMA analysis_limit = 400; PRAGMA optimize")
        // So that a copy that was made of the database alone, while it was in use, knows a mark that is gone. A failure leaves the old mark.
        if durability == .full { try? history.renewMark(epoch: epoch, isFinal: true) }
        connection.close()
        dataFolder = nil
        if durability == .none { try? FileManager.default.removeItem(atPath: folder) }
    }
}
