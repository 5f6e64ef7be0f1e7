/// What `ANY`, `ALL` and `NONE` ask of each item of a project: a test of one field.
public struct ItemTest: Sendable, Hashable {
    let place: Int
    let test: ValueTest

    /// Whether the item passes.
    func passes(_ item: Object) -> Bool { test.passes(item.values[place]) }
}

/// How many items of a project there are, and how many of them pass a test.
public struct ItemTally: Sendable, Hashable {
    /// Those that pass.
    public private(set) var passing = 0
    /// All of them.
    public private(set) var count = 0

    /// No items.
    public init() {}

    mutating func add(_ item: Object, _ test: ItemTest, times: Int = 1) {
        count += times
        if test.passes(item) { passing += times }
    }
}

/// Tallies of projects, kept up with the changes, so that a changed item does not make anybody read all items of its project again.
///
/// They belong to the committed state of a store: every commit's changes must be followed, in order.
public final class ItemTallies {
    private var byProject: Kept
    private var count: Int
    private let countMax: Int

    /// Tallies by project and test.
    public typealias Kept = [String: [ItemTest: ItemTally]]

    /// These tallies; past that many all are forgotten, and made anew as they are needed.
    public init(_ kept: Kept = [:], countMax: Int) {
        byProject = kept
        count = kept.values.reduce(0) { $0 + $1.count }
        self.countMax = countMax
    }

    /// The tallies of projects that have that many items or more.
    public func kept(itemsMin: Int) -> Kept {
        byProject.mapValues { tallies in tallies.filter { $0.value.count >= itemsMin } }.filter { !$0.value.isEmpty }
    }

    /// Takes over tallies of the same state, as long as there is room.
    public func adopt(_ others: ItemTallies) {
        for (projectId, tallies) in others.byProject {
            for (test, tally) in tallies where count < countMax && byProject[projectId]?[test] == nil {
                byProject[projectId, default: [:]][test] = tally
                count += 1
            }
        }
    }

    /// Whether nothing is kept.
    public var isEmpty: Bool { byProject.isEmpty }

    /// Forgets all.
    public func removeAll() {
        byProject.removeAll()
        count = 0
    }

    /// Takes over what a commit did to items.
    public func follow(_ changes: [Change]) {
        guard !byProject.isEmpty else { return }
        for change in changes where change.className == .item {
            add(change.before, times: -1)
            add(change.after, times: 1)
        }
    }

    private func add(_ item: Object?, times: Int) {
        guard let item, let place = byProject.index(forKey: item.text(ItemField.projectId)) else { return }
        for test in byProject.values[place].keys { byProject.values[place][test]?.add(item, test, times: times) }
    }

    /// The tally of that project, made from its items where it is not kept yet.
    package func tally(_ test: ItemTest, ofProject projectId: String, forEachItem: ((Object) -> Void) -> Void) -> ItemTally {
        if let known = byProject[projectId]?[test] { return known }
        var tally = ItemTally()
        forEachItem { tally.add($0, test) }
        if count >= countMax { removeAll() }
        byProject[projectId, default: [:]][test] = tally
        count += 1
        return tally
    }
}
