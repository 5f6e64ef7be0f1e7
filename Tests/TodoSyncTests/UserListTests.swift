import Foundation
import TestSupport
import Testing
import Todo
import TodoSync

/// Lists of users follow from permissions, from who may see a project, and from what becomes of users: whatever happens, in whatever company,
/// each holds what a query finds.
struct UserListTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a list of users is what a query finds, whatever becomes of users, projects and permissions`(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<60 {
            try world.step()
            for (name, client) in world.people {
                for (list, filter) in Self.filters {
                    let found = try client.call("query", ["class": "User", "filter": filter])["objects"] as? [[String: Any]]
                    try #require(
                        client.lists[list] as NSArray? == found as NSArray?, "\(name)'s '\(list)', seed \(seed): \(world.done.suffix(3))")
                }
            }
        }
    }

    private static let filters = [
        "users": "TRUEPREDICATE", "ben": "name == 'ben'", "others": "userId != $user AND isAdmin == FALSE",
        "some": "name ==[c] 'ANN' OR name IN {'cleo', 'dora'} OR userId == $user",
    ]

    private struct World {
        private let harness: HubHarness
        private let owner: HubClient
        private(set) var people: [String: HubClient] = [:]
        private(set) var done: [String] = []
        private var random: SplitMix

        init(seed: UInt64) throws {
            random = SplitMix(seed: seed)
            harness = try WebTokens.harness()
            owner = try harness.loginAsAdmin("Owner")
            for name in ["ann", "ben", "cleo", "dora"] { try enter(name) }
        }

        /// A person without any sight yet, with a list of users.
        private mutating func enter(_ name: String) throws {
            let (client, _) = try WebTokens.enter(harness, #"{"sub":"\#(name)","name":"\#(name)"}"#)
            for (list, filter) in UserListTests.filters {
                try client.call("subscribe", ["name": list, "class": "User", "filter": filter])
            }
            people[name] = client
        }

        /// One turn with one to three transactions, or something that becomes of a user.
        mutating func step() throws {
            let name = people.keys.sorted()[random.next(upTo: people.count)]
            switch random.next(upTo: 12) {
            case 0:
                done.append("\(name) has another name")
                try WebTokens.enter(harness, #"{"sub":"\#(name)","name":"\#(name) \#(random.next(upTo: 1000))"}"#).0.leave()
            case 1:
                done.append("\(name) is deleted")
                try owner.call("admin.deleteUser", ["userId": people[name]?.userId ?? "", "deleteProjects": true])
                people[name] = nil
                try enter(name)
            default:
                let transactions = (0...random.next(upTo: 3)).map { _ in change() }
                done.append("\(transactions)")
                harness.process(try transactions.map { try owner.request("write", ["changes": [$0]]).input })
            }
        }

        private mutating func change() -> [String: Any] {
            let project = "p\(random.next(upTo: 3))"
            let user = people.keys.sorted()[random.next(upTo: people.count)]
            let userId = people[user]?.userId ?? ""
            switch random.next(upTo: 10) {
            case 0: return ["delete": "Project", "id": project]
            case 1, 2: return ["upsert": "Project", "object": ["projectId": project, "name": "P", "access": "private"]]
            case 3: return ["upsert": "Project", "object": ["projectId": project, "name": "P", "access": "everyone-read"]]
            case 4, 5, 6: return ["delete": "Permission", "id": "\(project):\(userId)"]
            default: return ["upsert": "Permission", "object": ["projectId": project, "userId": userId, "role": "viewer"]]
            }
        }
    }
}
