import Todo
import TodoProtocol
import TodoStore

/// First lists and queries: read from a snapshot on another thread while writes go on.
extension Hub {
    /// Reads the list's rows; changes that are committed meanwhile are made up for when they arrive.
    func load(_ list: SharedList) {
        read(list.query, list.key.scope, settings.limits.readSearchBytes) { [unowned self] result in
            guard index.lists[list.key] === list else { return }
            switch result {
            case .failure(let fault): end(list, fault.response)
            case .success(let rows): finishLoading(list, rows)
            }
        }
    }

    func read(
        _ query: Query, _ scope: Scope, for caller: Caller? = nil, _ searchBytesMax: Int,
        then: @escaping (Result<Finished.Rows, JobFault>) -> Void
    ) {
        if query.className.isVolatile { return then(readPresences(query, scope, for: caller, searchBytesMax)) }
        withSnapshot { [unowned self] result in
            switch result {
            case .failure(let fault): then(.failure(fault))
            case .success(let snapshot):
                let ticket = jobBook.open { [unowned self] outcome in
                    endRead()
                    if case .read(let result) = outcome { then(result) }
                }
                jobs.submit(.reading) {
                    defer { snapshot.release() }
                    do {
                        let isSeen = try caller.map { try SnapshotRows.sees($0, scope, snapshot) } ?? true
                        let rows = isSeen ? try SnapshotRows.read(query, scope, snapshot, searchBytesMax) : []
                        let read = Finished.Rows(version: snapshot.version, list: LiveList(query: query, rows: rows))
                        return Finished(ticket: ticket, outcome: .read(.success(read)))
                    } catch {
                        return Finished(ticket: ticket, outcome: .read(.failure(JobFault(error))))
                    }
                }
            }
        }
    }

    /// Snapshots are connections to the database: only so many are open at once, and further readers wait for one.
    func withSnapshot(_ use: @escaping (Result<any Snapshot, JobFault>) -> Void) {
        guard readsUnderWay < settings.limits.snapshots else { return waitingReads.append(use) }
        do {
            let snapshot = try store.snapshot()
            readsUnderWay += 1
            use(.success(snapshot))
        } catch {
            use(.failure(JobFault(error)))
        }
    }

    func endRead() {
        readsUnderWay -= 1
        guard !waitingReads.isEmpty else { return }
        withSnapshot(waitingReads.removeFirst())
    }

    private func finishLoading(_ list: SharedList, _ rows: Finished.Rows) {
        // The list is brought up to a commit, not into the middle of transactions that are not durable yet.
        finishGroup()
        guard index.lists[list.key] === list else { return }
        list.live = rows.list
        if rows.version < store.version {
            do {
                guard case .net(_, let changes, _) = try store.changes(since: rows.version, rowsMax: settings.limits.catchUpRows) else {
                    list.live = nil
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

    func query(_ params: QueryParams, _ answer: Answer) {
        guard let caller = answer.session.login?.view.caller else { return self.answer(answer, .notLoggedIn) }
        let query: Query
        do throws(Refusal) { query = try self.query(params.query, caller, limit: nil) } catch {
            return self.answer(answer, ErrorResponse(error))
        }
        let scope = SubscriptionIndex.scope(of: query, for: caller)
        let session = answer.session
        session.wait = .job
        read(query, scope, for: caller, settings.limits.readSearchBytes) { [unowned self] result in
            session.wait = .none
            guard session.isOpen else { return }
            switch result {
            case .failure(let fault): self.answer(answer, fault.response)
            case .success(let rows): self.answer(query: params, rows, answer)
            }
            schedule(session)
        }
    }

    private func answer(query params: QueryParams, _ rows: Finished.Rows, _ answer: Answer) {
        let first = min(params.offset ?? 0, rows.list.count)
        let last = first + min(rows.list.count - first, params.query.limit ?? Int.max)
        let maximum = settings.limits.queryObjects
        guard last - first <= maximum else {
            return self.answer(
                answer,
                .limit(
                    "queryObjects", maximum: maximum,
                    "The result has \(last - first) objects; ask for it in parts with 'limit' and 'offset'."))
        }
        let objects = rows.list.window(first..<last)
        let bytesMax = settings.limits.queryBytes
        guard objects.reduce(0, { $0 + $1.approximateBytes }) <= bytesMax else {
            return self.answer(
                answer,
                .limit(
                    "queryBytes", maximum: bytesMax,
                    "The result has more than \(bytesMax) bytes; ask for it in parts with 'limit' and 'offset'."))
        }
        self.answer(answer) { writer in MessageEncoder.queryResult(answer.id, version: rows.version, objects: objects, into: &writer) }
    }

    /// The query of a request, with `$user` filled in.
    func query(_ text: QueryText, _ caller: Caller, limit: Int?) throws(Refusal) -> Query {
        try Query(
            text.className, filter: text.filter, args: text.args, sort: text.sort, limit: limit, user: caller.userId,
            limits: settings.limits.filters)
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
}

/// Reads the rows of a query from one state of the store, with the rights as they are in it.
enum SnapshotRows {
    static func read(_ query: Query, _ scope: Scope, _ snapshot: any ObjectReader, _ searchBytesMax: Int) throws -> [Object] {
        let sight = RowSight(snapshot, searchBytesMax: searchBytesMax)
        var roles: [String: Role] = [:]
        if case .user(let user) = scope { roles = try RowSight.roles(ofUser: user, snapshot) }
        var rows: [Object] = []
        try snapshot.forEach(query.className, where: narrowing(query)) { object in
            if let row = try sight.admit(object, into: query, scope, roles: roles) { rows.append(row) }
            return true
        }
        return rows
    }

    /// What the store may narrow by: what is shown of `isAdmin` is not what is stored.
    private static func narrowing(_ query: Query) -> [Term] {
        let terms = query.predicate.terms
        return query.className == .user ? terms.filter { $0.place != UserField.isAdmin } : terms
    }

    /// Whether the caller sees the project to which the scope is fixed; any other scope is made of what its user sees.
    static func sees(_ caller: Caller, _ scope: Scope, _ snapshot: any ObjectReader) throws -> Bool {
        guard case .project(let id) = scope else { return true }
        guard let project = try snapshot.object(.project, id) else { return false }
        return try Rights.role(of: caller, in: project, snapshot) != nil
    }
}
