import Bytes
import Testing
import Todo
import TodoClient
import TodoProtocol

@Suite("A client's session")
struct ClientSessionTests {
    private static let tasks = QueryText(.item, filter: "projectId == $0", args: [.value("p1")], sort: ["position"])

    @Test("Log-in, a list in two parts, and a change, however the bytes are cut", arguments: [Int.max, 1, 2, 3, 7, 61])
    func conversation(piece: Int) throws {
        let wire = try Wire(piece: piece)
        #expect(try wire.connect().map(\.word) == ["opened"])
        #expect(wire.subprotocol == "todosync.v1")
        // The session asks by itself for the history that its lists will belong to.
        #expect(wire.texts() == [request(1, "info")])
        #expect(wire.say(info(1, epoch: "e1")).isEmpty)
        #expect(wire.epoch == "e1")

        let login = wire.session.login(.nickname("ann"), &wire.workspace)
        #expect(wire.say(loggedIn(login)).map(\.word) == ["result \(login)"])
        #expect(wire.login?.token == "secret")

        let subscribe = wire.session.subscribe(SubscribeParams("l", to: Self.tasks), &wire.workspace)
        var events = wire.say(
            message { MessageEncoder.subscribed(.raw("\(subscribe)"), name: "l", isComplete: false, resumed: nil, into: &$0) })
        let rows = [task("a"), task("b", body: "Buy milk"), task("c")]
        events += wire.say(message { MessageEncoder.initial(name: "l", index: 0, objects: rows[..<2], completeAt: nil, into: &$0) })
        events += wire.say(message { MessageEncoder.initial(name: "l", index: 2, objects: rows[2...], completeAt: 4, into: &$0) })
        events += wire.say(change(5, #"{"name":"l","deletions":[0],"modifications":[{"index":0,"from":1,"set":{"body":"Buy eggs"}}]}"#))
        #expect(events.map(\.word) == ["result \(subscribe)", "initial l false", "initial l true", "change 5"])
        let list = try #require(wire.list("l"))
        #expect(list.rows == [task("b", body: "Buy eggs"), task("c")])
        #expect(list.version == 5)
    }

    @Test("A refused request names itself; a refused subscription leaves no list, a refused update the old one")
    func refusals() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        let first = wire.session.subscribe(SubscribeParams("l", to: Self.tasks), &wire.workspace)
        #expect(wire.say(failure(first, -32602)).map(\.word) == ["failure \(first) -32602"])
        #expect(wire.list("l") == nil)

        subscribe(wire, rows: [task("a")])
        let update = SubscribeParams("l", to: QueryText(.project, filter: "nonsense"), update: true)
        let second = wire.session.subscribe(update, &wire.workspace)
        #expect(wire.say(failure(second, -32602)).map(\.word) == ["failure \(second) -32602"])
        #expect(wire.list("l")?.rows.count == 1)
        #expect(wire.say(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}"#).map(\.word) == ["failure - -32700"])
    }

    @Test("An update to another class starts a list of that class")
    func updateClass() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        subscribe(wire, rows: [task("a")])
        let id = wire.session.subscribe(SubscribeParams("l", to: QueryText(.user), update: true), &wire.workspace)
        #expect(wire.list("l")?.className == .item)
        _ = wire.say(message { MessageEncoder.subscribed(.raw("\(id)"), name: "l", isComplete: false, resumed: nil, into: &$0) })
        let user = Object(.user, ["u1", "Ann", false])
        _ = wire.say(message { MessageEncoder.initial(name: "l", index: 0, objects: [user][...], completeAt: 3, into: &$0) })
        #expect(wire.list("l")?.rows == [user])
    }

