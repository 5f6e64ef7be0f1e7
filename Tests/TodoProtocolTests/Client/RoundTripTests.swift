import Bytes
import TestSupport
import Testing
import Todo
import TodoProtocol

@Suite("What one side writes, the other side reads")
struct RoundTripTests {
    private func call(_ write: (inout JSONWriter) -> Void) throws -> Call {
        let request = try request(encoded(write))
        #expect(request.id == .raw("7"))
        guard case .call(let call) = request.body else { throw UnexpectedOutcome("\(request.body)") }
        return call
    }

    @Test("in requests for accounts")
    func accounts() throws {
        guard case .info = try call({ RequestEncoder.info(id: 7, into: &$0) }),
            case .register("ann", "pass\"word") = try call({
                RequestEncoder.register(id: 7, username: "ann", password: "pass\"word", into: &$0)
            }),
            case .logout(everywhere: true) = try call({ RequestEncoder.logout(id: 7, everywhere: true, into: &$0) }),
            case .changePassword("old\"one", "new\u{1F600}word") = try call({
                RequestEncoder.changePassword(id: 7, old: "old\"one", new: "new\u{1F600}word", into: &$0)
            }),
            case .sessions = try call({ RequestEncoder.sessions(id: 7, into: &$0) }),
            case .endSession("a-B_9") = try call({ RequestEncoder.endSession(id: 7, session: "a-B_9", into: &$0) }),
            case .unsubscribe("mine\n") = try call({ RequestEncoder.unsubscribe(id: 7, name: "mine\n", into: &$0) })
        else { throw UnexpectedOutcome("another call") }
        let logins: [LoginRequest] = [
            .password(username: "ann", password: "s"), .nickname("Ann"), .token("t"), .jwt("a.b.c"), .other(provider: "ldap"),
        ]
        for login in logins {
            guard case .login(login) = try call({ RequestEncoder.login(id: 7, login, into: &$0) }) else {
                throw UnexpectedOutcome("not \(login)")
            }
        }
    }

    @Test("in queries")
    func queries() throws {
        let args: [Argument] = [.value(.string("é\u{1F600}")), .value(.double(0.1)), .array([.integer(-3), .null, .boolean(false)])]
        let queries = [
            QueryText(.project), QueryText(.item, filter: "body CONTAINS $0", args: args, sort: ["-priority", "body[c]"], limit: 5),
        ]
        for query in queries {
            let params = [SubscribeParams("n", to: query), SubscribeParams("n", to: query, update: true, since: 41, epoch: "e")]
            for params in params {
                guard case .subscribe(params) = try call({ RequestEncoder.subscribe(id: 7, params, into: &$0) }) else {
                    throw UnexpectedOutcome("not \(params)")
                }
            }
            for offset in [nil, 0, 9] {
                let params = QueryParams(query, offset: offset)
                guard case .query(params) = try call({ RequestEncoder.query(id: 7, params, into: &$0) }) else {
                    throw UnexpectedOutcome("not \(params)")
                }
            }
        }
    }

