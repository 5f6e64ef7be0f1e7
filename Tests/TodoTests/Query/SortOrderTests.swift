import Testing
import Todo

@Suite("Sort orders")
struct SortOrderTests {
    private func refusalOf(_ sort: [String]) -> Refusal? {
        do throws(Refusal) {
            _ = try SortOrder.parse(sort, of: .item)
            return nil
        } catch { return error }
    }

    private func sorted(_ sort: [String], _ objects: [Object]) throws -> [String] {
        let order = try SortOrder.parse(sort, of: .item)
        return objects.sorted { order.compare($0, $1) < 0 }.map(\.key)
    }

    @Test("Names, directions and case are read")
    func read() throws {
        let keys = try SortOrder.parse(["-dueDate", "body[c]", "-body[c]", "itemId"], of: .item).keys
        #expect(keys.map(\.isDescending) == [true, false, true, false])
        #expect(keys.map(\.foldsCase) == [false, true, true, false])
        #expect(keys.map { ClassName.item.schema.fields[$0.place].name } == ["dueDate", "body", "body", "itemId"])
    }

    private static let unsortable: [([String], String, String)] = [
        (["colour"], "sort[0]", "unknownField"), (["body", "-"], "sort[1]", "unknownField"), ([""], "sort[0]", "unknownField"),
        (["--body"], "sort[0]", "unknownField"), (["body[d]"], "sort[0]", "unknownField"), (["attachments"], "sort[0]", "wrongType"),
        (["priority[c]"], "sort[0]", "wrongType"), (["project.name"], "sort[0]", "unknownField"),
        (["+body"], "sort[0]", "unknownField"),
        (["creator"], "sort[0]", "unknownField"),
    ]

    @Test("A key that names nothing to sort by is refused at its place", arguments: unsortable)
    func refused(_ sort: [String], _ path: String, _ reason: String) throws {
        let refusal = try #require(refusalOf(sort))
        #expect(refusal.path == path)
        #expect(refusal.reason == reason)
        #expect(refusal.kind == .invalid)
    }

    @Test("The number of keys is bounded")
    func bounded() throws {
        #expect(refusalOf(Array(repeating: "body", count: 16)) == nil)
        #expect(refusalOf(Array(repeating: "body", count: 17))?.kind == .limit(name: "sortKeys", maximum: 16))
    }

    @Test("Ties are broken by the primary key, ascending, whatever the direction")
    func ties() throws {
        let rows = ["b", "c", "a"].map { item($0) }
        #expect(try sorted([], rows) == ["a", "b", "c"])
        #expect(try sorted(["-priority"], rows) == ["a", "b", "c"])
        #expect(try sorted(["-itemId"], rows) == ["c", "b", "a"])
    }

    @Test("Nulls come first ascending and last descending")
    func nulls() throws {
        let rows = [
            item("a", ["dueDate": .date(Timestamp(milliseconds: 2))]), item("b"),
            item("c", ["dueDate": .date(Timestamp(milliseconds: -1))]), item("d"),
        ]
        #expect(try sorted(["dueDate"], rows) == ["b", "d", "c", "a"])
        #expect(try sorted(["-dueDate"], rows) == ["a", "c", "b", "d"])
    }

    @Test("Texts are sorted by code point, or with their case folded")
    func texts() throws {
        let rows = [("a", "b"), ("b", "A"), ("c", "a"), ("d", "B"), ("e", "Ä"), ("f", "\u{1F600}"), ("g", "\u{FF5A}"), ("h", "")]
            .map { item($0, ["body": .string($1)]) }
        #expect(try sorted(["body"], rows) == ["h", "b", "d", "c", "a", "e", "g", "f"])
        #expect(try sorted(["body[c]"], rows) == ["h", "b", "c", "a", "d", "e", "g", "f"])
        #expect(try sorted(["-body[c]"], rows) == ["f", "g", "e", "a", "d", "b", "c", "h"])
        #expect(try sorted(["body[c]", "-body"], rows) == ["h", "c", "b", "a", "d", "e", "g", "f"])
        #expect(try sorted(["assignee[c]"], [item("a", ["assignee": .string("")]), item("b")]) == ["b", "a"])
    }

    @Test("Truth values and numbers are sorted by size")
    func others() throws {
        let rows = [
            item("a", ["isDone": .boolean(true), "priority": .integer(1)]), item("b", ["priority": .integer(3)]),
            item("c", ["isDone": .boolean(true), "priority": .integer(2)]),
        ]
        #expect(try sorted(["isDone", "-priority"], rows) == ["b", "c", "a"])
        #expect(try sorted(["-isDone", "priority"], rows) == ["a", "c", "b"])
    }
}

@Suite("Queries")
struct QueryTests {
    @Test("Queries are the same when class, filter text, args, sort and limit are")
    func identity() throws {
        func query(
            _ filter: String? = "priority == $0", _ args: [Argument] = [.value(.integer(1))], _ sort: [String] = ["body"], _ limit: Int? = 5
        ) throws -> Query {
            try Query(.item, filter: filter, args: args, sort: sort, limit: limit, user: "u1")
        }
        let one = try query()
        #expect(try one == query() && one.hashValue == query().hashValue)
        #expect(try one != query("priority == $0 "), "the text is compared, not its meaning")
        #expect(try one != query(args(2)) && one != query(args(1) + args(1)))
        #expect(try one != query("priority == $0", args(1), ["-body"]) && one != query("priority == $0", args(1), ["body[c]"]))
        #expect(try one != query("priority == $0", args(1), ["body"], 6) && one != query("priority == $0", args(1), ["body"], nil))
        #expect(try Query(.item, user: "u1") != Query(.project, user: "u1"))
        #expect(try Query(.item, filter: "", user: "u1") == Query(.item, user: "u1"))
        let (composed, decomposed) = (try query("body == '\u{E9}'"), try query("body == 'e\u{301}'"))
        #expect(composed != decomposed, "texts are compared byte for byte")

        func query(_ args: [Argument]) throws -> Query { try query("priority == $0", args) }
        func args(_ number: Int64) -> [Argument] { [.value(.integer(number))] }
    }

    @Test("No filter means all objects")
    func all() throws {
        #expect(try Query(.item, user: "u1").predicate == .all)
        #expect(try Query(.item, filter: "", user: "u1").predicate == .all)
        #expect(throws: Refusal.self) { try Query(.item, filter: " ", user: "u1") }
    }

    @Test("A limit is at least 1", arguments: [0, -1, Int.min])
    func limit(_ limit: Int) throws {
        let refusal = #expect(throws: Refusal.self) { try Query(.item, limit: limit, user: "u1") }
        #expect(refusal?.path == "limit")
        #expect(try Query(.item, limit: 1, user: "u1").limit == 1)
    }
}
