public import Crypto
public import Todo
public import TodoStore
public import WebToken

/// Ways to log in.
public enum Provider: String, CaseIterable, Sendable {
    /// A name and a password.
    case password
    /// A name alone: only where the operator opted in.
    case nickname
    /// A JSON Web Token of an identity provider whose keys the operator named.
    case jwt
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
    /// The longest life of an invitation, in seconds: a year. Past it: `-32602`.
    public var inviteSeconds = 31_536_000
    /// Rows of one part of a first list; more come in further parts.
    public var partRows = 500
    /// Snapshots of the store that are open at once, each a connection to the database; further queries and first lists wait for one.
    public var snapshots = 8
    /// Bytes of one part of a first list, about: a part with large rows has fewer of them.
    public var partBytes = 256 << 10
    /// Rows of a first list, or of what is left of it, that the committer encodes itself; more are encoded by another thread.
    public var partRowsAtOnce = 32
    /// Bytes of encoded parts that are kept for further sessions with the same list; past it the oldest are encoded anew for who needs them.
    public var sharedPartsBytes = 16 << 20
    /// Bytes that the objects of one `query` may have, about; more are refused with `-32005`: use `limit` and `offset`.
    public var queryBytes = 48 << 20
    /// Text that one transaction's filters may search, in bytes times searches: the committer does it. Past it: `-32005`, `filterWork`.
    public var writeSearchBytes = 64 << 20
    /// Text that one query or first list may search, in bytes times searches. Past it: `-32005`, `filterWork`.
    public var readSearchBytes = 1 << 30
    /// Searches of text in all live queries of a session, each of which every change pays for; more are refused with `-32005`.
    public var liveSearches = 256
    /// Rows that the live queries of one user hold in memory, equal queries once; a list that would be past it ends with `-32005`.
    public var liveRows = 1_000_000
    /// Objects that one `query` may answer; more are refused with `-32005`: use `limit` and `offset`.
    public var queryObjects = 100_000
    /// Objects that one filter form or deletion may touch; more are refused with `-32005`.
    public var objectsTouched = 100_000
    /// Requests of one session that wait for their turn, those of a batch counted one by one; with so many nothing more is taken from the connection
    /// until half of them are answered.
    public var queuedRequests = 1024
    /// Bytes of the messages that those requests came in; with so many the same, so that large ones can't wait in thousands.
    public var queuedBytes = 4 << 20
    /// The same before a log-in: only `info`, `register` and `login` are of use then, and whoever is nobody yet must not cost much.
    public var queuedRequestsBeforeLogin = 64
    /// The bytes that go with it.
    public var queuedBytesBeforeLogin = 256 << 10
    /// Bytes that a session was answered and its socket has not taken, a single message aside; past it none of its requests runs until half is taken.
    public var outboundBytes = 1 << 20
    /// Objects that one turn's requests write, or look at for a filter; past it what was written is committed and told, and new requests are looked at,
    /// before more of what waits is begun.
    public var changesInGroup = 4096
    /// Such objects after which a session's next request waits behind those of other users.
    public var objectsInStep = 32
    /// So many of them lie between two looks at whether something urgent waits, for which a turn ends and a large transaction gives way.
    public var objectsBetweenLooks = 64
    /// Time a connection has to log in, before it is closed with 4001.
    public var loginMilliseconds: Int64 = 10_000
    /// Life of a token since it was last renewed; later requests are answered `-32009`.
    public var tokenMilliseconds: Int64 = 30 * 86_400_000
    /// How long a `txn` is remembered.
    public var transactionMemoryMilliseconds: Int64 = 86_400_000
    /// The bounds of a filter's text, in whichever request it stands; past one: `-32005`.
    public var filters = PredicateLimits()
    /// What the change log keeps; resuming from before it: `resumed: false`.
    public var log = UpkeepLimits()
    /// Logged changes that are read at most to bring a list up to date; past it the list is read anew.
    public var catchUpRows = 50_000
    /// Counts of items that are kept for live queries with `ANY`, `ALL` or `NONE`, one a project and test; past it they are counted anew.
    public var itemTallies = 200_000
    /// Logged changes, about, that are read a second for all who resume or were behind; past it lists are sent whole, which costs the committer
    /// less: so a crowd that comes back, each from a version of its own, holds up nobody's writes for long.
    public var catchUpRowsPerSecond = 200_000
    /// Logged changes, about, that are read in one turn of the committer for those who resume or were behind; the others have theirs in the next
    /// turns, with everybody's writes in between.
    public var catchUpRowsPerTurn = 2_000
    /// Rows that are looked at besides the changed ones to tell what a list was before rights or related objects changed; past it the list is
    /// sent whole.
    public var catchUpCandidates = 5_000
    /// Passwords that wait to be hashed; past it a log-in by password is refused with `-32006`. About 20 a second are hashed, so this
    /// many are done within the time that a connection has to log in.
    public var hashingQueue = 128
    /// Those of them that came from one address, so that one machine can't fill the queue.
    public var hashingQueueOfAddress = 64
    /// Bad log-ins at one account in a row, before each further one has to wait: 1 s, 2 s, 4 s … Refused with `-32006` until then.
    public var loginFailuresOfAccount = 10
    /// The longest such wait.
    public var loginDelayMilliseconds: Int64 = 30_000
    /// Bad log-ins from one address (IPv4, or a /64 of IPv6) at once; past it `-32006`.
    public var loginFailuresOfAddress = 100
    /// After so long an address may make one bad log-in more.
    public var loginFailureMilliseconds: Int64 = 2_000
    /// Registrations from one address at once; past it `-32006`.
    public var registrationsOfAddress = 1_000
    /// After so long an address may register one more account.
    public var registrationMilliseconds: Int64 = 3_000
    /// Addresses and accounts of which failures are kept; past it the oldest are forgotten.
    public var throttleEntries = 20_000

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
    /// What hashing a password costs. Stored hashes of another cost stay valid, and are renewed at the next log-in.
    public var passwordCost = PasswordHash.Cost.standard
    /// Whose JSON Web Tokens log in, where the provider `jwt` is on.
    public var tokenVerifier = TokenVerifier(keys: [])
    /// The bounds.
    public var limits = SyncLimits()
    /// The limits that `info` shows, those of the layers above included.
    public var shownLimits: [(name: String, maximum: Int)] = []

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
