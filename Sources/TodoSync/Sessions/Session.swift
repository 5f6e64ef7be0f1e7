import Bytes
import Todo
import TodoProtocol

/// One connection as the committer knows it.
final class Session {
    /// Why its next request has to wait.
    enum Wait {
        /// Nothing: it runs at once.
        case none
        /// A transaction of its own is in the open group; further writes may join it.
        case group
        /// Another thread works for it.
        case job
    }

    /// Who is logged in on it.
    struct Login {
        let view: UserView
        let tokenHash: [UInt8]
        var expiresAt: Timestamp
        /// From when on a request has its token's life counted anew.
        var renewsAt: Timestamp
    }

    let id: SessionID
    let peer: Peer
    let openedAt: Timestamp
    var login: Login? {
        didSet { if login != nil { ownShare = nil } }
    }
    /// When it is closed unless somebody logs in, on the monotonic clock.
    var loginDeadline = Int64.max
    var subscriptions: [String: Subscription] = [:]
    var work = FirstInFirstOut<Work>()
    var wait = Wait.none
    var isReady = false
    /// Whether the open group ends its log-in: what it asked for behind that waits until it has.
    var isEnding = false
    /// Its requests that no longer wait, as far as its loop has not been told yet.
    var worked = WorkReport()
    /// What it was answered and its socket has not taken.
    var outbound = OutboundAccount()
    var isOpen = true
    /// The version at which its complete lists stand while it can't be told of changes: its token is expired, or it reads too slowly.
    /// It costs nothing meanwhile; afterwards one merged change brings the lists up to date.
    var behindSince: Int64?
    /// Whether more waits for its socket than it is given: no request of it runs until the socket has taken that.
    var isSlow = false
    /// How many of its subscriptions wait for their list to be read: its writes wait with them, so that it sees them in its lists first.
    var listsAwaited = 0
    /// First lists that are not sent whole yet, in the order of their subscriptions.
    var unsent: [Subscription] = []
    /// Whether a part is on its way that the socket has not taken yet.
    var isDraining = false
    /// How often its user was refused what leaves a line in the audit.
    var auditedRefusals = 0
    /// How many of these lines are written.
    static let auditedRefusalsMax = 10

    /// What it is given in the next turn, because this one has read enough of the log.
    struct Postponed: OptionSet {
        let rawValue: UInt8
        /// Its requests, of which the first one resumes a list.
        static let requests = Postponed(rawValue: 1)
        /// All that it missed while it read slowly.
        static let catchUp = Postponed(rawValue: 2)
        /// What happened to lists that have been read meanwhile.
        static let lists = Postponed(rawValue: 4)
    }

    var postponed: Postponed = []
    /// Whether another thread encodes its next part.
    var awaitsPart = false
    /// The update fragments of the commit that is being published, cleared by it.
    var updates: [Int] = []
    /// Its own part in the committer's time, while nobody is logged in on it.
    private var ownShare: Share?
    /// What it has of the committer's time: its user's part, which all sessions of the user have together.
    var share: Share {
        if let login { return login.view.share }
        let share = ownShare ?? Share()
        ownShare = share
        return share
    }

    init(id: SessionID, peer: Peer, openedAt: Timestamp) {
        self.openedAt = openedAt
        self.id = id
        self.peer = peer
    }

    /// Whether its socket takes what it is answered: no request of it runs otherwise.
    var takesAnswers: Bool { !isSlow && !outbound.isOverdrawn }

    func isExpired(at now: Timestamp) -> Bool {
        guard let login else { return false }
        return login.expiresAt <= now
    }
}

/// One request and where its answer goes.
struct Work {
    let body: Incoming.Body
    let answer: Answer
    /// What it counts against the bound on waiting bytes: its message's size; of a batch the last request has it all.
    let bytes: Int

    /// Whether it is about what happened since a version.
    var readsLog: Bool {
        if case .call(.subscribe(let params)) = body { params.since != nil } else { false }
    }
    /// How often it was begun and gave way to something urgent.
    var gaveWayCount = 0

    /// Whether it goes ahead of what others ask for.
    var endsLogins: Bool { body.endsLogins }

    /// Whether it is a transaction that changes what lists show: those of a session may share a commit.
    var isWrite: Bool {
        switch body {
        case .call(.write), .call(.invite(.accept)), .call(.admin(.deleteUser)): true
        default: false
        }
    }
}

/// Where an answer goes: to a session, alone or as part of a batch.
struct Answer {
    let session: Session
    let id: RequestID
    let batch: BatchReplies?
}

/// The answers of one JSON-RPC batch, which go out together when the last one is known.
final class BatchReplies {
    var remaining: Int
    private(set) var replies: [SharedBytes] = []
    private(set) var byteCount = 0

    init(count: Int) {
        remaining = count
    }

    func append(_ reply: SharedBytes) {
        replies.append(reply)
        byteCount += reply.count
    }
}
