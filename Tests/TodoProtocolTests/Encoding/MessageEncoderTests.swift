import Bytes
import Testing
import Todo
import TodoProtocol

@Suite("What the server sends")
struct MessageEncoderTests {
    static let itemText = """
        {"itemId":"i1","projectId":"p1","body":"Buy milk","isDone":false,"completedAt":null,"timestamp":"2026-11-30T01:02:03.123Z",\
        "dueDate":null,"notes":"","priority":0,"position":"a0","createdBy":"u1","assignee":null,"attachments":["x1","x2"]}
        """

    @Test("writes every shown field of an object in the order of the schema, and none that is hidden")
    func objects() {
        #expect(encoded { MessageEncoder.object(item(), into: &$0) } == Self.itemText)
        let expected = """
            {"projectId":"p1","owner":"u1","name":"Home","timestamp":"1970-01-01T00:00:00.000Z","itemCount":3,"openCount":2,"access":"private"}
            """
        #expect(encoded { MessageEncoder.object(project(), into: &$0) } == expected)
    }

    @Test("writes errors with what is known of them")
    func errors() {
        let plain = encoded { MessageEncoder.error(.raw("7.5"), .notLoggedIn, into: &$0) }
        #expect(
            plain
                == #"{"jsonrpc":"2.0","id":7.5,"error":{"code":-32001,"message":"Log in first, by 'login' or 'register'.","data":{"reason":"notLoggedIn"}}}"#
        )
        var full = ErrorResponse.limit("objects", maximum: 3, "Too \"many\".", path: "changes[0]")
        full.position = 4
        full.expected = "a field"
        full.retryAfter = 9
        let expected = """
            {"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Too \\"many\\".","data":{"reason":"limit","path":"changes[0]",\
            "position":4,"expected":"a field","limit":"objects","maximum":3,"retryAfter":9}}}
            """
        #expect(encoded { MessageEncoder.error(.absent, full, into: &$0) } == expected)
    }

    @Test("writes the result of each method")
    func results() {
        let id = RequestID.raw("1")
        func result(_ text: String) -> String { #"{"jsonrpc":"2.0","id":1,"result":\#(text)}"# }
        #expect(encoded { MessageEncoder.empty(id, into: &$0) } == result("{}"))
        let info = ServerInfo(
            server: "TodoSync 1", providers: ["password", "token"], limits: [("batch", 100)], epoch: "k3f9", now: Timestamp(milliseconds: 0)
        )
        let shown = """
            {"server":"TodoSync 1","protocol":"todosync.v1","providers":["password","token"],"limits":{"batch":100},"epoch":"k3f9",\
            "now":"1970-01-01T00:00:00.000Z"
            """
        #expect(encoded { MessageEncoder.info(id, info, into: &$0) } == result(shown + "}"))
        var later = info
        later.version = 41
        #expect(encoded { MessageEncoder.info(id, later, into: &$0) } == result(shown + #","version":41}"#))
        let login = LoginResult(userId: "u1", name: "Ann", isAdmin: false, token: "t", expiresAt: Timestamp(milliseconds: 1))
        let loggedIn = #"{"user":{"userId":"u1","name":"Ann","isAdmin":false},"token":"t","expiresAt":"1970-01-01T00:00:00.001Z"}"#
        #expect(encoded { MessageEncoder.login(id, login, into: &$0) } == result(loggedIn))
        #expect(
            encoded { MessageEncoder.subscribed(id, name: "a\"", isComplete: false, resumed: nil, into: &$0) }
                == result(#"{"name":"a\"","state":"pending"}"#))
        #expect(
            encoded { MessageEncoder.subscribed(id, name: "a", isComplete: true, resumed: false, into: &$0) }
                == result(#"{"name":"a","state":"complete","resumed":false}"#))
        #expect(
            encoded { MessageEncoder.queryResult(id, version: 3, objects: [], into: &$0) } == result(#"{"version":3,"objects":[]}"#))
        #expect(
            encoded { MessageEncoder.queryResult(id, version: 3, objects: [item()], into: &$0) }
                == result(#"{"version":3,"objects":[\#(Self.itemText)]}"#))
        #expect(
            encoded { MessageEncoder.writeResult(id, version: 43, ids: ["i10", nil, "i8"], isDuplicate: false, into: &$0) }
                == result(#"{"version":43,"ids":["i10",null,"i8"]}"#))
        #expect(
            encoded { MessageEncoder.writeResult(id, version: 43, ids: [], isDuplicate: true, into: &$0) }
                == result(#"{"version":43,"ids":[],"duplicate":true}"#))
    }

    @Test("joins the replies to a batch into one array")
    func batches() {
        let replies = [RequestID.raw("1"), .raw("\"b\"")].map { id in
            SharedBytes(utf8: encoded { MessageEncoder.empty(id, into: &$0) })
        }
        #expect(
            encoded { MessageEncoder.batch(replies, into: &$0) }
                == #"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}]"#)
    }

    @Test("writes one message after the other with one writer")
    func reuse() {
        var writer = JSONWriter()
        for number in 0..<3 {
            MessageEncoder.empty(.raw("\(number)"), into: &writer)
            #expect(writer.finish().string == #"{"jsonrpc":"2.0","id":\#(number),"result":{}}"#)
        }
    }
}

@Suite("Notifications of the server")
struct NotificationEncoderTests {
    private func list(_ rows: [Object], sort: [String] = [], limit: Int? = nil) throws -> LiveList {
        LiveList(query: try Query(.item, sort: sort, limit: limit, user: "u1"), rows: rows)
    }

    @Test("send a first list in parts, with the version at its end")
    func initial() {
        let rows = [item("i1"), item("i2")]
        let first = encoded { MessageEncoder.initial(name: "items", index: 0, objects: rows[0..<1], completeAt: nil, into: &$0) }
        let row = MessageEncoderTests.itemText
        #expect(
            first
                == #"{"jsonrpc":"2.0","method":"initial","params":{"name":"items","index":0,"objects":[\#(row)],"state":"pending"}}"#)
        let empty = encoded { MessageEncoder.initial(name: "items", index: 0, objects: [], completeAt: 41, into: &$0) }
        #expect(
            empty
                == #"{"jsonrpc":"2.0","method":"initial","params":{"name":"items","index":0,"objects":[],"state":"complete","version":41}}"#
        )
    }

    @Test("share the rows of a first list between names")
    func sharedRows() {
        let rows = [item("i1"), item("i2")]
        let fragment = SharedBytes(utf8: encoded { MessageEncoder.objects(rows[...], into: &$0) })
        for name in ["a", "b"] {
            let direct = encoded { MessageEncoder.initial(name: name, index: 7, objects: rows[...], completeAt: 3, into: &$0) }
            let shared = encoded { MessageEncoder.initial(name: name, index: 7, fragment: fragment, completeAt: 3, into: &$0) }
            #expect(shared == direct)
        }
    }

    @Test("of a change hold only what changed, in the order of the schema")
    func update() throws {
        let rows = [item("i1", priority: 1), item("i2", priority: 2), item("i3", priority: 3), item("i4", priority: 3)]
        var list = try list(rows, sort: ["priority"])
        // i1 moves behind i2, i2 keeps its place and is ticked, i3 goes, i5 comes.
        let outcome = list.apply([
            ("i1", item("i1", body: "New", priority: 3)), ("i2", item("i2", isDone: true, priority: 2)), ("i3", nil),
            ("i5", item("i5", priority: 0)),
        ])
        let applied = try #require(outcome)
        let text = encoded { MessageEncoder.update(name: "items", applied.diff, into: &$0) }
        let created = encoded { MessageEncoder.object(item("i5", priority: 0), into: &$0) }
        let expected = """
            {"name":"items","deletions":[0,2],"insertions":[{"index":0,"object":\(created)},\
            {"index":2,"from":0,"set":{"body":"New","priority":3}}],\
            "modifications":[{"index":1,"set":{"isDone":true,"completedAt":"2026-11-30T01:02:03.123Z"}}]}
            """
        #expect(text == expected)
    }

    @Test("of a change say where a modified row was, if it stood elsewhere")
    func modificationFrom() throws {
        var list = try list([item("i1"), item("i2")])
        let outcome = list.apply([("i0", item("i0")), ("i1", nil), ("i2", item("i2", priority: 3)), ("i1a", item("i1a"))])
        let applied = try #require(outcome)
        let text = encoded { MessageEncoder.update(name: "items", applied.diff, into: &$0) }
        #expect(text.hasSuffix(#""modifications":[{"index":2,"from":1,"set":{"priority":3}}]}"#))
    }

    @Test("of a change that only resumes carry name and state")
    func emptyUpdate() {
        let text = encoded { MessageEncoder.update(name: "items", ListDiff(), isComplete: true, into: &$0) }
        #expect(text == #"{"name":"items","state":"complete"}"#)
    }

    @Test("of a change put the lists' fragments together and name ten writers at most")
    func change() {
        let fragments = ["a", "b"].map { name in
            SharedBytes(utf8: encoded { MessageEncoder.update(name: name, ListDiff(), isComplete: true, into: &$0) })
        }
        #expect(
            encoded { MessageEncoder.change(version: 43, by: ["u1"], updates: fragments, into: &$0) }
                == #"{"jsonrpc":"2.0","method":"change","params":{"version":43,"by":["u1"],"updates":[{"name":"a","state":"complete"},{"name":"b","state":"complete"}]}}"#
        )
        let many = (0..<20).map { "u\($0)" }
        let text = encoded { MessageEncoder.change(version: 1, by: many, updates: [], into: &$0) }
        #expect(text.contains(#""u9"],"updates":[]"#))
    }

    @Test("tell the end of a subscription")
    func subscriptionEnded() {
        let error = ErrorResponse.internalError
        #expect(
            encoded { MessageEncoder.subscriptionEnded(name: "items", error, into: &$0) }
                == #"{"jsonrpc":"2.0","method":"error","params":{"name":"items","code":-32603,"message":"\#(error.message)"}}"#)
    }
}
