import Todo
import TodoProtocol
import TodoStore

/// The rows of a live list: read from a snapshot on another thread while writes go on, and brought up to the present here.
extension Hub {
    /// Reads the list's rows; changes that are committed meanwhile are made up for when they arrive.
    func load(_ list: SharedList) {
        let (query, scope, searchBytesMax) = (list.query, list.key.scope, settings.limits.readSearchBytes)
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
        readSnapshot { snapshot in
            let rows = try SnapshotRows.read(query, scope, snapshot, searchBytesMax)
            return .loaded(ReadList(version: snapshot.version, LiveList(query: query, rows: rows)))
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
        if read.version < store.version {
            do {
                guard case .net(_, let changes, _) = try store.changes(since: read.version, rowsMax: settings.limits.catchUpRows) else {
                    free(list)
                    return load(list)
                }
                let batch = ChangeBatch(changes)
                concern(list, with: batch)
                _ = try apply(batch, to: list, RowSight(store))
            } catch {
                return end(list, error)
            }
        }
        for subscription in list.subscriptions {
            if case .loading = subscription.state { begin(subscription) }
        }
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
