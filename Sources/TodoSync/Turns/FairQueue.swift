/// One party's part in the committer's time: a user with all sessions, or a session on which nobody is logged in.
final class Share {
    /// When its next request is due, on the queue's clock of work: behind all that it has had.
    fileprivate var due: Int64 = 0
    /// Its sessions with requests that can run, each for one step.
    fileprivate var waiting = FirstInFirstOut<Session>()
    fileprivate var isQueued = false
    /// The round of the others' in which a request of it went ahead.
    fileprivate var aheadInRound = 0
}

/// The sessions whose requests can run, in the order in which they do.
///
/// Parties share the time by what their requests cost, not by their number or by the number of their connections: who is due soonest runs, and is due
/// again behind what that cost (start-time fair queueing). A party that was idle is due at once, behind nobody's second request. What ends log-ins goes
/// ahead of all that, once a party and round, so that nobody can hold the others up by asking for it over and over.
struct FairQueue {
    /// A place in the heap; a share that was charged since is due later than its entry says.
    private struct Entry {
        let due: Int64
        let order: Int
        let share: Share

        static func < (one: Entry, other: Entry) -> Bool {
            one.due == other.due ? one.order < other.order : one.due < other.due
        }
    }

    private var heap: [Entry] = []
    private var ahead = FirstInFirstOut<Session>()
    /// When the share that ran last was due.
    private var clock: Int64 = 0
    /// When the share is due that is due last of all, waiting or not.
    private var horizon: Int64 = 0
    private var order = 0
    private var round = 1

    var isEmpty: Bool { heap.isEmpty && ahead.count == 0 }

    mutating func append(_ session: Session) {
        if session.work.first?.endsLogins == true, session.share.aheadInRound != round {
            ahead.append(session)
        } else {
            enqueue(session)
        }
    }

    private mutating func enqueue(_ session: Session) {
        let share = session.share
        share.waiting.append(session)
        guard !share.isQueued else { return }
        share.isQueued = true
        share.due = max(share.due, clock)
        push(share)
    }

    /// The next session that goes ahead; its party has had its turn ahead with that, if a request runs: see `wentAhead`.
    mutating func nextAhead() -> Session? {
        while let session = ahead.popFirst() {
            if session.share.aheadInRound != round { return session }
            enqueue(session)
        }
        return nil
    }

    /// A request of the session went ahead.
    func wentAhead(_ session: Session) { session.share.aheadInRound = round }

    /// From here on the others have their turn; then again who wants may go ahead.
    mutating func beginRound() { round += 1 }

    /// The session that is due.
    mutating func next() -> Session? {
        while let entry = pop() {
            let share = entry.share
            guard entry.due == share.due else {
                push(share)
                continue
            }
            clock = share.due
            guard let session = share.waiting.popFirst() else {
                share.isQueued = false
                continue
            }
            if share.waiting.count > 0 { push(share) } else { share.isQueued = false }
            return session
        }
        // After a moment of rest everybody begins anew.
        clock = horizon
        return nil
    }

    /// A request of the share has cost so much.
    mutating func charge(_ share: Share, _ work: Int) {
        share.due = max(share.due, clock) + Int64(work)
        horizon = max(horizon, share.due)
    }

    // MARK: The heap

    private mutating func push(_ share: Share) {
        order += 1
        let entry = Entry(due: share.due, order: order, share: share)
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entry < heap[parent] else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = entry
    }

    private mutating func pop() -> Entry? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last) }
        return first
    }

    /// Puts the entry in at the root and lets it sink to its place.
    private mutating func sink(_ entry: Entry) {
        var parent = 0
        while true {
            var child = parent * 2 + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < entry else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = entry
    }
}
