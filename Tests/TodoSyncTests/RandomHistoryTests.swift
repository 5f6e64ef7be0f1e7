import Foundation
import TestSupport
import Testing
import Todo
import TodoStore
import TodoSync

/// Random transactions, grants and revocations of several users; after each step every list that was built from diffs alone
/// equals what `query` answers. `TODO_SEED` replays one seed.
struct RandomHistoryTests {
    private static let queries: [(className: String, filter: String, sort: [String], limit: Int?)] = [
        ("Project", "owner == $user", ["-timestamp"], nil),
        ("Project", "openCount > 0", ["name[c]", "-openCount"], 3),
        ("Project", "", ["-itemCount"], nil),
        ("Project", "ANY items.isDone == true", [], nil),
        ("Project", "projectId == 'p1'", [], nil),
        ("Item", "projectId == 'p0' AND isDone == false", ["position"], nil),
        ("Item", "projectId == 'p1'", ["-priority", "body"], 4),
        ("Item", "isDone == false", ["-priority", "position"], 5),
        ("Item", "body CONTAINS[c] 'a' OR priority >= 2", ["body[c]"], nil),
        ("Item", "createdBy == $user", ["-timestamp"], 6),
        ("Item", "project.name BEGINSWITH 'n'", ["position"], nil),
        ("Item", "project.openCount > 1 AND isDone == false", ["-priority", "body"], 6),
        ("Item", "body ==[c] 'BANANA' OR body IN {'nut', 'zebra'}", ["-body[c]"], 4),
        ("Item", "NOT (isDone == true OR priority != 2.0)", ["position"], nil),
        ("Item", "projectId IN {'p0', 'p2'} AND assignee == NULL", ["body"], 5),
        ("Item", "project.name == 'apple' OR project.access == 'everyone-read'", ["-priority"], nil),
        ("Item", "projectId == 'p1' AND body == 'apple'", [], 2),
        ("Project", "ANY items.body == 'nut' OR NONE items.priority == 3", ["name"], nil),
        ("Project", "ALL items.isDone == true", [], 3),
        ("Project", "name ==[cd] 'APFEL' OR access != 'private'", [], nil),
        ("Permission", "role IN {'viewer', 'owner'} AND userId != $user", ["-role"], 4),
        ("User", "name == 'user1' OR userId == $user", [], nil),
        ("User", "isAdmin == false", ["-name"], 2),
        ("Item", "projectId == 'p2' AND project.access != 'private'", ["position"], 3),
        ("Project", "NONE items.isDone == true", ["name"], 2),
        ("Project", "ALL items.priority > 0 AND items.@count > 0", ["-itemCount"], nil),
        ("Project", "ANY items.body BEGINSWITH[c] 'b'", ["-timestamp"], nil),
        ("Permission", "projectId == 'p3'", ["role"], 2),
        ("Permission", "", ["projectId", "-role"], nil),
        ("Permission", "userId == $user", [], nil),
        ("User", "", ["name"], nil),
    ]

    private static var seeds: [UInt64] {
        if let text = ProcessInfo.processInfo.environment["TODO_SEED"], let seed = UInt64(text) { return [seed] }
        let first = UInt64.random(in: 0...UInt64(UInt32.max))
        return (0..<4).map { first + $0 }
    }

