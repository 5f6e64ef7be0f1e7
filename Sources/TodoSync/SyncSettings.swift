public import Todo

/// Ways to log in.
public enum Provider: String, CaseIterable, Sendable {
    /// A name and a password.
    case password
    /// A name alone: only where the operator opted in.
    case nickname
}

/// Every bound of the session layer, each with its default and what happens past it.
public struct SyncLimits: Sendable {
    /// Live queries of one session; more are refused with `-32005`.
    public var subscriptions = 200
    /// Presences of one session; more are refused with `-32005`.
    public var presences = 16
    /// Invitations of one project that hold; more are refused with `-32005`.
    public var invites = 100
    /// Life of an invitation that is made without an end.
    public var inviteMilliseconds: Int64 = 7 * 86_400_000
    /// Rows of one part of a first list; more come in further parts.
    public var partRows = 500
    /// Snapshots of the store that are open at once, each a connection to the database; further queries and first lists wait for one.
    public var snapshots = 8
    /// Bytes of one part of a first list, about: a part with large rows has fewer of them.
    public var partBytes = 256 << 10
    /// Bytes that the objects of one `query` may have, about; more are refused with `-32005`: use `limit` and `offset`.
    public var queryBytes = 48 << 20
    /// Text that one transaction's filters may search, in bytes times searches: the committer does it. Past it: `-32005`, `filterWork`.
    public var writeSearchBytes = 64 << 20
    /// Text that one query or first list may search, in bytes times searches. Past it: `-32005`, `filterWork`.
    public var readSearchBytes = 1 << 30
    /// Searches of text in all live queries of a session, each of which every change pays for; more are refused with `-32005`.
    public var liveSearches = 256
    /// Objects that one `query` may answer; more are refused with `-32005`: use `limit` and `offset`.
    public var queryObjects = 100_000
    /// Objects that one filter form or deletion may touch; more are refused with `-32005`.
    public var objectsTouched = 100_000
    /// Requests of one session that wait for their turn; past it nothing is read from the connection until half of them are answered.
    public var queuedRequests = 1024
    /// Changed objects after which the waiting transactions are committed before more are taken.
    public var changesInGroup = 4096
    /// Time a connection has to log in, before it is closed with 4001.
    public var loginMilliseconds: Int64 = 10_000
    /// Life of a token since it was last renewed; later requests are answered `-32009`.
    public var tokenMilliseconds: Int64 = 30 * 86_400_000
    /// How long a `txn` is remembered.
    public var transactionMemoryMilliseconds: Int64 = 86_400_000
    /// Logged changes that are read at most to bring a list up to date; past it the list is read anew.
    public var catchUpRows = 50_000

    /// The defaults.
    public init() {}
}

/// What the operator chose.
public struct SyncSettings: Sendable {
    /// The name and version that `info` shows.
    public var server: String
    /// The ways to log in that are open.
    public var providers: [Provider]
    /// Whether `register` makes accounts.
    public var allowsSignUp = true
    /// Who sees a project that is created without `access`.
    public var accessOfNewProjects: Access
    /// The bounds.
    public var limits = SyncLimits()
    /// Further limits for `info` to show, which the network front keeps.
    public var frontLimits: [(name: String, maximum: Int)] = []

    /// Settings with default limits.
    public init(server: String, providers: [Provider], accessOfNewProjects: Access) {
        self.server = server
        self.providers = providers
        self.accessOfNewProjects = accessOfNewProjects
    }
}

/// The two clocks, read once a turn.
public struct Moment: Sendable {
    /// The time of day, for what is stored.
    public var wall: Timestamp
    /// A clock that never jumps, in milliseconds, for deadlines.
    public var monotonicMilliseconds: Int64

    /// A reading of both clocks.
    public init(wall: Timestamp, monotonicMilliseconds: Int64) {
        self.wall = wall
        self.monotonicMilliseconds = monotonicMilliseconds
    }
}