    @Test("Unsubscribing keeps the list until the server confirms: changes may still be on their way")
    func unsubscribing() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        subscribe(wire, rows: [task("a")])
        let id = wire.session.unsubscribe("l", &wire.workspace)
        #expect(wire.say(change(9, #"{"name":"l","deletions":[0]}"#)).map(\.word) == ["change 9"])
        #expect(wire.say(message { MessageEncoder.empty(.raw("\(id)"), into: &$0) }).map(\.word) == ["result \(id)"])
        #expect(wire.list("l") == nil)
    }

    @Test("The answers of a batch come one by one, in their order")
    func batch() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        let ids = [wire.session.info(&wire.workspace), wire.session.logout(everywhere: false, &wire.workspace)]
        let batch = "[\(info(ids[0], epoch: "e")),\(failure(ids[1], -32001))]"
        #expect(wire.say(batch).map(\.word) == ["result \(ids[0])", "failure \(ids[1]) -32001"])
    }

    @Test("A server that ends a subscription ends its list")
    func ended() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        subscribe(wire, rows: [task("a")])
        let text = #"{"jsonrpc":"2.0","method":"error","params":{"name":"l","code":-32007,"message":"gone"}}"#
        #expect(wire.say(text).map(\.word) == ["ended l -32007"])
        #expect(wire.list("l") == nil)
    }

    @Test(
        "A server that breaks the protocol is told so with 1002, and heard no more",
        arguments: [
            #"{"jsonrpc":"2.0","method":"change","params":{"version":9,"by":[],"updates":[{"name":"unknown","deletions":[0]}]}}"#,
            #"{"jsonrpc":"2.0","method":"change","params":{"version":9,"by":[],"updates":[{"name":"l","deletions":[5]}]}}"#,
            #"{"jsonrpc":"2.0","method":"change","params":{"version":0,"by":[],"updates":[{"name":"l","deletions":[0]}]}}"#,
            #"{"jsonrpc":"2.0","method":"initial","params":{"name":"l","index":5,"objects":[],"state":"pending"}}"#,
            "17", "{", #"{"jsonrpc":"2.0","id":1}"#,
        ])
    func violations(text: String) throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        subscribe(wire, rows: [task("a")])
        #expect(wire.say(text).map(\.word) == ["violated"])
        #expect(wire.closeCode == 1002)
        #expect(wire.say(change(9, #"{"name":"l","deletions":[0]}"#)).isEmpty)
    }

    @Test("Notifications that a later server may send are left alone")
    func unknown() throws {
        let wire = try Wire { $0.resumes = false }
        _ = try wire.connect()
        #expect(wire.say(#"{"jsonrpc":"2.0","method":"weather","params":{"sun":true}}"#).isEmpty)
    }

    @Test("The server's close code and reason arrive, and are answered")
    func closing() throws {
        let wire = try Wire()
        _ = try wire.connect()
        #expect(wire.close(4002, "logged out elsewhere").map(\.word) == ["closed 4002 logged out elsewhere"])
        #expect(wire.closeCode == 4002)
    }

    @Test("A refused upgrade tells the status and the server's sentence", arguments: [Int.max, 1])
    func refused(piece: Int) throws {
        var session = try ClientSession(try Endpoint("ws://h"))
        var workspace = ClientWorkspace()
        try session.connect(&workspace)
        var bytes = Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\n\r\nNot you.".utf8)
        var events: [SessionEvent] = []
        for start in stride(from: 0, to: bytes.count, by: min(piece, bytes.count)) {
            bytes.withUnsafeMutableBytes { buffer in
                let end = min(buffer.count, piece == .max ? .max : start + piece)
                var input = ClientInput(UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end]))
                while let event = session.next(&input, &workspace) { events.append(event) }
            }
        }
        #expect(events.map(\.word) == ["refused 403"])
        if piece == .max, case .refused(_, let sentence) = events.first { #expect(sentence == "Not you.") }
    }
}

@Suite("A client's session over several connections")
struct ClientSessionResumingTests {
    private static let tasks = QueryText(.item, filter: "projectId == $0", args: [.value("p1")], sort: ["position"])

    /// Logged in, with a complete list at version 4 of history e1, and everything answered.
    private func established(_ change: (inout ClientSession.Options) -> Void = { _ in }) throws -> Wire {
        let wire = try Wire(change)
        _ = try wire.connect()
        _ = wire.say(info(1, epoch: "e1"))
        let login = wire.session.login(.nickname("ann"), &wire.workspace)
        _ = wire.say(loggedIn(login))
        subscribe(wire, rows: [task("a"), task("b")], version: 4)
        _ = wire.texts()
        return wire
    }

