import Testing
import Todo

@Suite("Diffs of live lists: Realm's notification cases")
struct LiveListTests {
    private func rows(_ text: String) -> [Object] {
        text.split(separator: " ").map { word in
            let isOther = word.hasSuffix("'")
            let number = word.dropFirst().filter { $0 != "'" }
            // Tenths, so that `2.5` lies between two whole ones.
            let tenths = Int64((Double(number) ?? 0) * 10)
            return item(String(word.prefix(1)), ["priority": .integer(tenths), "body": .string(isOther ? "other" : "")])
        }
    }

    private func pairs(_ text: String) -> [[Int]] {
        text.split(separator: " ").map { $0.split(separator: "<").compactMap { Int($0) } }
    }

    @Test("Each case has its expected index sets", arguments: ListCase.realm)
    func indexSets(_ expected: ListCase) throws {
        let query = try Query(.item, sort: expected.sort, limit: expected.limit, user: "u1")
        let (before, after) = (rows(expected.before), rows(expected.after))
        var list = LiveList(query: query, rows: before.reversed())
        var journal = Journal()
        var applied: AppliedChange?
        let states = [before] + expected.between.map(rows) + [after]
        for (old, new) in zip(states, states.dropFirst()) {
            let keys = Set((old + new).map(\.key))
            applied = list.apply(keys.map { key in (key, new.first { $0.key == key }) })
            if let applied { journal.record(applied) }
        }
        let diff = list.diff(from: journal) ?? ListDiff()
        if expected.between.isEmpty { #expect(applied?.diff ?? ListDiff() == diff, "one commit is told as it is when merged") }
        #expect(diff.deletions == expected.deletions)
        #expect(diff.insertions.map { [$0.index] + ($0.from.map { [$0] } ?? []) } == pairs(expected.insertions))
        #expect(diff.modifications.map { $0.index == $0.from ? [$0.index] : [$0.index, $0.from] } == pairs(expected.modifications))
        var client = ClientList(Array(before.prefix(expected.limit ?? Int.max)))
        #expect(client.apply(diff) == nil)
        #expect(client.rows == Array(after.prefix(expected.limit ?? Int.max)), "the case's own lists are in the order that they state")
        #expect(list.window(0..<Int.max) == client.rows)
    }

    @Test("Applying nothing, or what is known already, reports nothing")
    func nothing() throws {
        var list = LiveList(query: try Query(.item, user: "u1"), rows: rows("a1 b2"))
        #expect(list.apply([]) == nil)
        #expect(list.apply([("a", rows("a1")[0]), ("x", nil)]) == nil)
        #expect(list.count == 2)
    }

    @Test("A key deleted and created again in one transaction is a modification or a move")
    func recreated() throws {
        var list = LiveList(query: try Query(.item, sort: ["priority"], user: "u1"), rows: rows("a1 b2 c3"))
        let kept = list.apply([("b", rows("b2'")[0])])
        let stays = try #require(kept).diff
        #expect(stays.deletions.isEmpty && stays.insertions.isEmpty && stays.modifications.map(\.index) == [1])
        let elsewhere = list.apply([("b", rows("b9")[0])])
        let moves = try #require(elsewhere).diff
        #expect(moves.deletions == [1] && moves.insertions.map(\.from) == [1] && moves.modifications.isEmpty)
    }

    @Test("A change beyond the window is reported to journals, with an empty diff")
    func beyondTheWindow() throws {
        var list = LiveList(query: try Query(.item, sort: ["priority"], limit: 1, user: "u1"), rows: rows("a1 b2"))
        let change = list.apply([("b", rows("b3")[0])])
        let applied = try #require(change)
        #expect(applied.diff.isEmpty)
        #expect(applied.replaced.map(\.key) == ["b"] && applied.replaced.map(\.old) == [rows("b2")[0]])
        #expect(list.object(forKey: "b") == rows("b3")[0])
    }

    @Test("A change of hidden fields alone is kept and not reported")
    func hiddenFields() throws {
        let place = ClassName.project.schema.shownCount
        try #require(place < ClassName.project.schema.fields.count)
        let before = project("p1")
        var after = before
        after[place] = .string("u9")
        var list = LiveList(query: try Query(.project, user: "u1"), rows: [before])
        #expect(list.apply([("p1", after)]) == nil)
        #expect(list.object(forKey: "p1") == after)
        var journal = Journal()
        journal.record(key: "p1", old: before)
        #expect(list.diff(from: journal) == nil)
    }

    @Test("The window gives its rows in parts")
    func parts() throws {
        let all = (0..<1000).map { item("i\($0)", ["priority": .integer(Int64($0 * 7 % 1000))]) }
        let sorted = all.sorted { ($0[8].integer ?? 0) < ($1[8].integer ?? 0) }
        let list = LiveList(query: try Query(.item, sort: ["priority"], limit: 700, user: "u1"), rows: all)
        #expect(list.count == 1000 && list.windowCount == 700)
        #expect(list.window(0..<250) + list.window(250..<500) + list.window(500..<750) == Array(sorted[..<700]))
        #expect(list.window(700..<800).isEmpty && list.window(5..<5).isEmpty)
    }

    @Test("Sort keys that differ in case only do not make a row move where case is folded")
    func foldedKeys() throws {
        let rows = ["A", "b", "C"].enumerated().map { item("i\($0)", ["body": .string($1)]) }
        var list = LiveList(query: try Query(.item, sort: ["body[c]"], user: "u1"), rows: rows)
        let applied = list.apply([("i1", item("i1", ["body": .string("B")]))])
        let diff = try #require(applied).diff
        #expect(diff.deletions.isEmpty && diff.insertions.isEmpty && diff.modifications.map(\.index) == [1])
    }
}

@Suite("Journals")
struct JournalTests {
    private func row(_ key: String, _ priority: Int64, _ body: String = "") -> Object {
        item(key, ["priority": .integer(priority), "body": .string(body)])
    }