    @Test("in writes")
    func writes() throws {
        let moment = Timestamp(milliseconds: 1_796_000_523_123)
        let changes: [ChangeSpec] = [
            .create(.item, [("projectId", .string("p1")), ("body", .string("a \"b\"")), ("dueDate", .date(moment))]),
            .update(.item, id: "i1", set: [("isDone", .boolean(true))]),
            .update(.item, id: "i1", set: [("assignee", .null)], condition: [("priority", .integer(2))]),
            .upsert(.project, [("projectId", .string("p1")), ("name", .string("x"))]),
            .delete(.permission, id: "p1:u1"), .delete(.item, id: "i2", condition: [("isDone", .boolean(true))]),
            .move(id: "i1", to: .start), .move(id: "i1", to: .end), .move(id: "i1", to: .before("i2")), .move(id: "i1", to: .after("i2")),
            .updateMatching(.item, filter: "projectId == $0", args: [.value(.string("p1"))], set: [("priority", .integer(1))]),
            .deleteMatching(.item, filter: "TRUEPREDICATE", args: []),
            .raw(SharedBytes(utf8: #"{"delete":"Item","id":"raw"}"#)),
        ]
        guard case .write(let params) = try call({ RequestEncoder.write(id: 7, txn: "t-1", changes: changes, into: &$0) }) else {
            throw UnexpectedOutcome("no write")
        }
        #expect(params.txn == "t-1")
        let entries = params.entries
        #expect(entries.count == changes.count)
        guard case .create(.item, let created) = entries[0], case .update(.item, "i1", let set, let none) = entries[1],
            case .update(.item, "i1", let cleared, let condition) = entries[2], case .upsert(.project, let upserted) = entries[3],
            case .delete(.permission, "p1:u1", let free) = entries[4], case .delete(.item, "i2", let bound) = entries[5],
            case .move("i1", .start) = entries[6], case .move("i1", .end) = entries[7], case .move("i1", .before("i2")) = entries[8],
            case .move("i1", .after("i2")) = entries[9],
            case .updateMatching(.item, "projectId == $0", [.value(.string("p1"))], let all) = entries[10],
            case .deleteMatching(.item, "TRUEPREDICATE", []) = entries[11], case .delete(.item, "raw", _) = entries[12]
        else { throw UnexpectedOutcome("\(entries)") }
        #expect(
            named(created, of: .item) == ["projectId": .string("p1"), "body": .string("a \"b\""), "dueDate": .date(moment)])
        #expect(named(set, of: .item) == ["isDone": .boolean(true)])
        #expect(none.isEmpty && free.isEmpty)
        #expect(named(cleared, of: .item) == ["assignee": .null])
        #expect(named(condition, of: .item) == ["priority": .integer(2)])
        #expect(named(upserted, of: .project) == ["projectId": .string("p1"), "name": .string("x")])
        #expect(named(bound, of: .item) == ["isDone": .boolean(true)])
        #expect(named(all, of: .item) == ["priority": .integer(1)])
    }

    @Test("in results")
    func results() throws {
        func result(_ id: Int64 = 1, _ write: (inout JSONWriter) -> Void) throws -> ServerResult {
            guard case .result(id, let result) = try decodeServer(encoded(write)) else { throw UnexpectedOutcome("no result \(id)") }
            return result
        }
        let id = RequestID.raw("1")
        guard case .empty = try result(1, { MessageEncoder.empty(id, into: &$0) }) else { throw UnexpectedOutcome("not {}") }
        let info = ServerInfo(
            server: "s", providers: ["password"], limits: [("batch", 100), ("changes", 1_000)], epoch: "e", now: .earliest, version: 3)
        guard case .info(let shown) = try result(1, { MessageEncoder.info(id, info, into: &$0) }) else {
            throw UnexpectedOutcome("no info")
        }
        #expect(
            shown.server == "s" && shown.providers == ["password"] && shown.epoch == "e" && shown.now == .earliest && shown.version == 3)
        #expect(shown.limits.map(\.name) == info.limits.map(\.name) && shown.limits.map(\.maximum) == info.limits.map(\.maximum))
        let login = LoginResult(userId: "u", name: "n", isAdmin: true, token: "t", expiresAt: .latest)
        guard case .login(login) = try result(1, { MessageEncoder.login(id, login, into: &$0) }) else {
            throw UnexpectedOutcome("no login")
        }
        guard
            case .subscribed("a", isComplete: true, resumed: true) = try result(
                1, { MessageEncoder.subscribed(id, name: "a", isComplete: true, resumed: true, into: &$0) }),
            case .subscribed("a", isComplete: false, resumed: nil) = try result(
                1, { MessageEncoder.subscribed(id, name: "a", isComplete: false, resumed: nil, into: &$0) }),
            case .write(9, ["a", nil], isDuplicate: true) = try result(
                1, { MessageEncoder.writeResult(id, version: 9, ids: ["a", nil], isDuplicate: true, into: &$0) }),
            case .write(9, [], isDuplicate: false) = try result(
                1, { MessageEncoder.writeResult(id, version: 9, ids: [], isDuplicate: false, into: &$0) })
        else { throw UnexpectedOutcome("another result") }
        let rows = [item("i1"), item("i2", body: "é\u{0}\n\"\\", isDone: true, priority: 3)]
        guard
            case .query(4, let objects) = try result(
                5, { MessageEncoder.queryResult(.raw("5"), version: 4, objects: rows, into: &$0) })
        else { throw UnexpectedOutcome("no query") }
        #expect(objects == rows)
    }

    @Test("in errors, with everything that is known of them")
    func errors() throws {
        var error = ErrorResponse.limit("objects", maximum: 3, "Too many.", path: "changes[0]")
        error.position = 4
        error.expected = "less"
        error.retryAfter = 9
        for (id, number) in [(RequestID.raw("3"), Int64?(3)), (.null, nil)] {
            guard case .failure(number, let found) = try decodeServer(encoded { MessageEncoder.error(id, error, into: &$0) }) else {
                throw UnexpectedOutcome("no failure")
            }
            #expect(found.knownCode == .limit && found.message == "Too many." && found.reason == "limit" && found.path == "changes[0]")
            #expect(found.position == 4 && found.expected == "less" && found.limit == "objects" && found.maximum == 3)
            #expect(found.retryAfter == 9)
        }
        guard
            case .subscriptionEnded("items", let ended) = try decodeServer(
                encoded { MessageEncoder.subscriptionEnded(name: "items", .notPermitted("Gone."), into: &$0) })
        else { throw UnexpectedOutcome("no end") }
        #expect(ended.code == -32002 && ended.message == "Gone.")
    }

    @Test("in first lists")
    func initial() throws {
        let rows = [project("p1"), project("p2", name: "Büro")]
        let text = encoded { MessageEncoder.initial(name: "projects", index: 500, objects: rows[...], completeAt: 41, into: &$0) }
        guard case .initial(let part) = try decodeServer(text) else { throw UnexpectedOutcome("no initial") }
        let shown = rows.map { row in
            var shown = row
            // The hidden creator does not travel.
            shown.values[7] = .null
            return shown
        }
        #expect(part.name == "projects" && part.index == 500 && part.isComplete && part.version == 41)
        #expect(part.objects == shown)
        let first = encoded { MessageEncoder.initial(name: "items", index: 0, objects: [], completeAt: nil, into: &$0) }
        guard case .initial(let pending) = try decodeServer(first) else { throw UnexpectedOutcome("no initial") }
        #expect(!pending.isComplete && pending.version == nil && pending.objects.isEmpty)
    }

