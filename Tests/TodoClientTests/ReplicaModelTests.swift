import Bytes
import Foundation
import TestSupport
import Testing
import Todo
import TodoClient
import TodoProtocol

/// Random changes of a live list, over the wire's text, into a replica. `TODOSYNC_TEST_SEED` replays a run.
@Suite("Replicas against live lists")
struct ReplicaModelTests {
    private static let sorts: [[String]] = [[], ["position"], ["-priority", "body"], ["isDone", "-body[c]"]]

    @Test("A replica that gets every part and every diff is the live list", arguments: [true, false])
    func model(isStrict: Bool) throws {
        let seed = ProcessInfo.processInfo.environment["TODOSYNC_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
        print("replica model: TODOSYNC_TEST_SEED=\(seed)")
        var random = SplitMix(seed: seed)
        for _ in 0..<60 {
            var run = try Run(
                sort: Self.sorts.randomElement(using: &random) ?? [], limit: [nil, 3, 40].randomElement(using: &random) ?? nil,
                isStrict: isStrict, &random)
            for _ in 0..<40 { try run.step(&random) }
        }
    }

    private struct Run {
        private var list: LiveList
        private var replica: Replica
        private let keyCount: Int
        private var version: Int64 = 1

        init(sort: [String], limit: Int?, isStrict: Bool, _ random: inout SplitMix) throws {
            keyCount = [3, 20, 200].randomElement(using: &random) ?? 3
            var rows: [Object] = []
            for number in 0..<keyCount where Bool.random(using: &random) { rows.append(Self.random("i\(number)", &random)) }
            list = LiveList(query: try Query(.item, sort: sort, limit: limit, user: "u1"), rows: rows)
            replica = Replica(of: .item, isStrict: isStrict)
            try sendInitial(&random)
        }

        /// The first list, in parts of a random size.
        private mutating func sendInitial(_ random: inout SplitMix) throws {
            let window = list.window(0..<Int.max)
            var index = 0
            repeat {
                let end = min(window.count, index + Int.random(in: 1...50, using: &random))
                let isLast = end == window.count
                let text = message {
                    MessageEncoder.initial(
                        name: "l", index: index, objects: window[index..<end], completeAt: isLast ? version : nil, into: &$0)
                }
                guard case .initial(let part) = try decode(text) else { throw NoChange() }
                try replica.apply(part)
                index = end
            } while index < window.count
            try #require(replica.isComplete)
        }

        private static func random(_ key: String, _ random: inout SplitMix) -> Object {
            task(
                key, body: ["", "a", "B", "é"].randomElement(using: &random) ?? "",
                position: String(Int.random(in: 0...99, using: &random)),
                priority: Int64.random(in: 0...3, using: &random), isDone: Bool.random(using: &random))
        }

        /// A commit that touches a few rows, or very many.
        mutating func step(_ random: inout SplitMix) throws {
            let most = [1, 2, 8, keyCount].randomElement(using: &random) ?? 1
            let keys = (0..<keyCount).shuffled(using: &random).prefix(Int.random(in: 0...most, using: &random)).map { "i\($0)" }
            let candidates = keys.map { key -> (key: String, after: Object?) in
                (key, Int.random(in: 0...3, using: &random) == 0 ? nil : Self.random(key, &random))
            }
            guard let applied = list.apply(candidates), !applied.diff.isEmpty else { return }
            version += Int64.random(in: 0...2, using: &random)
            let fragment = SharedBytes(utf8: message { MessageEncoder.update(name: "l", applied.diff, into: &$0) })
            let text = message { MessageEncoder.change(version: version, by: ["u1"], updates: [fragment], into: &$0) }
            guard case .change(let change) = try decode(text), let update = change.updates.first else { throw NoChange() }
            try replica.apply(update, version: change.version)
            try #require(replica.rows == list.window(0..<Int.max))
            try #require(replica.version == version)
        }
    }
}
