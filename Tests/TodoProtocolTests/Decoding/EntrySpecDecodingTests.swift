import Testing
import Todo
import TodoProtocol

@Suite("The changes of a write")
struct EntrySpecDecodingTests {
    /// One change that is refused, as the second of two: its path begins with `changes[1]`.
    private static func refused(_ change: String, _ reason: Reason, _ path: String?) -> RefusedParams {
        RefusedParams(
            "write", #"{"changes":[{"delete":"Item","id":"i1"},\#(change)]}"#, reason, path.map { "changes[1].\($0)" } ?? "changes[1]")
    }

    static let shapes: [RefusedParams] = [
        refused("null", .wrongType, nil),
        refused("[]", .wrongType, nil),
        refused("{}", .oneVerb, nil),
        refused(#"{"create":null}"#, .oneVerb, nil),
        refused(#"{"create":"Item","delete":"Item","id":"i1"}"#, .oneVerb, nil),
        refused(#"{"id":"i1","set":{}}"#, .oneVerb, nil),
        refused(#"{"updte":"Item","id":"i1","set":{}}"#, .unknownParameter, "updte"),
        refused(#"{"create":"Item","object":{"projectId":"p1","body":""},"note":1}"#, .unknownParameter, "note"),
        refused(#"{"create":"Item","object":{"projectId":"p1","body":""},"id":"i1"}"#, .unknownParameter, "id"),
        refused(#"{"upsert":"Item","set":{}}"#, .unknownParameter, "set"),
        refused(#"{"delete":"Item","id":"i1","set":{}}"#, .unknownParameter, "set"),
        refused(#"{"move":"Item","id":"i1","to":"end","if":{}}"#, .unknownParameter, "if"),
        refused(#"{"create":7}"#, .wrongType, "create"),
        refused(#"{"create":"Task"}"#, .unknownClass, "create"),
        refused(#"{"create":"User","object":{"name":"x"}}"#, .keptByServer, "create"),
        refused(#"{"update":"User","id":"u1","set":{"name":"x"}}"#, .keptByServer, "update"),
        refused(#"{"delete":"User","filter":"TRUEPREDICATE"}"#, .keptByServer, "delete"),
        refused(#"{"create":"Item"}"#, .missing, "object"),
        refused(#"{"create":"Item","object":null}"#, .missing, "object"),
        refused(#"{"create":"Item","object":[]}"#, .wrongType, "object"),
        refused(#"{"update":"Item","id":"i1"}"#, .missing, "set"),
        refused(#"{"update":"Item","set":{}}"#, .missing, "id"),
        refused(#"{"delete":"Item"}"#, .missing, "id"),
        refused(#"{"delete":"Item","id":null,"filter":null}"#, .missing, "id"),
        refused(#"{"delete":"Item","id":"i1","filter":"x"}"#, .oneOf, "filter"),
        refused(#"{"delete":"Item","id":"i1","args":[1]}"#, .oneOf, "args"),
        refused(#"{"delete":"Item","filter":"x","if":{"isDone":true}}"#, .oneOf, "if"),
        refused(#"{"update":"Item","filter":"x","set":{},"if":{}}"#, .oneOf, "if"),
        refused(#"{"delete":"Item","id":7}"#, .wrongType, "id"),
        refused(#"{"delete":"Item","id":"a b"}"#, .invalidId, "id"),
        refused(#"{"delete":"Item","id":"a\u0000"}"#, .nul, "id"),
        refused(#"{"delete":"Permission","id":"p1"}"#, .invalidId, "id"),
        refused(#"{"delete":"Item","filter":7}"#, .wrongType, "filter"),
        refused(#"{"delete":"Item","filter":"\u0000"}"#, .nul, "filter"),
        refused(#"{"delete":"Item","filter":"x","args":[{}]}"#, .wrongType, "args[0]"),
    ]

    static let fields: [RefusedParams] = [
        refused(#"{"create":"Item","object":{"projectId":"p1"}}"#, .missing, "object.body"),
        refused(#"{"create":"Item","object":{"body":"x"}}"#, .missing, "object.projectId"),
        refused(#"{"create":"Project","object":{}}"#, .missing, "object.name"),
        refused(#"{"create":"Permission","object":{"userId":"u","role":"viewer"}}"#, .missing, "object.projectId"),
        refused(#"{"create":"Permission","object":{"projectId":"p","role":"viewer"}}"#, .missing, "object.userId"),
        refused(#"{"create":"Permission","object":{"projectId":"p","userId":"u"}}"#, .missing, "object.role"),
        refused(#"{"upsert":"Item","object":{"body":"x"}}"#, .missing, "object.projectId"),
        refused(#"{"upsert":"Project","object":{"access":"private"}}"#, .missing, "object.name"),
        refused(#"{"upsert":"Permission","object":{"userId":"u","role":"viewer"}}"#, .missing, "object.projectId"),
        refused(#"{"create":"Item","object":{"projectId":"p1","bdy":"x"}}"#, .unknownField, "object.bdy"),
        refused(#"{"create":"Project","object":{"name":"x","creator":"u1"}}"#, .unknownField, "object.creator"),
        refused(#"{"update":"Item","id":"i1","set":{"Body":"x"}}"#, .unknownField, "set.Body"),
        refused(#"{"update":"Item","id":"i1","set":{"body":"x"},"if":{"nope":1}}"#, .unknownField, "if.nope"),
        refused(
            #"{"create":"Item","object":{"projectId":"p1","body":"x","timestamp":"2026-11-30T01:02:03Z"}}"#, .keptByServer,
            "object.timestamp"),
        refused(#"{"create":"Item","object":{"projectId":"p1","body":"x","createdBy":"u1"}}"#, .keptByServer, "object.createdBy"),
        refused(#"{"create":"Item","object":{"projectId":"p1","body":"x","position":null}}"#, .keptByServer, "object.position"),
        refused(#"{"upsert":"Project","object":{"projectId":"p1","owner":"u2"}}"#, .keptByServer, "object.owner"),
        refused(
            #"{"upsert":"Permission","object":{"permissionId":"p:u","projectId":"p","userId":"u"}}"#, .keptByServer, "object.permissionId"),
        refused(#"{"update":"Item","id":"i1","set":{"completedAt":null}}"#, .keptByServer, "set.completedAt"),
        refused(#"{"update":"Item","id":"i1","set":{"attachments":[]}}"#, .keptByServer, "set.attachments"),
        refused(#"{"update":"Project","id":"p1","set":{"itemCount":0}}"#, .keptByServer, "set.itemCount"),
        refused(#"{"update":"Item","id":"i1","set":{"itemId":"i2"}}"#, .immutable, "set.itemId"),
        refused(#"{"update":"Permission","id":"p:u","set":{"userId":"u2"}}"#, .immutable, "set.userId"),
        refused(#"{"update":"Item","filter":"x","set":{"itemId":"i2"}}"#, .immutable, "set.itemId"),
        refused(#"{"update":"Item","id":"i1","set":{"dueDate":"tomorrow"}}"#, .invalidDate, "set.dueDate"),
        refused(#"{"update":"Item","id":"i1","set":{"dueDate":"2026-02-30T00:00:00Z"}}"#, .invalidDate, "set.dueDate"),
        refused(#"{"update":"Item","id":"i1","set":{"dueDate":1796000523123}}"#, .wrongType, "set.dueDate"),
        refused(#"{"update":"Item","id":"i1","set":{"dueDate":"2026\u0000"}}"#, .nul, "set.dueDate"),
        refused(#"{"update":"Item","id":"i1","set":{"isDone":1}}"#, .wrongType, "set.isDone"),
        refused(#"{"update":"Item","id":"i1","set":{"isDone":null}}"#, .wrongType, "set.isDone"),
        refused(#"{"update":"Item","id":"i1","set":{"body":["x"]}}"#, .wrongType, "set.body"),
        refused(#"{"update":"Item","id":"i1","set":{"body":{"x":1}}}"#, .wrongType, "set.body"),
        refused(#"{"update":"Item","id":"i1","set":{"body":"a\u0000b"}}"#, .nul, "set.body"),
        refused(#"{"update":"Item","id":"i1","set":{"priority":4}}"#, .outOfRange, "set.priority"),
        refused(#"{"update":"Item","id":"i1","set":{"priority":1.5}}"#, .wrongType, "set.priority"),
        refused(#"{"update":"Item","id":"i1","set":{"priority":1e30}}"#, .outOfRange, "set.priority"),
        refused(#"{"update":"Item","id":"i1","set":{"projectId":""}}"#, .invalidId, "set.projectId"),
        refused(#"{"update":"Project","id":"p1","set":{"name":""}}"#, .tooShort, "set.name"),
        refused(#"{"update":"Project","id":"p1","set":{"access":"public"}}"#, .unknownWord, "set.access"),
        refused(#"{"update":"Permission","id":"p:u","set":{"role":"admin"}}"#, .unknownWord, "set.role"),
        refused(#"{"create":"Item","object":{"itemId":"a b","projectId":"p1","body":"x"}}"#, .invalidId, "object.itemId"),
        refused(#"{"update":"Item","id":"i1","set":{},"if":{"isDone":"no"}}"#, .wrongType, "if.isDone"),
        refused(#"{"update":"Item","id":"i1","set":{},"if":{"attachments":[1]}}"#, .wrongType, "if.attachments[0]"),
        refused(#"{"update":"Item","id":"i1","set":{},"if":7}"#, .wrongType, "if"),
    ]

    static let moves: [RefusedParams] = [
        refused(#"{"move":"Project","id":"p1","to":"end"}"#, .unknownClass, "move"),
        refused(#"{"move":"Item","to":"end"}"#, .missing, "id"),
        refused(#"{"move":"Item","id":"i1"}"#, .oneOf, nil),
        refused(#"{"move":"Item","id":"i1","to":"end","before":"i2"}"#, .oneOf, nil),
        refused(#"{"move":"Item","id":"i1","after":"i3","before":"i2"}"#, .oneOf, nil),
        refused(#"{"move":"Item","id":"i1","to":"top"}"#, .unknownWord, "to"),
        refused(#"{"move":"Item","id":"i1","to":1}"#, .wrongType, "to"),
        refused(#"{"move":"Item","id":"i1","after":"a b"}"#, .invalidId, "after"),
    ]

    @Test("are refused by shape, with the place", arguments: shapes)
    func refusedShapes(_ example: RefusedParams) throws { try example.verify() }

    @Test("are refused by field, with the place", arguments: fields)
    func refusedFields(_ example: RefusedParams) throws { try example.verify() }

    @Test("are refused as moves, with the place", arguments: moves)
    func refusedMoves(_ example: RefusedParams) throws { try example.verify() }

    private func entries(_ changes: String) throws -> [EntrySpec] {
        guard case .write(let params) = try call("write", #"{"changes":[\#(changes)]}"#) else { throw UnexpectedOutcome("no write") }
        return params.entries
    }

    @Test("are read as in the protocol's example")
    func example() throws {
        let text = """
            {"jsonrpc":"2.0","id":7,"method":"write","params":{"txn":"4f0c","changes":[
             {"create":"Item","object":{"projectId":"p1","body":"Buy milk"}},
             {"update":"Item","id":"i7","set":{"isDone":true},"if":{"isDone":false}},
             {"upsert":"Item","object":{"itemId":"i8","projectId":"p1","body":"Eggs"}},
             {"delete":"Item","id":"i9"},
             {"move":"Item","id":"i7","after":"i8"},
             {"update":"Item","filter":"projectId == $0 AND isDone == false","args":["p1"],"set":{"isDone":true}},
             {"delete":"Item","filter":"projectId == $0","args":["p1"]}]}}
            """
        guard case .call(.write(let params)) = try request(text).body else { throw UnexpectedOutcome("no write") }
        #expect(params.txn == "4f0c")
        let entries = params.entries
        #expect(entries.count == 7)
        guard case .create(.item, let created) = entries[0], case .update(.item, "i7", let set, let condition) = entries[1],
            case .upsert(.item, let upserted) = entries[2], case .delete(.item, "i9", let none) = entries[3],
            case .move("i7", .after("i8")) = entries[4],
            case .updateMatching(.item, "projectId == $0 AND isDone == false", let args, let all) = entries[5],
            case .deleteMatching(.item, "projectId == $0", [.value(.string("p1"))]) = entries[6]
        else { throw UnexpectedOutcome("\(entries)") }
        #expect(named(created, of: .item) == ["projectId": .string("p1"), "body": .string("Buy milk")])
        #expect(named(set, of: .item) == ["isDone": .boolean(true)])
        #expect(named(condition, of: .item) == ["isDone": .boolean(false)])
        #expect(named(upserted, of: .item) == ["itemId": .string("i8"), "projectId": .string("p1"), "body": .string("Eggs")])
        #expect(none.isEmpty)
        #expect(args == [.value(.string("p1"))])
        #expect(named(all, of: .item) == ["isDone": .boolean(true)])
    }

    @Test("take each value in every way that it may be written")
    func values() throws {
        let set = """
            {"isDone":true,"priority":3.0,"notes":"\\u00e9e\\u0301\\n","assignee":null,"projectId":"p2","dueDate":"2026-11-30T03:02:03.123987+02:00"}
            """
        guard case .update(.item, "i1", let values, _) = try entries(#"{"update":"Item","id":"i1","set":\#(set)}"#).first else {
            throw UnexpectedOutcome("no update")
        }
        let expected: [String: Value] = [
            "isDone": .boolean(true), "priority": .integer(3), "notes": .string("\u{E9}e\u{301}\n"), "assignee": .null,
            "projectId": .string("p2"), "dueDate": .date(try #require(Timestamp(rfc3339: "2026-11-30T01:02:03.123Z"))),
        ]
        #expect(named(values, of: .item) == expected)
    }

    @Test("may name what the server keeps in a condition, and what a field could not hold")
    func conditions() throws {
        let condition = """
            {"itemId":"i1","completedAt":null,"timestamp":"2026-11-30T01:02:03Z","createdBy":"no id","priority":9,"attachments":["a"],"body":""}
            """
        guard case .delete(.item, "i1", let values) = try entries(#"{"delete":"Item","id":"i1","if":\#(condition)}"#).first else {
            throw UnexpectedOutcome("no delete")
        }
        let found = named(values, of: .item)
        #expect(found.count == 7)
        #expect(found["priority"] == .integer(9))
        #expect(found["attachments"] == .strings(["a"]))
        #expect(found["completedAt"] == .null)
    }

    @Test("may lack what an upsert with a key needs only where it inserts")
    func upsertWithKey() throws {
        let found = try entries(
            """
            {"upsert":"Item","object":{"itemId":"i1","body":"x"}},{"upsert":"Project","object":{"projectId":"p1"}},
            {"upsert":"Permission","object":{"projectId":"p1","userId":"u1"}}
            """)
        guard case .upsert(.item, let item) = found[0], case .upsert(.project, let project) = found[1],
            case .upsert(.permission, let permission) = found[2]
        else { throw UnexpectedOutcome("\(found)") }
        #expect(ClassName.item.missingField(in: item)?.name == "projectId")
        #expect(ClassName.project.missingField(in: project)?.name == "name")
        #expect(ClassName.permission.missingField(in: permission)?.name == "role")
    }

    @Test("may be a project with a name alone, or with a key of the client's choice")
    func projects() throws {
        let found = try entries(#"{"create":"Project","object":{"name":"x"}},{"create":"Project","object":{"projectId":"p-1","name":"x"}}"#)
        guard case .create(.project, let first) = found[0], case .create(.project, let second) = found[1] else {
            throw UnexpectedOutcome("\(found)")
        }
        #expect(first.count == 1)
        #expect(named(second, of: .project)["projectId"] == .string("p-1"))
    }

    @Test("that are moves go to each of the four kinds of places")
    func places() throws {
        let found = try entries(
            """
            {"move":"Item","id":"a","to":"start"},{"move":"Item","id":"a","to":"end"},{"move":"Item","id":"a","before":"b","after":null},
            {"move":"Item","id":"a","after":"b"}
            """)
        guard case .move("a", .start) = found[0], case .move("a", .end) = found[1], case .move("a", .before("b")) = found[2],
            case .move("a", .after("b")) = found[3]
        else { throw UnexpectedOutcome("\(found)") }
    }

    @Test("may be none, and 1,000, but no more")
    func count() throws {
        #expect(try entries("").isEmpty)
        let one = #"{"delete":"Item","id":"i1"}"#
        #expect(try entries(Array(repeating: one, count: 1_000).joined(separator: ",")).count == 1_000)
        let error = try badParams("write", #"{"changes":["# + Array(repeating: "0", count: 1_001).joined(separator: ",") + "]}")
        #expect(error.code == .limit)
        #expect(error.reason == "limit")
        #expect(error.limit == "changes")
        #expect(error.maximum == 1_000)
        #expect(error.path == "changes")
    }

    @Test("name the entry's place however far back it stands")
    func farPath() throws {
        let changes = Array(repeating: #"{"delete":"Item","id":"i1"}"#, count: 999).joined(separator: ",")
        let error = try badParams("write", #"{"changes":[\#(changes),{"update":"Item","id":"i1","set":{"dueDate":7}}]}"#)
        #expect(error.path == "changes[999].set.dueDate")
    }

    @Test("name the user of a permission by name, in a normalised form, where they have no id")
    func grants() throws {
        let found = try entries(#"{"upsert":"Permission","object":{"projectId":"p1","userName":"Ben","role":"viewer"}}"#)
        let entry = try found[0].entry(
            normalised: { name throws(Refusal) in name.lowercased() },
            predicate: { className, filter, args throws(Refusal) in
                try Predicate.parse(filter, of: className, args: args, user: "u1")
            })
        guard case .grant("ben", let values, true) = entry else { throw UnexpectedOutcome("\(entry)") }
        #expect(values.map(\.value) == [.string("p1"), .string("viewer")])
        for (object, reason, path) in [
            (#"{"projectId":"p1","userName":"B","userId":"u1","role":"viewer"}"#, "oneOf", "changes[0].object.userName"),
            (#"{"projectId":"p1","userName":7,"role":"viewer"}"#, "wrongType", "changes[0].object.userName"),
            (#"{"userName":"B","role":"viewer"}"#, "missing", "changes[0].object.projectId"),
            (#"{"projectId":"p1","userName":"B","role":"king"}"#, "unknownWord", "changes[0].object.role"),
        ] {
            let error = try badParams("write", #"{"changes":[{"upsert":"Permission","object":\#(object)}]}"#)
            #expect(error.reason == reason)
            #expect(error.path == path)
        }
    }

    @Test("become the store's entries once their filters are compiled")
    func compiled() throws {
        let found = try entries(#"{"delete":"Item","filter":"isDone == $0","args":[true]},{"delete":"Item","id":"i1"}"#)
        var compiled: [String] = []
        let entries = try found.map { spec in
            try spec.entry(
                normalised: { name throws(Refusal) in name.lowercased() },
                predicate: { className, filter, args throws(Refusal) in
                    compiled.append(filter)
                    return try Predicate.parse(filter, of: className, args: args, user: "u1")
                })
        }
        #expect(compiled == ["isDone == $0"])
        guard case .deleteMatching(.item, _) = entries[0], case .delete(.item, "i1", _) = entries[1] else {
            throw UnexpectedOutcome("\(entries)")
        }
    }
}