    @Test("in batches of answers, and leaves alone what it does not know")
    func batchesAndUnknown() throws {
        let text = #"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}]"#
        guard case .batch(let messages) = try decodeServer(text), case .result(1, .empty) = messages[0],
            case .failure(nil, let error) = messages[1]
        else { throw UnexpectedOutcome("no batch") }
        #expect(error == ServerError(code: -32600, message: "m"))
        guard case .other("hint") = try decodeServer(#"{"jsonrpc":"2.0","method":"hint","params":[1]}"#) else {
            throw UnexpectedOutcome("not other")
        }
        let newer = MessageEncoderTests.itemText.dropLast() + #","colour":"red"}"#
        let part =
            #"{"jsonrpc":"2.0","method":"initial","params":{"name":"items","index":0,"objects":[\#(newer)],"state":"complete","version":1}}"#
        guard case .initial(let found) = try decodeServer(part) else { throw UnexpectedOutcome("no initial") }
        #expect(found.objects == [item()])
    }

    static let faulty = [
        "", "1", "{}", #"{"id":1,"result":{"objects":[]}}"#, #"{"id":"x","result":{}}"#, #"{"id":1,"error":{}}"#,
        #"{"id":5,"result":{"version":1,"objects":[{}]}}"#, #"{"id":5,"result":{"version":1,"objects":[{"itemId":"i1"}]}}"#,
        #"{"method":"change","params":{"version":1,"updates":[{"name":"other"}]}}"#, #"{"method":"change","params":{"updates":[]}}"#,
        #"{"method":"change","params":{"version":1,"updates":[{"name":"items","deletions":[-1]}]}}"#,
        #"{"method":"change","params":{"version":1,"updates":[{"name":"items","insertions":[{"index":0}]}]}}"#,
        #"{"method":"change","params":{"version":1,"updates":[{"name":"items","modifications":[{"index":0,"set":{"isDone":3}}]}]}}"#,
        #"{"method":"initial","params":{"name":"items","index":0,"objects":{},"state":"complete"}}"#,
    ]

    @Test("unless the server's message is faulty, which is told", arguments: faulty)
    func faults(_ text: String) {
        #expect(throws: ServerMessageFault.self) { try decodeServer(text) }
    }
}

@Suite("Lists that a client keeps from changes alone")
struct ReplicaRoundTripTests {
    /// Applies an update as the protocol says.
    private func apply(_ update: ListUpdate, to rows: inout [Object]) {
        let old = rows
        func merge(_ set: FieldValues, into object: Object) -> Object {
            var merged = object
            for (place, value) in set { merged[place] = value }
            return merged
        }
        for index in update.deletions.reversed() { rows.remove(at: index) }
        for insertion in update.insertions {
            switch insertion.row {
            case .object(let object): rows.insert(object, at: insertion.index)
            case .moved(let from, let set): rows.insert(merge(set, into: old[from]), at: insertion.index)
            }
        }
        for modification in update.modifications {
            #expect(rows[modification.index].key == old[modification.from].key)
            rows[modification.index] = merge(modification.set, into: rows[modification.index])
        }
    }

    @Test("equal the server's list after every change, over the wire", arguments: [UInt64](1...5))
    func random(seed: UInt64) throws {
        print("seed \(seed)")
        var generator = SplitMix(seed: seed)
        let query = try Query(.item, sort: ["-priority", "body"], limit: 12, user: "u1")
        var list = LiveList(query: query, rows: [])
        var rows: [Object] = []
        for step in 0..<150 {
            var candidates: [(key: String, after: Object?)] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let key = "i\(Int.random(in: 0..<30, using: &generator))"
                guard !candidates.contains(where: { $0.key == key }) else { continue }
                let isGone = Int.random(in: 0..<4, using: &generator) == 0
                candidates.append(
                    (
                        key,
                        isGone
                            ? nil
                            : item(
                                key, body: "b\(Int.random(in: 0..<5, using: &generator))", isDone: Bool.random(using: &generator),
                                priority: Int64.random(in: 0...3, using: &generator))
                    ))
            }
            guard let applied = list.apply(candidates), !applied.diff.isEmpty else { continue }
            let fragment = SharedBytes(utf8: encoded { MessageEncoder.update(name: "items", applied.diff, into: &$0) })
            let text = encoded { MessageEncoder.change(version: Int64(step), by: ["u1"], updates: [fragment], into: &$0) }
            guard case .change(let change) = try decodeServer(text) else { throw UnexpectedOutcome("no change: \(text)") }
            #expect(change.version == Int64(step))
            #expect(change.by == ["u1"])
            apply(try #require(change.updates.first), to: &rows)
            #expect(rows == list.window(0..<list.windowCount), "step \(step): \(text)")
        }
        #expect(!rows.isEmpty)
    }
}