    @Test("Many versions merge into one diff, which mentions nothing that came and went")
    func merged() throws {
        var list = LiveList(query: try Query(.item, sort: ["priority"], user: "u1"), rows: [row("a", 1), row("b", 2), row("c", 3)])
        let old = list.window(0..<Int.max)
        var journal = Journal()
        func apply(_ candidates: [(key: String, after: Object?)]) { if let applied = list.apply(candidates) { journal.record(applied) } }
        apply([("x", row("x", 0))])
        apply([("a", row("a", 9)), ("b", nil)])
        apply([("x", nil), ("b", row("b", 2, "again"))])
        apply([("a", row("a", 1)), ("d", row("d", 4))])
        #expect(journal.count == 4)
        let diff = try #require(list.diff(from: journal))
        #expect(diff.deletions.isEmpty)
        #expect(diff.insertions.map(\.index) == [3] && diff.insertions.map(\.object.key) == ["d"])
        #expect(diff.modifications.map(\.index) == [1] && diff.modifications.map(\.old) == [row("b", 2)])
        var client = ClientList(old)
        #expect(client.apply(diff) == nil)
        #expect(client.rows == list.window(0..<Int.max))
    }

    @Test("What changed and changed back is no difference")
    func netZero() throws {
        var list = LiveList(query: try Query(.item, sort: ["priority"], limit: 1, user: "u1"), rows: [row("a", 1), row("b", 2)])
        var journal = Journal()
        #expect(list.diff(from: journal) == nil)
        for priority in [3, 1] { if let applied = list.apply([("a", row("a", Int64(priority)))]) { journal.record(applied) } }
        #expect(journal.count == 1 && !journal.isEmpty)
        #expect(list.diff(from: journal) == nil)
    }

    @Test("The oldest state of a row counts")
    func oldest() throws {
        let list = LiveList(query: try Query(.item, user: "u1"), rows: [row("a", 3)])
        var journal = Journal()
        journal.record(key: "a", old: row("a", 1))
        journal.record(key: "a", old: row("a", 2))
        journal.record(key: "a", old: nil)
        #expect(try #require(list.diff(from: journal)).modifications.map(\.old) == [row("a", 1)])
        var absent = Journal()
        absent.record(key: "a", old: nil)
        absent.record(key: "a", old: row("a", 1))
        #expect(try #require(list.diff(from: absent)).insertions.map(\.from) == [nil])
    }
}
