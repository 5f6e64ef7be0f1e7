import Testing

/// One commit on a list sorted by priority, or several that are merged: the list before, the list after, and the diff that a client is sent.
///
/// Rows are written `key` and priority, such as `a1`; a `'` behind it gives the row another body. Equal rows are not touched,
/// unless `touched` names them.
struct ListCase: CustomTestStringConvertible, Sendable {
    let name: String
    let before: String
    let after: String
    /// The list between the commits, where several are merged.
    let between: [String]
    let limit: Int?
    let deletions: [Int]
    /// `index`, or `index<from` for a row that moved.
    let insertions: String
    /// `index`, or `index<from` where the two differ.
    let modifications: String
    let sort: [String]

    init(
        _ name: String, _ before: String, _ after: String, between: [String] = [], limit: Int? = nil, deletions: [Int] = [],
        insertions: String = "",
        modifications: String = "", sort: [String] = ["priority"]
    ) {
        (self.name, self.before, self.after, self.limit, self.sort) = (name, before, after, limit, sort)
        self.between = between
        (self.deletions, self.insertions, self.modifications) = (deletions, insertions, modifications)
    }

    var testDescription: String { name }
}

/// Realm's notification cases, and those of limit windows, which Realm has not.
extension ListCase {
    /// Each with its index sets.
    static let realm: [ListCase] = [
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
        // Commits that are merged.
        ListCase("two rows change in two commits", "a1 b2 c3", "a1' b2' c3", between: ["a1' b2 c3"], modifications: "0 1"),
        ListCase("a row that came in and changed then is an insertion", "a1", "a1 b2'", between: ["a1 b2"], insertions: "1"),
        ListCase("a row that came and went is not mentioned", "a1", "a1", between: ["a1 b2"]),
        ListCase("a row that went and came again as it was is not mentioned", "a1 b2", "a1 b2", between: ["a1"]),
        ListCase(
            "a key deleted and created again with other values is a modification", "a1 b2", "a1 b2'", between: ["a1"], modifications: "1"),
        ListCase(
            "a key deleted and created again elsewhere is a move", "a1 b2 c3", "b2 c3 a4", between: ["b2 c3"], deletions: [0],
            insertions: "2<0"),
        ListCase("a row that moves there and back is not mentioned", "a1 b2 c3", "a1 b2 c3", between: ["b2 c3 a4"]),
        ListCase(
            "a row that moves twice moves once", "a1 b2 c3 d4", "b2 c3 d4 a5", between: ["b2 a2.5 c3 d4"], deletions: [0],
            insertions: "3<0"),
        ListCase(
            "a row moves, then another leaves", "a1 b2 c3", "c3 a4", between: ["b2 c3 a4"], deletions: [0, 1], insertions: "1<0"),
        ListCase("a row is modified, then moves", "a1 b2 c3", "b2 c3 a4'", between: ["a1' b2 c3"], deletions: [0], insertions: "2<0"),
        ListCase("two rows swap and swap back", "a1 b2", "a1 b2", between: ["b1 a2"]),
        ListCase("a list that is cleared and filled as it was is not mentioned", "a1 b2", "a1 b2", between: [""]),
        ListCase("a list is cleared and filled with others", "a1 b2", "b2 c3", between: [""], deletions: [0], insertions: "1"),
        ListCase("a list is cleared in two commits", "a1 b2", "", between: ["b2"], deletions: [0, 1]),
        ListCase("a row passes through the window and is not mentioned", "a1 b2 c3", "a1 b2 c3", between: ["x0 a1 b2 c3"], limit: 2),
        ListCase(
            "a row leaves the window and comes back changed", "a1 b2 c3", "a1 b2' c3", between: ["a1 c3 b4"], limit: 2, modifications: "1"),
        ListCase(
            "two rows come into a full window, one after the other", "b2 c3", "a1 x1.5 b2 c3", between: ["a1 b2 c3"], limit: 2,
            deletions: [0, 1], insertions: "0 1"),
        // Swaps and clearing together with others.
        ListCase("all rows leave a window", "a1 b2 c3", "", limit: 2, deletions: [0, 1]),
        ListCase("two rows swap and a third leaves", "a1 b2 c3", "b1 a2", deletions: [0, 2], insertions: "1<0", modifications: "0<1"),
        ListCase(
            "two rows swap and a third is modified", "a1 b2 c3", "b1 a2 c3'", deletions: [0], insertions: "1<0", modifications: "0<1 2"),
        ListCase(
            "two rows swap across equal sort keys", "a1 b1 c2 d2", "a1 c1 b2 d2", deletions: [1], insertions: "2<1", modifications: "1<2"),
        ListCase(
            "a row moves to the start, descending", "d8 c6 b4 a2", "b9 d8 c6 a2", deletions: [2], insertions: "0<2", sort: ["-priority"]),
    ]
}
