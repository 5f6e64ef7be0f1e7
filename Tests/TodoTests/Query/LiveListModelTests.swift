import Foundation
import TestSupport
import Testing
import Todo

/// Random operations on live lists against lists sorted from scratch. `TODOSYNC_TEST_SEED` replays a run, `TODOSYNC_TEST_STEPS`
/// makes it longer.
@Suite("Live lists against a naive model")
struct LiveListModelTests {
    private static let sorts: [[String]] = [
        [], ["-itemId"], ["priority"], ["-priority", "body"], ["dueDate"], ["-dueDate", "-priority"], ["body[c]", "-timestamp"],
        ["-body[c]"], ["isDone", "position"], ["position"],
    ]

    @Test("Applying every diff in order gives the list sorted from scratch")
    func diffsGiveTheNaiveList() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["TODOSYNC_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
        let steps = environment["TODOSYNC_TEST_STEPS"].flatMap { Int($0) } ?? 100_000
        print("live list model: TODOSYNC_TEST_SEED=\(seed) TODOSYNC_TEST_STEPS=\(steps)")
        var generator = SplitMix(seed: seed)
        var done = 0
        while done < steps {
            let length = Int.random(in: 1...300, using: &generator)
            var model = try Model(sorts: Self.sorts, generator: &generator)
            for _ in 0..<length {
                model.step(using: &generator)
                if let fault = model.fault { throw Fault(description: "seed \(seed): \(fault); \(model.description)") }
            }
            done += length
        }
    }
}

private struct Fault: Error, CustomStringConvertible {
    let description: String
}

/// One live list, its client, its model and a few older copies with their journals.
private struct Model {
    private let sort: [String]
    private let limit: Int?
    private let keyCount: Int
    private var list: LiveList
    private var naive: [String: Object] = [:]
    private var client: ClientList
    private var older: [(copy: ClientList, journal: Journal)] = []
    private(set) var fault: String?
    private let order: NaiveOrder

    var description: String { "sort \(sort), limit \(limit.map(String.init) ?? "none"), \(naive.count) rows of \(keyCount) keys" }

    init(sorts: [[String]], generator: inout SplitMix) throws {
        sort = sorts.randomElement(using: &generator) ?? []
        limit = [nil, 1, 2, 3, 5, 10, 1000].randomElement(using: &generator) ?? nil
        order = NaiveOrder(sort, of: .item)
        keyCount = Int.random(in: 1...24, using: &generator)
        for number in 0..<keyCount where Bool.random(using: &generator) {
            naive["i\(number)"] = Model.randomItem("i\(number)", using: &generator)
        }
        let query = try Query(.item, sort: sort, limit: limit, user: "u1")
        list = LiveList(query: query, rows: Array(naive.values))
        client = ClientList(list.window(0..<Int.max))
        check(client.rows == order.window(naive.values, limit: limit), "the first list is not the naive one")
    }

    private mutating func check(_ holds: Bool, _ rule: String) {
        if !holds, fault == nil { fault = rule }
    }

    private static func randomItem(_ key: String, using generator: inout SplitMix) -> Object {
        var values: [String: Value] = [:]
        for name in ["priority", "body", "dueDate", "isDone", "position"] {
            values[name] = randomValue(name, using: &generator)
        }
        return item(key, values)
    }

    private static func randomValue(_ name: String, using generator: inout SplitMix) -> Value {
        switch name {
        case "priority": return .integer(Int64.random(in: 0...2, using: &generator))
        case "body": return .string(["", "a", "A", "b", "É", "é", "ab", "aB"].randomElement(using: &generator) ?? "")
        case "dueDate":
            let milliseconds = Int64.random(in: -2...3, using: &generator)
            return milliseconds < 0 ? .null : .date(Timestamp(milliseconds: milliseconds))
        case "isDone": return .boolean(Bool.random(using: &generator))
        default: return .string(String(Int.random(in: 0...99, using: &generator)))
        }
    }

    /// One commit: a few rows change, come, go, or are named though they stay as they are.
    mutating func step(using generator: inout SplitMix) {
        let most = [1, 1, 2, 4, keyCount].randomElement(using: &generator) ?? 1
        let keys = (0..<keyCount).shuffled(using: &generator).prefix(Int.random(in: 0...most, using: &generator)).map { "i\($0)" }
        var candidates: [(key: String, after: Object?)] = []
        for key in keys {
            var after = naive[key]
            switch Int.random(in: 0...9, using: &generator) {
            case 0...2: after = nil
            case 3...4: after = Model.randomItem(key, using: &generator)
            case 5: break
            default:
                guard let name = ["priority", "body", "dueDate", "isDone", "position"].randomElement(using: &generator),
                    let place = ClassName.item.schema.place(of: name)
                else { break }
                after?[place] = Model.randomValue(name, using: &generator)
            }
            candidates.append((key, after))
        }
        let changed = candidates.filter { naive[$0.key] != $0.after }
        for (key, after) in changed { naive[key] = after }
        let applied = list.apply(candidates)
        check((applied == nil) == changed.isEmpty, "a change went unnoticed, or none was reported as one")
        if let applied {
            check(Set(applied.replaced.map(\.key)) == Set(changed.map(\.key)), "the replaced rows are not the changed ones")
            var copy = client
            check(applied.diff, brings: &copy)
            client = copy
            for index in older.indices { older[index].journal.record(applied) }
        }
        check(client.rows == order.window(naive.values, limit: limit), "the client's list is not the naive one")
        check(list.count == naive.count && list.windowCount == client.rows.count, "the counts are wrong")
        if Int.random(in: 0...9, using: &generator) == 0 { older.append((client, Journal())) }
        if Int.random(in: 0...9, using: &generator) == 0, let index = older.indices.randomElement(using: &generator) {
            catchUp(older.remove(at: index))
        }
    }

    /// A copy that fell behind gets one merged diff.
    private mutating func catchUp(_ behind: (copy: ClientList, journal: Journal)) {
        var copy = behind.copy
        if let diff = list.diff(from: behind.journal) {
            check(!diff.isEmpty, "an empty diff was reported")
            check(diff, brings: &copy)
        }
        check(copy.rows == client.rows, "the merged diff does not lead to the present list")
    }

    /// Applies a diff, and holds its moves against the fewest that there could be.
    private mutating func check(_ diff: ListDiff, brings copy: inout ClientList) {
        let old = copy.rows
        if let broken = copy.apply(diff) { return check(false, broken) }
        let moved = Set(diff.insertions.compactMap { $0.from.map { old[$0].key } })
        if moved.isEmpty { return }
        let fewest = order.fewestMoves(from: old, to: copy.rows)
        check(moved.isDisjoint(with: fewest.mustStay), "a row with unchanged sort keys moved")
        check(moved.count == fewest.count, "\(moved.count) rows moved where \(fewest.count) had to")
    }
}
