import Bytes
import Todo
import TodoProtocol
import TodoStore

/// `query`: read from a snapshot, sorted and encoded on another thread.
extension Hub {
    func query(_ params: QueryParams, _ answer: Answer) {
        guard let caller = answer.session.login?.view.caller else { return self.answer(answer, .notLoggedIn) }
        let query: Query
        do throws(Refusal) { query = try self.query(params.query, caller, limit: nil) } catch {
            return self.answer(answer, ErrorResponse(error))
        }
        auditReading(params.query, caller, answer.session)
        let scope = SubscriptionIndex.scope(of: query, for: caller)
        let searchBytesMax = settings.limits.readSearchBytes
        let page = QueryPage(answer.id, params, settings.limits)
        if query.className.isVolatile { return queryPresences(query, scope, caller, page, answer) }
        let isAlone = answer.batch == nil
        readSnapshot(for: answer) { snapshot in
            let rows = try SnapshotRows.read(query, scope, for: caller, snapshot, searchBytesMax)
            let text = try page.text(ListWindow(query: query, rows: rows), version: snapshot.version)
            return isAlone ? .answered(.text(text)) : .batched(text)
        } then: { [unowned self] outcome in
            switch outcome {
            case .batched(let text): send(answer.id == .absent ? nil : text, answer)
            case .answered(let message): if answer.id != .absent { deliver(message, to: answer.session) }
            default: preconditionFailure("a query was read and something else came of it")
            }
        }
    }

    /// Presences are read at once: they are in memory, and few.
    private func queryPresences(_ query: Query, _ scope: Scope, _ caller: Caller, _ page: QueryPage, _ answer: Answer) {
        // Rights are read from the store, which must not show what is not durable.
        finishGroup()
        do {
            let rows = try SnapshotRows.read(query, scope, for: caller, live, settings.limits.readSearchBytes)
            let text = try page.text(ListWindow(query: query, rows: rows), version: store.version)
            send(answer.id == .absent ? nil : text, answer)
        } catch {
            self.answer(answer, JobFault(error).response)
        }
    }

    /// The query of a request, with `$user` filled in.
    func query(_ text: QueryText, _ caller: Caller, limit: Int?) throws(Refusal) -> Query {
        try Query(
            text.className, filter: text.filter, args: text.args, sort: text.sort, limit: limit, user: caller.userId,
            limits: settings.limits.filters)
    }
}

/// What a `query` wants of the rows that match, and the answer with them.
private struct QueryPage: Sendable {
    private let id: RequestID
    private let offset: Int
    private let limit: Int
    private let objectsMax: Int
    private let bytesMax: Int

    init(_ id: RequestID, _ params: QueryParams, _ limits: SyncLimits) {
        self.id = id
        offset = params.offset ?? 0
        limit = params.query.limit ?? Int.max
        objectsMax = limits.queryObjects
        bytesMax = limits.queryBytes
    }

    func text(_ rows: ListWindow, version: Int64) throws(JobFault) -> SharedBytes {
        let first = min(offset, rows.count)
        let last = first + min(rows.count - first, limit)
        guard last - first <= objectsMax else {
            throw JobFault(
                .limit(
                    "queryObjects", maximum: objectsMax,
                    "The result has \(last - first) objects; ask for it in parts with 'limit' and 'offset'."))
        }
        let objects = rows[first..<last]
        guard objects.reduce(0, { $0 + $1.approximateBytes }) <= bytesMax else {
            throw JobFault(
                .limit(
                    "queryBytes", maximum: bytesMax,
                    "The result has more than \(bytesMax) bytes; ask for it in parts with 'limit' and 'offset'."))
        }
        var writer = JSONWriter()
        MessageEncoder.queryResult(id, version: version, objects: objects, into: &writer)
        return writer.finish()
    }
}