    @Test("A new connection logs in with the token first, then goes on with the list from its version, then repeats what was not answered")
    func resuming() throws {
        let wire = try established()
        let write = wire.session.write(txn: "t1", [.delete(.item, id: "a")], &wire.workspace)
        let sent = wire.texts()
        #expect(sent.count == 1)
        #expect(wire.disconnect().isEmpty)
        #expect(wire.list("l")?.rows.count == 2)
        #expect(wire.list("l")?.isComplete == false)

        #expect(try wire.connect().isEmpty)
        let greeting = wire.texts()
        #expect(greeting.count == 2)
        #expect(greeting.last?.contains(#""provider":"token","token":"secret""#) == true)
        #expect(wire.say(info(write + 1, epoch: "e1")).isEmpty)
        #expect(wire.say(loggedIn(write + 2)).map(\.word) == ["opened"])

        let repeated = wire.texts()
        #expect(repeated.count == 2)
        #expect(repeated[0].contains(#""since":4,"epoch":"e1""#))
        #expect(repeated[1] == sent[0])

        var events = wire.say(
            message { MessageEncoder.subscribed(.raw("\(write + 3)"), name: "l", isComplete: false, resumed: true, into: &$0) })
        events += wire.say(change(6, #"{"name":"l","state":"complete","deletions":[0]}"#))
        events += wire.say(message { MessageEncoder.writeResult(.raw("\(write)"), version: 6, ids: [nil], isDuplicate: true, into: &$0) })
        #expect(events.map(\.word) == ["change 6", "result \(write)"])
        #expect(wire.list("l")?.rows == [task("b")])
        #expect(wire.list("l")?.isComplete == true)
    }

    @Test("A list that the server can't resume is built anew, and keeps its rows until then")
    func anew() throws {
        let wire = try established()
        _ = wire.disconnect()
        _ = try wire.connect()
        _ = wire.say(info(4, epoch: "e1"))
        _ = wire.say(loggedIn(5))
        _ = wire.say(message { MessageEncoder.subscribed(.raw("6"), name: "l", isComplete: false, resumed: false, into: &$0) })
        #expect(wire.list("l")?.rows.count == 2)
        let events = wire.say(message { MessageEncoder.initial(name: "l", index: 0, objects: [task("z")][...], completeAt: 9, into: &$0) })
        #expect(events.map(\.word) == ["initial l true"])
        #expect(wire.list("l")?.rows == [task("z")])
    }

    @Test("A position in another history is not mentioned")
    func otherHistory() throws {
        let wire = try established()
        _ = wire.disconnect()
        _ = try wire.connect()
        _ = wire.texts()
        _ = wire.say(info(4, epoch: "e2"))
        _ = wire.say(loggedIn(5))
        let sent = wire.texts()
        #expect(sent.count == 1)
        #expect(!sent[0].contains("since") && !sent[0].contains("epoch"))
    }

    @Test("A list that was cut off in the middle begins again")
    func halfway() throws {
        let wire = try Wire()
        _ = try wire.connect()
        let login = wire.session.login(.nickname("ann"), &wire.workspace)
        _ = wire.say(loggedIn(login))
        let id = wire.session.subscribe(SubscribeParams("l", to: Self.tasks), &wire.workspace)
        _ = wire.say(message { MessageEncoder.subscribed(.raw("\(id)"), name: "l", isComplete: false, resumed: nil, into: &$0) })
        _ = wire.say(message { MessageEncoder.initial(name: "l", index: 0, objects: [task("a")][...], completeAt: nil, into: &$0) })
        _ = wire.disconnect()
        _ = try wire.connect()
        _ = wire.texts()
        _ = wire.say(loggedIn(id + 2))
        let sent = wire.texts()
        #expect(sent.count == 1)
        #expect(!sent[0].contains("since"))
    }

    @Test("What is asked for between two connections waits for the next")
    func waiting() throws {
        let wire = try established()
        _ = wire.disconnect()
        let query = wire.session.query(QueryParams(Self.tasks), &wire.workspace)
        _ = try wire.connect()
        #expect(wire.texts().count == 2)
        _ = wire.say(loggedIn(query + 2))
        #expect(wire.texts().contains { $0.contains(#""method":"query""#) })
        let answer = message { MessageEncoder.queryResult(.raw("\(query)"), version: 4, objects: [task("a")], into: &$0) }
        #expect(wire.say(answer).map(\.word) == ["result \(query)"])
    }

    @Test("A registration and a write without txn are given up, as doing them twice would be wrong")
    func notRepeated() throws {
        let wire = try established()
        let register = wire.session.register(username: "bob", password: "12345678", &wire.workspace)
        let write = wire.session.write(txn: nil, [.delete(.item, id: "a")], &wire.workspace)
        #expect(wire.disconnect() == [register, write])
        // Asked for between the connections, both are sent once.
        let later = wire.session.write(txn: nil, [.delete(.item, id: "b")], &wire.workspace)
        _ = try wire.connect()
        _ = wire.say(loggedIn(later + 2))
        #expect(wire.texts().filter { $0.contains(#""method":"write""#) }.count == 1)
        #expect(wire.disconnect() == [later])
    }

    @Test("A token that is not taken any more logs the session out, without its lists")
    func loggedOut() throws {
        let wire = try established()
        _ = wire.disconnect()
        _ = try wire.connect()
        _ = wire.texts()
        #expect(wire.say(failure(5, -32009)).map(\.word) == ["loggedOut -32009"])
        #expect(wire.login == nil)
        #expect(wire.list("l") == nil)
        #expect(wire.texts().isEmpty)
        #expect(wire.isOpen)
    }

    @Test("A list that was asked for twice is there when one request is accepted and the other refused")
    func askedTwice() throws {
        let wire = try established()
        _ = wire.disconnect()
        let params = SubscribeParams("m", to: Self.tasks)
        let first = wire.session.subscribe(params, &wire.workspace)
        _ = try wire.connect()
        // Its list goes with all others; the request itself is still sent.
        _ = wire.say(failure(first + 2, -32009))
        #expect(wire.list("m") == nil)
        let second = wire.session.subscribe(params, &wire.workspace)
        _ = wire.say(message { MessageEncoder.subscribed(.raw("\(first)"), name: "m", isComplete: false, resumed: nil, into: &$0) })
        _ = wire.say(message { MessageEncoder.initial(name: "m", index: 0, objects: [task("a")][...], completeAt: 4, into: &$0) })
        #expect(wire.say(failure(second, -32009)).map(\.word) == ["failure \(second) -32009"])
        #expect(wire.list("m")?.rows.count == 1)
    }

    @Test("After a log-out nothing is restored")
    func logOut() throws {
        let wire = try established()
        let id = wire.session.logout(everywhere: false, &wire.workspace)
        _ = wire.say(message { MessageEncoder.empty(.raw("\(id)"), into: &$0) })
        #expect(wire.list("l") == nil)
        _ = wire.disconnect()
        #expect(try wire.connect().map(\.word) == ["opened"])
        #expect(wire.texts().count == 1)
    }
}

// MARK: Messages

private func request(_ id: Int64, _ method: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{}}"#
}

private func info(_ id: Int64, epoch: String) -> String {
    let info = ServerInfo(server: "test", providers: ["nickname"], limits: [], epoch: epoch, now: Timestamp(milliseconds: 0))
    return message { MessageEncoder.info(.raw("\(id)"), info, into: &$0) }
}

private func loggedIn(_ id: Int64) -> String {
    let login = LoginResult(userId: "u1", name: "ann", isAdmin: false, token: "secret", expiresAt: Timestamp(milliseconds: 0))
    return message { MessageEncoder.login(.raw("\(id)"), login, into: &$0) }
}

private func failure(_ id: Int64, _ code: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"No."}}"#
}

private func change(_ version: Int64, _ update: String) -> String {
    #"{"jsonrpc":"2.0","method":"change","params":{"version":\#(version),"by":["u1"],"updates":[\#(update)]}}"#
}

/// A list `l` of these tasks, complete.
private func subscribe(_ wire: Wire, rows: [Object], version: Int64 = 1) {
    let query = QueryText(.item, filter: "projectId == $0", args: [.value("p1")], sort: ["position"])
    let id = wire.session.subscribe(SubscribeParams("l", to: query), &wire.workspace)
    _ = wire.say(message { MessageEncoder.subscribed(.raw("\(id)"), name: "l", isComplete: false, resumed: nil, into: &$0) })
    _ = wire.say(message { MessageEncoder.initial(name: "l", index: 0, objects: rows[...], completeAt: version, into: &$0) })
}
