import Testing
import Todo

/// The rows of a list as they were at one moment.
struct ListWindowTests {
    private func item(_ number: Int, _ body: String = "b") -> Object {
        let fields = ClassName.item.schema.fields
        return Object(
            .item,
            fields.enumerated().map { place, field in
                switch place {
                case 0: .string("i\(number)")
                case ItemField.projectId: .string("p")
                case ItemField.body: .string(body)
                case ItemField.timestamp: .date(Timestamp(milliseconds: Int64(number)))
                case ItemField.position: .string("a")
                default: field.initial ?? .null
                }
            })
    }

    private func query(limit: Int? = nil) throws -> Query { try Query(.item, sort: ["timestamp"], limit: limit, user: "u") }

    @Test func `rows stay what they were, whatever happens to the list`() throws {
        var list = LiveList(query: try query(), rows: (0..<1000).map { item($0) })
        let window = list.present
        let before = list.window(0..<1000)
        _ = list.apply([("i0", nil), ("i500", item(500, "new")), ("i2000", item(2000))])
        for number in 700..<900 { _ = list.apply([("i\(number)", nil)]) }
        #expect(window.count == 1000)
        #expect(window[0..<1000] == before)
        #expect(list.present[0..<2000] == list.window(0..<2000))
        #expect(list.present.count == 800)
    }

    @Test func `a limit cuts it, and places behind the end are left out`() throws {
        let rows = (0..<10).reversed().map { item($0) }
        let window = ListWindow(query: try query(limit: 4), rows: rows)
        #expect(window.count == 4)
        #expect(window[2..<9].map(\.key) == ["i2", "i3"])
        #expect(window[4..<9].isEmpty)
        #expect(LiveList(query: try query(limit: 4), rows: rows).present[0..<9] == window[0..<9])
    }

    @Test func `its bytes are counted no further than is asked for`() throws {
        let window = ListWindow(query: try query(), rows: (0..<1000).map { item($0) })
        let all = window[0..<1000].reduce(0) { $0 + $1.approximateBytes }
        #expect(window.approximateBytes(upTo: .max) == all)
        #expect((1..<all).contains(window.approximateBytes(upTo: 1)))
    }
}
