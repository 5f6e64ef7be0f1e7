import Todo
import TodoProtocol
import TodoStore
import TodoSync

/// Every bound of the server in one place, grouped by the layer that keeps it.
struct ServerLimits: Sendable {
    /// Those of connections, HTTP and WebSocket.
    var edge = EdgeLimits()
    /// Those of sessions, queries and the store.
    var sync = SyncLimits()
    /// Those of what one message may hold.
    var messages = ProtocolLimits.standard

    /// What may wait for a session's socket: the loops bound what is queued, the committer what it answers.
    var outboundBytes: Int {
        get { edge.outboundBytesMax }
        set {
            edge.outboundBytesMax = newValue
            sync.outboundBytes = newValue
        }
    }
}

extension ServerLimits {
    /// Every bound that an operator can set, in the order of the help text and of `info`. What is written here is all there is to write for one.
    static let table: [Limit] = connections + times + accounts + sessions + messages + filters + memory

    private static let connections = [
        Limit("connections", 1...10_000_000, \.edge.connectionsMax, "connections in all; past it: HTTP 503 with Retry-After"),
        Limit(
            "connectionsPerAddress", 1...10_000_000, \.edge.connectionsPerAddressMax,
            "connections of one address (IPv6: of its /64), loopback excepted; past it: HTTP 429 with Retry-After"),
        Limit("messageBytes", 1_024...1 << 30, \.edge.messageBytesMax, "bytes of one message from a client; past it: close 1009"),
        Limit(
            "framesPerSecond", 10...100_000_000, \.edge.framesPerSecond,
            "frames a second from a connection, each request of a batch counted as one, with two seconds' worth at once; past it: it is read more slowly"
        ),
        Limit(
            "bytesPerSecond", 1_024...1 << 40, \.edge.bytesPerSecond,
            "bytes a second from a connection, with two seconds' worth at once; past it: it is read more slowly"),
        Limit(
            "emptyFramesPerSecond", 1...1_000_000, \.edge.emptyFramesPerSecond,
            "pings, pongs and empty fragments a second from a connection, with ten seconds' worth at once; past it: close 1008"),
        Limit(
            "outboundBytes", 4_096...1 << 30, \.outboundBytes,
            "bytes that wait for a client; past it: no request of it runs, changes are merged, and nothing is read from it, until it has taken them"
        ),
        Limit("headBytes", 1_024...1 << 20, \.edge.headBytesMax, "bytes of an HTTP request's head; past it: 431"),
        Limit("startLineBytes", 64...1 << 20, \.edge.startLineBytesMax, "bytes of its first line; past it: 414"),
        Limit("headerLineBytes", 64...1 << 20, \.edge.headerLineBytesMax, "bytes of one of its header lines; past it: 431"),
        Limit("headerLines", 10...10_000, \.edge.headerLinesMax, "header lines; past it: 431"),
        Limit(
            "ignoredBodyBytes", 0...1 << 30, \.edge.ignoredBodyBytesMax,
            "bytes of a request's body that are passed over, as no address takes one; past it: 413"),
    ]

    private static let times = [
        Limit(
            "headSeconds", 1...3_600, \.edge.headMilliseconds, keptPerShown: 1_000,
            "time for a request's head, the TLS handshake included; past it: 408"),
        Limit(
            "keepAliveSeconds", 1...86_400, \.edge.keepAliveMilliseconds, keptPerShown: 1_000,
            "rest between two requests of an HTTP connection; past it: it ends"),
        Limit("loginSeconds", 1...3_600, \.sync.loginMilliseconds, keptPerShown: 1_000, "time to log in; past it: close 4001"),
        Limit(
            "tokenSeconds", 1...3_650, \.sync.tokenMilliseconds, keptPerShown: 1_000, flag: "token-days", shownPerFlag: 86_400,
            "days that a log-in lives since it was last used to connect; past it: -32009"),
        Limit("pingSeconds", 1...3_600, \.edge.pingMilliseconds, keptPerShown: 1_000, "silence after which the server pings"),
        Limit("silenceSeconds", 1...7_200, \.edge.silenceMilliseconds, keptPerShown: 1_000, "silence after which a connection is dropped"),
        Limit(
            "stuckSeconds", 1...3_600, \.edge.stuckMilliseconds, keptPerShown: 1_000,
            "time in which a client past outboundBytes takes nothing; past it: close 4003"),
        Limit(
            "closeSeconds", 1...600, \.edge.closeMilliseconds, keptPerShown: 1_000,
            "time for the peer to end a connection that the server has ended; past it: it is reset"),
    ]

    private static let accounts = [
        Limit(
            "passwordQueue", 1...100_000, \.sync.hashingQueue,
            "passwords that wait to be hashed, about 20 a second; past it: -32006"),
        Limit(
            "loginFailures", 1...1_000, \.sync.loginFailuresOfAccount,
            "bad log-ins at one account before each further one has to wait; meanwhile: -32006"),
        Limit(
            "loginFailuresOfAddress", 1...1_000_000, \.sync.loginFailuresOfAddress,
            "bad log-ins from one address at once, one more every 2 s; past it: -32006"),
        Limit(
            "registrationsOfAddress", 1...1_000_000, \.sync.registrationsOfAddress, flag: "registrations",
            "accounts that one address registers at once, one more every 3 s; past it: -32006"),
    ]

