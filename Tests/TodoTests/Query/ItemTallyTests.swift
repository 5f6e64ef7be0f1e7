import TestSupport
import Testing
import Todo

/// Kept tallies give what reading all items gives.
struct ItemTallyTests {
    /// Relations in memory whose tallies are kept; it counts how often all items of a project are read.
    private final class Kept: RelatedObjects {
        let tallies: ItemTallies
        var items: [String: Object] = [:]
        var readings = 0

        init(countMax: Int) { tallies = ItemTallies(countMax: countMax) }

        func project(_ projectId: String) -> Object? { nil }
        func items(ofProject projectId: String) -> [Object] { items.values.filter { $0.projectId == projectId } }

        func tally(_ test: ItemTest, ofProject projectId: String) -> ItemTally? {
            tallies.tally(test, ofProject: projectId) { body in
                readings += 1
                items(ofProject: projectId).forEach(body)
            }
        }
    }

    private static let texts = [
        "ANY items.isDone == true", "NONE items.priority > 2", "ALL items.body CONTAINS[c] 'A'", "NOT (ANY items.dueDate == NULL)",
        "ALL items.isDone == false AND ANY items.priority IN {1, 3}", "items.@count > 0 OR NONE items.body == ''",
    ]

    @Test(arguments: [200_000, 3])
    func `random changes keep them right`(countMax: Int) throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        let predicates = try Self.texts.map { try Predicate.parse($0, of: .project, user: "u1") }
        let kept = Kept(countMax: countMax)
        for step in 0..<2_000 {
            var changes: [Change] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let key = "i\(Int.random(in: 0..<12, using: &random))"
                guard !changes.contains(where: { $0.key == key }) else { continue }
                let after: Object? =
                    Int.random(in: 0..<4, using: &random) == 0
                    ? nil
                    : item(
                        key,
                        [
                            "projectId": .string("p\(Int.random(in: 0..<3, using: &random))"),
                            "isDone": .boolean(Bool.random(using: &random)),
                            "priority": .integer(Int64.random(in: 0...3, using: &random)),
                            "body": .string(["", "apple", "Banana", "nut"][Int.random(in: 0..<4, using: &random)]),
                        ])
                guard kept.items[key] != nil || after != nil else { continue }
                changes.append(Change(.item, key: key, before: kept.items[key], after: after))
                kept.items[key] = after
            }
            kept.tallies.follow(changes)
            let naive = Memory(items: Array(kept.items.values))
            for (place, predicate) in predicates.enumerated() {
                let object = project("p\(Int.random(in: 0..<3, using: &random))")
                let expected = predicate.matches(object, related: naive)
                #expect(predicate.matches(object, related: kept) == expected, "\(Self.texts[place]), seed \(seed) step \(step)")
            }
        }
        // With room for all, each project is read once a test.
        if countMax > 100 { #expect(kept.readings <= 3 * 7) } else { #expect(kept.readings > 100) }
    }

    @Test func `tallies of large projects are taken over, and read no items again`() throws {
        let predicate = try Predicate.parse("ALL items.body != 'odd'", of: .project, user: "u1")
        let reading = Kept(countMax: 10)
        for number in 0..<10 {
            reading.items["i\(number)"] = item("i\(number)", ["projectId": .string("p1"), "body": .string("\(number)")])
        }
        reading.items["small"] = item("small", ["projectId": .string("p2"), "body": .string("odd")])
        for id in ["p1", "p2"] { #expect(predicate.matches(project(id), related: reading) == (id == "p1")) }
        let kept = Kept(countMax: 10)
        kept.items = reading.items
        kept.tallies.adopt(ItemTallies(reading.tallies.kept(itemsMin: 5), countMax: .max))
        #expect(predicate.matches(project("p1"), related: kept))
        #expect(kept.readings == 0)
        #expect(!predicate.matches(project("p2"), related: kept))
        #expect(kept.readings == 1)
    }
}
