import Todo
import TodoProtocol

/// Whose rights decide what a list holds.
enum Scope: Hashable {
    /// Everything: admins.
    case everything
    /// The rows of one project, shared by all who see it.
    case project(String)
    /// All that one user may see.
    case user(String)
}

/// What makes two subscriptions share one list.
struct ListKey: Hashable {
    let text: QueryText
    let scope: Scope
    /// The user, where the filter looks at `$user`.
    let user: String?
}

/// The live list of one query, shared by all subscriptions with the same query and the same rights.
final class SharedList {
    let key: ListKey
    let query: Query
    /// Where the index files it.
    let filing: ListFiling
    /// The fields of a row that decide whether it belongs into the list, a bit a place.
    let places: UInt64
    /// Its filter, where that searches text.
    var filter: SharedFilter?
    /// The rows; `nil` until they are read.
    var live: LiveList?
    /// The rows as they are now, while they are being sent to somebody and until they change.
    weak var first: FirstList?
    private(set) var subscriptions: [Subscription] = []

    /// Of the commit that is being published: the changes that concern the list, and the projects to look at anew.
    var concerned: [Int] = []
    var projectsToRevisit: Set<String> = []
    var keysToLookUp: Set<String> = []
    /// The changes for which these projects and keys are looked at.
    var causes: [String: [Int]] = [:]
    var isConcerned = false
    /// How many rows a client saw before the commit that is being published.
    var windowCountBefore = 0

    init(key: ListKey, query: Query) {
        self.key = key
        self.query = query
        filing = ListFiling(query, key.scope)
        let projectPlace = SubscriptionIndex.projectPlace(of: query.className)
        places = query.predicate.places | (projectPlace.map { 1 << UInt64($0) } ?? 0)
    }

    var className: ClassName { query.className }

    /// Whether its rows have no versions and no history.
    var isVolatile: Bool { query.className.isVolatile }

    /// Notes further changes for which a project or a key is looked at.
    func addCauses(_ numbers: [Int], of key: String) {
        // One transaction may bring very many, which lists share as long as they stay the same.
        if causes[key] == nil { causes[key] = numbers } else { causes[key]? += numbers }
    }

    func clearConcern() {
        concerned.removeAll(keepingCapacity: true)
        projectsToRevisit.removeAll()
        keysToLookUp.removeAll()
        causes.removeAll()
        isConcerned = false
    }

    func add(_ subscription: Subscription) {
        subscription.slot = subscriptions.count
        subscriptions.append(subscription)
    }

    func remove(_ subscription: Subscription) {
        let last = subscriptions.removeLast()
        guard last !== subscription else { return }
        subscriptions[subscription.slot] = last
        last.slot = subscription.slot
    }
}

/// One named live query of one session.
final class Subscription {
    /// How far its client is.
    enum State {
        /// The list is being read.
        case loading
        /// The rows of that version are being sent in parts, from that index on.
        case sending(FirstList, next: Int, version: Int64)
        /// The client has it whole.
        case complete
    }

    unowned let session: Session
    let name: String
    let list: SharedList
    var state = State.loading
    /// The version of the copy that the client has, where it is to be told only what happened since.
    var since: Int64?
    /// What the rows were when the first list began to be sent; kept until it is sent whole.
    var journal: Journal?
    /// Whether the user sees the project that the list belongs to.
    var isSighted = true
    /// Whether its session's writes wait for its list to be read.
    var isAwaited = false
    /// Whether this commit gave or took that sight.
    var sightChanged = false
    /// Its place among the list's subscriptions.
    var slot = 0

    init(session: Session, name: String, list: SharedList) {
        self.session = session
        self.name = name
        self.list = list
    }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Whether its list has been read and its client, which was behind, has yet to be told what happened since its copy was made.
    var isHeld: Bool {
        if case .loading = state { list.live != nil } else { false }
    }

    /// The id of the project whose sight decides over the whole list.
    var projectId: String? {
        if case .project(let id) = list.key.scope { id } else { nil }
    }
}