    private static let sessions = [
        Limit("subscriptions", 1...100_000, \.sync.subscriptions, "live queries of a session; past it: -32005"),
        Limit("presences", 1...10_000, \.sync.presences, "presences of a session; past it: -32005"),
        Limit("invites", 1...100_000, \.sync.invites, "invitations of a project that hold; past it: -32005"),
        Limit("liveSearches", 0...1_000_000, \.sync.liveSearches, "searches of text in a session's live queries; past it: -32005"),
        Limit(
            "queuedRequests", 1...1_000_000, \.sync.queuedRequests,
            "requests of a session that wait, those of a batch counted one by one; with so many: nothing is read from it until half of them are answered"
        ),
        Limit("queuedBytes", 1_024...1 << 30, \.sync.queuedBytes, "bytes of the messages that they came in; with so many: the same"),
        Limit("queuedRequestsBeforeLogin", 1...1_000_000, \.sync.queuedRequestsBeforeLogin, "the same requests before a log-in"),
        Limit("queuedBytesBeforeLogin", 1_024...1 << 30, \.sync.queuedBytesBeforeLogin, "the same bytes before a log-in"),
        Limit(
            "liveRows", 1...1_000_000_000, \.sync.liveRows,
            "rows that the live queries of one user hold in memory; past it: the last one ends with -32005"),
        Limit("partRows", 1...100_000, \.sync.partRows, "rows of one part of a first list; past it: more parts"),
        Limit("partBytes", 1_024...1 << 30, \.sync.partBytes, "bytes of one part of a first list, about; past it: more parts"),
        Limit(
            "snapshots", 1...256, \.sync.snapshots,
            "snapshots of the store that are read at once, each with files of its own; past it: queries and first lists wait"),
        Limit(
            "catchUpRows", 1...10_000_000, \.sync.catchUpRows, "logged changes read to bring a list up to date; past it: it is read anew"),
        Limit(
            "changesInGroup", 1...1_000_000, \.sync.changesInGroup,
            "objects that one commit's transactions write or look at; past it: it is made before more join it"),
        Limit("queryObjects", 1...10_000_000, \.sync.queryObjects, "objects of a query's answer; past it: -32005"),
        Limit("queryBytes", 1_024...1 << 31, \.sync.queryBytes, "bytes of a query's answer, about; past it: -32005"),
        Limit("objects", 1...10_000_000, \.sync.objectsTouched, "objects that the filters of a write match; past it: -32005"),
    ]

    private static let messages = [
        Limit("batch", 1...100_000, \.messages.batch, "requests of a batch; past it: -32005"),
        Limit("changes", 1...1_000_000, \.messages.changes, "changes of a write; past it: -32005"),
        Limit("argumentValues", 0...1_000_000, \.messages.argumentValues, "values in a filter's args; past it: -32005"),
        Limit("nameBytes", 1...4_096, \.messages.nameBytes, "bytes of a subscription's name; past it: -32602"),
        Limit("userNameBytes", 16...4_096, \.messages.userNameBytes, "bytes of a user's name, as sent; past it: -32602"),
        Limit("passwordBytes", 8...65_536, \.messages.passwordBytes, "bytes of a password; past it: -32602"),
        Limit("inviteUses", 1...1_000_000_000, \.messages.inviteUses, "uses of one invitation; past it: -32602"),
        Limit(
            "inviteSeconds", 1...36_500, \.sync.inviteSeconds, flag: "invite-days", shownPerFlag: 86_400,
            "days that an invitation holds; past it: -32602"),
        Limit("tokenBytes", 64...1 << 20, \.messages.tokenBytes, "bytes of a token; past it: -32602"),
    ]

    private static let filters = [
        Limit("filterBytes", 1...1 << 20, \.sync.filters.bytes, "bytes of a filter's text; past it: -32005"),
        Limit("filterDepth", 1...200, \.sync.filters.depth, "parentheses and NOTs inside one another; past it: -32005"),
        Limit("filterTerms", 1...10_000, \.sync.filters.terms, "comparisons of a filter; past it: -32005"),
        Limit("filterElements", 1...1_000_000, \.sync.filters.elements, "values of a filter's lists; past it: -32005"),
        Limit("filterPatternLength", 1...65_536, \.sync.filters.patternLength, "code points of a filter's LIKE patterns; past it: -32005"),
        Limit("filterSearches", 1...10_000, \.sync.filters.searches, "searches of text of a filter; past it: -32005"),
        Limit(
            "filterWork", 1_024...1 << 40, \.sync.readSearchBytes,
            "bytes of text that a query's filter searches, each search counted; past it: -32005"),
        Limit("writeFilterWork", 1_024...1 << 40, \.sync.writeSearchBytes, "the same for the filters of a write; past it: -32005"),
    ]

    private static let memory = [
        Limit(
            "txnSeconds", 1...8_760, \.sync.transactionMemoryMilliseconds, keptPerShown: 1_000, flag: "txn-hours", shownPerFlag: 3_600,
            "hours for which a txn is remembered; past it: it is applied as new"),
        Limit(
            "logSeconds", 1...36_500, \.sync.log.logAgeMilliseconds, keptPerShown: 1_000, flag: "log-days", shownPerFlag: 86_400,
            "days that the log of changes reaches back, for resuming; past it: resumed is false"),
        Limit("logBytes", 1 << 16...1 << 50, \.sync.log.logBytesMax, "bytes of the log of changes; past it: its oldest go"),
    ]

    /// All of them as `info` shows them.
    var shown: [(name: String, maximum: Int)] {
        Self.table.map { ($0.name, $0.shown(in: self)) }
    }

    /// What is wrong with the values together, in a sentence; nil if nothing is.
    var problem: String? {
        if edge.silenceMilliseconds <= edge.pingMilliseconds {
            return "--silence-seconds must be more than --ping-seconds, or who is quiet is dropped before the ping"
        }
        return nil
    }
}
