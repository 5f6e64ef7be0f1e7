import Todo
import TodoProtocol
import TodoStore

/// The rows of a live list: read from a snapshot on another thread while writes go on, and brought up to the present here.
extension Hub {
    /// Reads the list's rows; changes that are committed meanwhile are made up for when they arrive.
    func load(_ list: SharedList) {
        let (query, scope, searchBytesMax) = (list.query, list.key.scope, settings.limits.readSearchBytes)
        let talliesMax = settings.limits.itemTallies
        if query.className.isVolatile {
            // Rights are read from the store, which must not show what is not durable.
            finishGroup()
            do {
                let rows = try SnapshotRows.read(query, scope, live, searchBytesMax)
                return finishLoading(list, ReadList(version: store.version, LiveList(query: query, rows: rows)))
            } catch {
                return end(list, JobFault(error).response)
            }
        }
        let reader = list.subscriptions.first?.session.login?.view.caller.userId ?? ""
        readSnapshot(for: reader, while: { [unowned self] in index.lists[list.key] === list }) { snapshot in
            let tallies = ItemTallies(countMax: talliesMax)
            let rows = try SnapshotRows.read(query, scope, snapshot, searchBytesMax, tallies: tallies)
            return .loaded(
                ReadList(
                    version: snapshot.version, LiveList(query: query, rows: rows), tallies: tallies.kept(itemsMin: Self.talliedItemsMin)))
        } then: { [unowned self] outcome in
            switch outcome {
            case .loaded(let read):
                if index.lists[list.key] === list { finishLoading(list, read) } else { free(read) }
            case .failed(let fault): if index.lists[list.key] === list { end(list, fault.response) }
            default: preconditionFailure("a list was read and something else came of it")
            }
        }
    }

    private func finishLoading(_ list: SharedList, _ read: ReadList) {
        // The list is brought up to a commit, not into the middle of transactions that are not durable yet.
        finishGroup()
        guard index.lists[list.key] === list else { return free(read) }
        list.live = read.take()
        let readTallies = ItemTallies(read.tallies, countMax: .max)
        if read.version < store.version {
            do {
                guard case .net(_, let changes, _) = try store.changes(since: read.version, rowsMax: settings.limits.catchUpRows) else {
                    free(list)
                    return load(list)
                }
                readTallies.follow(changes)
                let batch = ChangeBatch(changes)
                concern(list, with: batch)
                _ = try apply(batch, to: list, RowSight(store))
            } catch {
                return end(list, error)
            }
        }
        // Else the first change to an item of a large project would have the committer read all of them, for each such list.
        tallies.adopt(readTallies)
        if refuseRows(list) { return }
        for subscription in list.subscriptions {
            if case .loading = subscription.state { begin(subscription) }
        }
    }

    /// Projects with fewer items are tallied by the committer when they are first asked about.
    private static let talliedItemsMin = 64

    /// Ends the list where its rows are more than its user may hold in memory.
    private func refuseRows(_ list: SharedList) -> Bool {
        guard let view = list.subscriptions.first?.session.login?.view, let own = list.live?.count else { return false }
        let maximum = settings.limits.liveRows
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(list)]
        var rows = own
        for session in view.sessions.values {
            for subscription in session.subscriptions.values where seen.insert(ObjectIdentifier(subscription.list)).inserted {
                rows += subscription.list.live?.count ?? 0
            }
        }
        guard rows > maximum else { return false }
        end(
            list,
            .limit("liveRows", maximum: maximum, "Your live queries would hold \(rows) rows at once; end some, or ask for less in each."))
        return true
    }

    /// The server can serve the list no longer: its subscriptions end, and their clients are told.
    func end(_ list: SharedList, _ failure: any Error) {
        log(.error, "a list of \(list.className.name) ended: \(failure)")
        end(list, JobFault(failure).response)
    }

    private func end(_ list: SharedList, _ error: ErrorResponse) {
        for subscription in list.subscriptions {
            let ended = text { writer in MessageEncoder.subscriptionEnded(name: subscription.name, error, into: &writer) }
            deliver(ended, to: subscription.session)
            drop(subscription)
        }
    }

    // MARK: Memory

    /// Has the rows of a list that is not needed any more given back by another thread: a large list's are a million pieces of memory.
    func free(_ list: SharedList) {
        guard let count = list.live?.count else { return }
        guard count > Self.fewRows else { return list.live = nil }
        free(ReadList(version: store.version, list.live.take()))
    }

    private func free(_ read: ReadList) {
        jobs.submit(.encoding) {
            _ = read.take()
            return Finished(ticket: 0, outcome: .freed)
        }
    }

    /// So many rows are given back in no time.
    private static let fewRows = 500
}
