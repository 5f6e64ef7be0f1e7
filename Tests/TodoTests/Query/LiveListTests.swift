import Testing
import Todo

/// One commit on a list sorted by priority: the list before, the list after, and the diff that a client is sent.
///
/// Rows are written `key` and priority, such as `a1`; a `'` behind it gives the row another body. Equal rows are not touched,
/// unless `touched` names them.
struct ListCase: CustomTestStringConvertible, Sendable {
    let name: String
    let before: String
    let after: String
    let limit: Int?
    let deletions: [Int]
    /// `index`, or `index<from` for a row that moved.
    let insertions: String
    /// `index`, or `index<from` where the two differ.
    let modifications: String
    let sort: [String]

    init(
        _ name: String, _ before: String, _ after: String, limit: Int? = nil, deletions: [Int] = [], insertions: String = "",
        modifications: String = "", sort: [String] = ["priority"]
    ) {
        (self.name, self.before, self.after, self.limit, self.sort) = (name, before, after, limit, sort)
        (self.deletions, self.insertions, self.modifications) = (deletions, insertions, modifications)
    }

    var testDescription: String { name }
}

@Suite("Diffs of live lists: Realm's notification cases")
struct LiveListTests {
    private static let cases: [ListCase] = [
        // Rows that enter and leave.
        ListCase("nothing happens to no rows", "", ""),
        ListCase("the first row", "", "a1", insertions: "0"),
        ListCase("rows enter at the start, in the middle and at the end", "b2 d4", "a1 b2 c3 d4 e5", insertions: "0 2 4"),
        ListCase("rows leave at the start, in the middle and at the end", "a1 b2 c3 d4 e5", "b2 d4", deletions: [0, 2, 4]),
        ListCase("all rows leave", "a1 b2 c3", "", deletions: [0, 1, 2]),
        ListCase("all rows leave and others enter", "a1 b2", "c1 d2", deletions: [0, 1], insertions: "0 1"),
        ListCase("one row leaves and another enters at its place", "a1 b2 c3", "a1 x2 c3", deletions: [1], insertions: "1"),
        ListCase(
            "deletion places are of the old list, insertion places of the new", "a1 b2 c3 d4", "x0 c3 y3 d4", deletions: [0, 1],
            insertions: "0 2"),
        // Rows that change.
        ListCase("nothing changes", "a1 b2", "a1 b2"),
        ListCase("a row is modified", "a1 b2 c3", "a1 b2' c3", modifications: "1"),
        ListCase("every row is modified", "a1 b2 c3", "a1' b2' c3'", modifications: "0 1 2"),
        ListCase("a modified row behind a deletion has another index", "a1 b2 c3", "b2 c3'", deletions: [0], modifications: "1<2"),
        ListCase("a modified row behind an insertion has another index", "b2 c3", "a1 b2 c3'", insertions: "0", modifications: "2<1"),
        ListCase(
            "a row is modified, one leaves and one enters", "a1 b2 c3", "b2' c3 d4", deletions: [0], insertions: "2", modifications: "0<1"),
        ListCase("a sort key changes and the row stays where it is", "a1 b3 c5", "a1 b4 c5", modifications: "1"),
        ListCase("the only row's sort key changes", "a1", "a9", modifications: "0"),
        ListCase("every sort key changes and the order stays", "a1 b2 c3", "a4 b5 c6", modifications: "0 1 2"),
        // Rows that move.
        ListCase("a row moves to the end", "a1 b2 c3", "b2 c3 a4", deletions: [0], insertions: "2<0"),
        ListCase("a row moves to the start", "a1 b2 c3", "c0 a1 b2", deletions: [2], insertions: "0<2"),
        ListCase(
            "a row moves by one place: it moves, not its unchanged neighbour", "a1 b2 c3", "b2 a2.5 c3", deletions: [0], insertions: "1<0"),
        ListCase("a row moves and is modified in one commit", "a1 b2 c3", "b2 c3 a4'", deletions: [0], insertions: "2<0"),
        ListCase("a row moves and another is modified", "a1 b2 c3", "b2' c3 a4", deletions: [0], insertions: "2<0", modifications: "0<1"),
        ListCase(
            "a modified row without new sort keys never moves", "a1 b2 c3", "c0 a1' b2", deletions: [2], insertions: "0<2",
            modifications: "1<0"),
        ListCase("two rows swap: one of them stays", "a1 b2", "b1 a2", deletions: [0], insertions: "1<0", modifications: "0<1"),
        ListCase("two rows swap around an unchanged one: both move", "a1 b2 c3", "c1 b2 a3", deletions: [0, 2], insertions: "0<2 2<0"),
        ListCase(
            "the list turns round: one row stays", "a1 b2 c3 d4", "d1 c2 b3 a4", deletions: [0, 1, 2], insertions: "1<2 2<1 3<0",
            modifications: "0<3"),
        ListCase(
            "rows move past one another in a gap between unchanged ones", "a1 b2 c3 z9", "b4 c5 a6 z9", deletions: [0], insertions: "2<0",
            modifications: "0<1 1<2"),
        ListCase("a move, a deletion and an insertion", "a1 b2 c3 d4", "c3 x3 d4 a5", deletions: [0, 1], insertions: "1 3<0"),
        ListCase("a row moves to where a deleted one was", "a1 b2 c3 d4", "a1 d2 c3", deletions: [1, 3], insertions: "1<3"),
        // Equal sort keys: the primary key decides.
        ListCase("equal sort keys are in the order of the primary key", "a1 c1", "a1 b1 c1", insertions: "1"),
        ListCase("a row joins equal sort keys", "a1 b1 c2", "a1 b1 c1", modifications: "2"),
        ListCase("a row joins equal sort keys before others", "b1 c1 z2 a3", "a1 b1 c1 z2", deletions: [3], insertions: "0<3"),
        ListCase("a row among equals is modified", "a1 b1 c1", "a1 b1' c1", modifications: "1"),
        // Windows.
        ListCase("a row beyond the window comes in when one leaves", "a1 b2 c3", "b2 c3", limit: 2, deletions: [0], insertions: "1"),
        ListCase("the last row leaves the window when one enters", "a1 c3 d4", "a1 b2 c3 d4", limit: 2, deletions: [1], insertions: "1"),
        ListCase("a full window does not see a row behind it", "a1 b2", "a1 b2 c3", limit: 2),
        ListCase("a full window does not see changes behind it", "a1 b2 c3 d4", "a1 b2 c3' e9", limit: 2),
        ListCase("a row moves out of the window and the next comes in", "a1 b2 c3", "b2 c3 a4", limit: 2, deletions: [0], insertions: "1"),
        ListCase("a row moves into the window and the last goes out", "a1 b2 c3", "c0 a1 b2", limit: 2, deletions: [1], insertions: "0"),
        ListCase("a row moves within the window", "a1 b2 c3 d4", "b2 a2.5 c3 d4", limit: 3, deletions: [0], insertions: "1<0"),
        ListCase(
            "a row that moves beyond the window keeps its place in it", "a1 b2 c3", "b2 a2.5 c3", limit: 1, deletions: [0], insertions: "0"),
        ListCase("a sort key changes where the window has only this row", "a1 b9", "a5 b9", limit: 1, modifications: "0"),
        ListCase("the window's last row falls behind and comes back net zero", "a1 b2 c3", "a1 b2 c3", limit: 2),
        ListCase("everything leaves a window and others come in", "a1 b2 c3 d4", "c3 d4", limit: 2, deletions: [0, 1], insertions: "0 1"),
        ListCase("a window with room takes what enters", "a1", "a1 b2", limit: 2, insertions: "1"),
        ListCase("a window shrinks to fewer rows than its limit", "a1 b2 c3", "b2", limit: 2, deletions: [0]),
        ListCase(
            "a row from beyond that changed is an insertion without what it was", "a1 b2 c3", "b2 c3'", limit: 2, deletions: [0],
            insertions: "1"),
        ListCase(
            "unchanged rows cross the window's edge by two", "a1 b2 c3 d4 e5", "c3 d4 e5", limit: 3, deletions: [0, 1], insertions: "1 2"),
        ListCase(
            "a changed row stays while an unchanged one leaves the window", "a1 b5 c6", "a1 x2 b4 c6", limit: 2, deletions: [1],
            insertions: "1"),
        ListCase(
            "a row that passes an unchanged one need not move where that one leaves the window", "a1 c2 d9", "x0 c0.5 a1 d9", limit: 2,
            deletions: [0], insertions: "0", modifications: "1"),
        // Other orders.
        ListCase("descending", "c3 b2 a1", "a4 c3 b2", deletions: [2], insertions: "0<2", sort: ["-priority"]),
        ListCase("without sort keys no row ever moves", "a5 b1", "a1 b5", modifications: "0 1", sort: []),
    ]

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

    @Test("Each case has its expected index sets", arguments: cases)
    func indexSets(_ expected: ListCase) throws {
        let query = try Query(.item, sort: expected.sort, limit: expected.limit, user: "u1")
        let (before, after) = (rows(expected.before), rows(expected.after))
        var list = LiveList(query: query, rows: before.reversed())
        let keys = Set((before + after).map(\.key))
        let applied = list.apply(keys.map { key in (key, after.first { $0.key == key }) })
        let diff = applied?.diff ?? ListDiff()
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
