import Todo
import TodoProtocol
import TodoStore

/// What the server may say: the world at each durable version, as the log of what became durable tells it, and which transactions did.
final class Oracle {
    /// One client's transaction, by its own name.
    private struct Transaction: Hashable {
        let user: String
        let txn: String
    }

    private var states: [Int64: NaiveState] = [:]
    /// Behind which version a durable commit ended that had this version in it.
    private var endOfCommit: [Int64: Int64] = [:]
    private var applied: [Transaction: RememberedTransaction] = [:]
    private(set) var version: Int64 = 0
    /// What became durable although it must not have: told at the next look.
    private(set) var fault: Fault?

    /// The world as it begins.
    init(_ reader: some CommittedReader) throws {
        version = reader.version
        states[version] = try NaiveState(reader)
    }

    /// A commit has become durable.
    func commit(_ entries: [LogEntry], _ remembered: [RememberedTransaction]) {
        for entry in entries {
            if entry.version != version + 1 { note("version \(entry.version) follows \(version)") }
            var state = states[version] ?? NaiveState()
            state.apply(entry.changes)
            version = entry.version
            states[version] = state
        }
        for entry in entries { endOfCommit[entry.version] = version }
        for transaction in remembered {
            let name = Transaction(user: transaction.userId, txn: transaction.txn)
            if applied[name] != nil { note("the transaction \(transaction.txn) of \(transaction.userId) was applied twice") }
            applied[name] = transaction
        }
    }

    private func note(_ words: String) {
        if fault == nil { fault = Fault(words) }
    }

    func state(at version: Int64) throws -> NaiveState {
        guard let state = states[version] else { throw Fault("version \(version) is told of, and was never durable (\(self.version) is)") }
        return state
    }

    /// The version of the whole commit that this version was part of.
    func end(ofCommitOf version: Int64) -> Int64 { endOfCommit[version] ?? version }

    /// The store holds what became durable, all of it and nothing else.
    func check(_ store: some CommittedReader) throws {
        guard store.version == version else { throw Fault("the store is at version \(store.version), and \(version) was durable") }
        if let difference = try NaiveState(store).difference(from: try state(at: version)) {
            throw Fault("the store differs: \(difference)")
        }
    }

    /// The rows are what the query answers for the user at that version.
    func check(_ rows: [Object], of query: RandomQuery, for user: String, at version: Int64) throws {
        let expected = try state(at: version).list(query, for: user)
        guard !Self.look(rows, like: expected) else { return }
        throw Fault("\(query.text) of \(user) holds \(rows.map(\.values)) at version \(version), not \(expected.map(\.values))")
    }

    /// Each row is one that the user could see at some version since that one.
    func checkSight(of rows: ArraySlice<Object>, for user: String, since version: Int64) throws {
        for row in rows {
            let wasSeen = (version...max(version, self.version)).reversed().contains { version in
                guard let object = states[version]?.object(row.className, row.key) else { return false }
                return states[version]?.shown(object, to: user).map { Self.look([row], like: [$0]) } ?? false
            }
            guard wasSeen else { throw Fault("\(user) was sent \(row.values), which it could not see since version \(version)") }
        }
    }

    /// The accepted transaction has become durable as its result says.
    func check(accepted txn: String, of user: String, version: Int64, ids: [String?]) throws {
        guard let known = applied[Transaction(user: user, txn: txn)] else { throw Fault("\(txn) is acknowledged, and was never durable") }
        guard known.version == version, known.ids == ids else {
            throw Fault("\(txn) is acknowledged as \(version) \(ids), and was \(known.version) \(known.ids)")
        }
    }

    /// The refused transaction left nothing.
    func check(refused txn: String, of user: String) throws {
        if let known = applied[Transaction(user: user, txn: txn)] { throw Fault("\(txn) is refused, and was applied as \(known.version)") }
    }

    private static func look(_ rows: [Object], like expected: [Object]) -> Bool {
        rows.count == expected.count
            && zip(rows, expected).allSatisfy { row, other in
                let shown = row.className.schema.shownCount
                return row.values[..<shown] == other.values[..<shown]
            }
    }
}