    @Test(arguments: seeds)
    func `lists that are built from diffs equal what a query answers`(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        let harness = try HubHarness(access: .private)
        var clients = try (0..<4).map { try harness.login("user\($0)") }
        for client in clients { try subscribe(client) }
        var behind: [Int: Int] = [:]
        var answers: [Bool] = []
        for step in 0..<120 {
            for (slow, until) in behind where until <= step {
                behind[slow] = nil
                harness.process([.caughtUp(clients[slow].id)])
            }
            let number = Int.random(in: 0..<clients.count, using: &random)
            guard behind[number] == nil else { continue }
            let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in change(clients, &random) }
            let before = clients[number].texts.count
            do { try clients[number].write(changes) } catch is HubClient.Refused {
                #expect(clients[number].texts.count == before + 1, "a refused transaction was told, seed \(seed) step \(step)")
            }
            let dropped = Int.random(in: 0..<clients.count, using: &random)
            if step % 10 == 9, behind[dropped] == nil {
                clients[dropped] = try reconnect(dropped, clients, behind, harness, &random, &answers)
            }
            let slow = Int.random(in: 0..<clients.count, using: &random)
            if step % 7 == 3, behind[slow] == nil, behind.count < 3 {
                behind[slow] = step + Int.random(in: 1...12, using: &random)
                harness.process([.fellBehind(clients[slow].id)])
            }
            for (index, client) in clients.enumerated() where behind[index] == nil {
                try compare(client, "seed \(seed) step \(step) user \(index) \(changes)")
            }
            if step % 20 == 0 { try checkCounts(harness) }
        }
        #expect(answers.filter { $0 }.count > answers.count / 2, "most lists resume, also where rights changed, seed \(seed)")
    }

    private func parameters(_ place: Int) -> [String: Any] {
        let query = Self.queries[place]
        var params: [String: Any] = ["class": query.className, "filter": query.filter, "sort": query.sort]
        if query.filter.isEmpty { params["filter"] = nil }
        params["limit"] = query.limit
        return params
    }

    /// Subscribes to every query, and answers which of the lists resumed.
    @discardableResult
    private func subscribe(_ client: HubClient, since: Any? = nil, epoch: Any? = nil) throws -> [Bool] {
        try Self.queries.indices.compactMap { place in
            var params = parameters(place)
            params["name"] = "q\(place)"
            params["since"] = since
            params["epoch"] = epoch
            return try client.call("subscribe", params)["resumed"] as? Bool
        }
    }

    /// Leaves without notice, misses a few transactions of its own user and of others, and comes back with what it had.
    private func reconnect(
        _ number: Int, _ clients: [HubClient], _ behind: [Int: Int], _ harness: HubHarness, _ random: inout SplitMix,
        _ answers: inout [Bool]
    ) throws -> HubClient {
        let client = clients[number]
        let info = try client.call("info")
        harness.process([.closed(client.id)])
        let other = harness.connect()
        try other.call("login", ["provider": "token", "token": client.token])
        let writers = [other, other] + clients.indices.filter { $0 != number && behind[$0] == nil }.map { clients[$0] }
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let writer = writers[Int.random(in: 0..<writers.count, using: &random)]
            do { try writer.write([change(clients, &random)]) } catch is HubClient.Refused {}
        }
        let again = harness.connect()
        try again.call("login", ["provider": "token", "token": client.token])
        again.userId = client.userId
        again.token = client.token
        for place in Self.queries.indices { again.adopt(list: "q\(place)", of: client) }
        answers += try subscribe(again, since: info["version"], epoch: info["epoch"])
        return again
    }

    private func compare(_ client: HubClient, _ context: String) throws {
        for place in Self.queries.indices {
            let expected = try #require(try client.call("query", parameters(place))["objects"] as? [[String: Any]])
            let held = client.lists["q\(place)"] ?? []
            try #require(NSArray(array: held) == NSArray(array: expected), "list \(place) \(Self.queries[place]) \(context)")
        }
        client.forgetMessages()
    }

    private func checkCounts(_ harness: HubHarness) throws {
        var counts: [String: (items: Int64, open: Int64)] = [:]
        try harness.store.forEach(.item, where: []) { item in
            let projectId = item.projectId ?? ""
            let known = counts[projectId] ?? (0, 0)
            counts[projectId] = (known.items + 1, known.open + (item[ItemField.isDone] == .boolean(true) ? 0 : 1))
            return true
        }
        try harness.store.forEach(.project, where: []) { project in
            let count = counts[project.key] ?? (0, 0)
            #expect(project[ProjectField.itemCount] == .integer(count.items) && project[ProjectField.openCount] == .integer(count.open))
            return true
        }
    }

    private func change(_ clients: [HubClient], _ random: inout SplitMix) -> [String: Any] {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let project = "p\(Int.random(in: 0..<4, using: &random))"
        let item = "i\(Int.random(in: 0..<20, using: &random))"
        let user = pick(clients).userId
        let word = pick(["apple", "Banana", "äpfel", "nut", "Noodle", "zebra"])
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return ["upsert": "Project", "object": ["projectId": project, "name": word]]
        case 2:
            return [
                "update": "Project", "id": project, "set": ["access": pick(["private", "private", "everyone-read", "everyone-write"])],
            ]
        case 3: return ["delete": "Project", "id": project]
        case 4: return ["update": "Project", "id": project, "set": ["name": word]]
        case 5, 6:
            return [
                "upsert": "Permission", "object": ["projectId": project, "userId": user, "role": pick(["viewer", "editor", "owner"])],
            ]
        case 7: return ["delete": "Permission", "id": "\(project):\(user)"]
        case 8...11:
            return [
                "upsert": "Item",
                "object": ["projectId": project, "itemId": item, "body": word, "priority": Int.random(in: 0...3, using: &random)],
            ]
        case 12, 13: return ["update": "Item", "id": item, "set": ["isDone": Bool.random(using: &random)]]
        case 14: return ["update": "Item", "id": item, "set": ["projectId": project]]
        case 15: return ["delete": "Item", "id": item]
        case 16: return ["move": "Item", "id": item, "to": pick(["start", "end"])]
        case 17: return ["update": "Item", "filter": "priority == \(Int.random(in: 0...3, using: &random))", "set": ["body": word]]
        case 18: return ["delete": "Item", "filter": "isDone == true AND projectId == $0", "args": [project]]
        default: return ["move": "Item", "id": item, "before": "i\(Int.random(in: 0..<20, using: &random))"]
        }
    }
}
