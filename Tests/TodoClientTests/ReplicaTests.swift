import Testing
import Todo
import TodoClient
import TodoProtocol

@Suite("A replica of a list")
struct ReplicaTests {
    private func replica(_ count: Int, isStrict: Bool = true) throws -> Replica {
        var replica = Replica(of: .item, isStrict: isStrict)
        let rows = (0..<count).map { task("i\($0)", body: "b\($0)") }
        try replica.apply(try part(0, rows, completeAt: 1))
        return replica
    }

    private func keys(_ replica: Replica) -> [String] { replica.rows.map(\.key) }

    @Test("Deletions, insertions and modifications are applied with Realm's meaning of the indices", arguments: [true, false])
    func order(isStrict: Bool) throws {
        var replica = try replica(5, isStrict: isStrict)
        // i1 leaves, i4 moves to the top with another body, i2 changes where it stands.
        let update = try update(
            #"{"name":"l","deletions":[1,4],"insertions":[{"index":0,"from":4,"set":{"body":"new"}}],"modifications":[{"index":2,"set":{"priority":3}}]}"#
        )
        try replica.apply(update, version: 7)
        #expect(keys(replica) == ["i4", "i0", "i2", "i3"])
        #expect(replica.rows[0]["body"] == "new")
        #expect(replica.rows[2]["priority"] == 3)
        #expect(replica.version == 7)
    }

    @Test("A modification names its row by the places before and after")
    func modificationFrom() throws {
        var replica = try replica(4)
        let update = try update(#"{"name":"l","deletions":[0],"modifications":[{"index":1,"from":2,"set":{"isDone":true}}]}"#)
        try replica.apply(update, version: 2)
        #expect(keys(replica) == ["i1", "i2", "i3"])
        #expect(replica.rows[1]["isDone"] == true)
    }

    @Test("Parts build the list, and the first starts it from nothing")
    func parts() throws {
        var replica = try replica(3)
        try replica.apply(try part(0, [task("a"), task("b")], completeAt: nil))
        #expect(!replica.isComplete)
        try replica.apply(try part(2, [task("c")], completeAt: 9))
        #expect(keys(replica) == ["a", "b", "c"])
        #expect(replica.isComplete && replica.version == 9)
    }

    @Test("Parts that don't join on, or come too late, are refused")
    func badParts() throws {
        var replica = Replica(of: .item, isStrict: true)
        try replica.apply(try part(0, [task("a")], completeAt: nil))
        #expect(throws: ReplicaFault.self) {
            try replica.apply(try part(2, [task("c")], completeAt: 1))
        }
        try replica.apply(try part(1, [task("b")], completeAt: 1))
        #expect(throws: ReplicaFault.self) {
            try replica.apply(try part(2, [task("c")], completeAt: 1))
        }
        #expect(throws: ReplicaFault.self) {
            try replica.apply(try part(0, [task("x"), task("x")], completeAt: 1))
        }
    }

    @Test(
        "Places outside the list, or out of order, are refused always",
        arguments: [
            #""deletions":[5]"#, #""deletions":[2,2]"#, #""deletions":[2,1]"#, #""insertions":[{"index":7,"from":0,"set":{}}]"#,
            #""deletions":[0],"insertions":[{"index":1,"from":9,"set":{}}]"#, #""modifications":[{"index":5,"set":{"priority":1}}]"#,
            #""modifications":[{"index":2,"set":{"priority":1}},{"index":1,"set":{"priority":1}}]"#,
            #""deletions":[0,1,2,3],"modifications":[{"index":1,"set":{"priority":1}}]"#,
        ])
    func outside(members: String) throws {
        for isStrict in [true, false] {
            var replica = try replica(5, isStrict: isStrict)
            let update = try update(#"{"name":"l","# + members + "}")
            #expect(throws: ReplicaFault.self) { try replica.apply(update, version: 2) }
        }
    }

    @Test(
        "A strict replica refuses what a correct server never says",
        arguments: [
            "", #""insertions":[{"index":0,"from":4,"set":{"body":"x"}}]"#, #""modifications":[{"index":1,"set":{}}]"#,
            #""modifications":[{"index":1,"set":{"body":"b1"}}]"#, #""modifications":[{"index":1,"set":{"itemId":"other"}}]"#,
            #""deletions":[0],"modifications":[{"index":1,"set":{"priority":1}}]"#,
            #""deletions":[1],"modifications":[{"index":0,"from":1,"set":{"priority":1}}]"#,
            #""deletions":[3,4],"insertions":[{"index":0,"from":4,"set":{"body":"x"}},{"index":1,"from":4,"set":{"body":"y"}}]"#,
            #""deletions":[4],"insertions":[{"index":0,"from":4,"set":{"body":"x"}}],"modifications":[{"index":0,"set":{"priority":1}}]"#,
            #""state":"complete""#,
        ])
    func strict(members: String) throws {
        var replica = try replica(5)
        let update = try update(members.isEmpty ? #"{"name":"l"}"# : #"{"name":"l","# + members + "}")
        #expect(throws: ReplicaFault.self) { try replica.apply(update, version: 2) }
    }

    @Test("A key that comes twice is found")
    func twice() throws {
        var replica = try replica(3)
        let row = message { MessageEncoder.object(task("i1", body: "again"), into: &$0) }
        let update = try update(#"{"name":"l","insertions":[{"index":0,"object":"# + row + "}]}")
        #expect(throws: ReplicaFault.self) { try replica.apply(update, version: 2) }
    }

    @Test("The version never falls, and nothing changes before the list is complete")
    func versions() throws {
        let change = try update(#"{"name":"l","deletions":[0]}"#)
        var replica = try replica(3)
        try replica.apply(change, version: 5)
        #expect(throws: ReplicaFault.self) { try replica.apply(change, version: 4) }
        var empty = Replica(of: .item, isStrict: true)
        #expect(throws: ReplicaFault.self) { try empty.apply(change, version: 5) }
    }
}
