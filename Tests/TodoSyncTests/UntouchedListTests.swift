import Foundation
import Testing
import Todo
import TodoSync

/// What a commit costs follows from the lists that it touches: neither lists that it can't touch are looked at, nor filters evaluated that no changed
/// field decides.
struct UntouchedListTests {
    private struct World {
        let harness: HubHarness
        let writer: HubClient
        let reader: HubClient

        init() throws {
            harness = try HubHarness(access: .everyoneWrite)
            writer = try harness.login("Writer")
            reader = try harness.login("Reader")
            try writer.write([
                ["create": "Project", "object": ["projectId": "p", "name": "P"]],
                ["create": "Item", "object": ["itemId": "i", "projectId": "p", "body": "Milk", "notes": "cream", "priority": 1]],
            ])
        }

        func subscribe(_ className: String, _ filter: String, sort: [String] = [], limit: Int? = nil) throws {
            var params: [String: Any] = ["name": filter, "class": className, "filter": filter, "sort": sort]
            params["limit"] = limit
            try reader.call("subscribe", params)
        }

        /// How many lists are looked at, and filters evaluated, for a write.
        func cost(_ changes: [String: Any]...) throws -> [Int] {
            let before = harness.hub.figures
            try writer.write(changes)
            let after = harness.hub.figures
            return [after.listsConcerned - before.listsConcerned, after.filtersEvaluated - before.filtersEvaluated]
        }
    }

    private static let untouched = [
        "projectId == 'z'", "body == 'z'", "isDone == TRUE AND body != 'z'", "priority == 3 AND body != 'z'", "project.owner == 'z'",
        "projectId IN {'z', 'y'}", "projectId == 'z' OR projectId == 'y'", "body ==[c] 'z' OR notes == 'z'", "NOT isDone == FALSE",
        "priority >= 2.0", "completedAt != NULL AND isDone == TRUE", "project.access == 'private'", "assignee == $user AND body != 'z'",
        "projectId == 'p' AND notes == 'z'", "FALSEPREDICATE", "dueDate == '2026-11-30T12:00:00Z'", "createdBy == $user",
    ]

    @Test(arguments: untouched)
    func `a write looks at no list of which neither the old nor the new row can be part`(filter: String) throws {
        let world = try World()
        try world.subscribe("Item", filter)
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Bread"]]) == [0, 0])
        #expect(try world.cost(["create": "Item", "object": ["projectId": "p", "body": "Eggs"]]) == [0, 0])
        #expect(try world.cost(["update": "Project", "id": "p", "set": ["name": "Q"]]) == [0, 0])
        #expect(try world.cost(["delete": "Item", "id": "i"]) == [0, 0])
        #expect(try world.cost(["create": "Project", "object": ["projectId": "new", "name": "N"]]) == [0, 0])
    }

    private static let untouchedProjects = [
        "projectId == 'z'", "name == 'z'", "owner == 'z'", "access == 'private'", "name == 'z' AND ANY items.body == 'z'",
        "NONE items.body == 'z' AND owner == 'z'", "owner == 'z' AND ALL items.priority < 3",
    ]

    @Test(arguments: untouchedProjects)
    func `a list of projects is not looked at for items on which it does not depend`(filter: String) throws {
        let world = try World()
        try world.subscribe("Project", filter)
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Bread", "priority": 2]]) == [0, 0])
        #expect(try world.cost(["update": "Project", "id": "p", "set": ["name": "Q"]]) == [0, 0])
    }

    @Test func `a list that is filed in several places is looked at once`() throws {
        let world = try World()
        try world.subscribe("Item", "body == 'Milk' OR body == 'Bread' OR priority == 1 OR notes ==[c] 'CREAM'")
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Bread"]]) == [1, 1])
        #expect(world.reader.lists.values.first?.first?["body"] as? String == "Bread")
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Eggs", "priority": 2, "notes": ""]]) == [1, 1])
        #expect(world.reader.lists.values.first?.isEmpty == true)
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Ham"]]) == [0, 0])
    }

    @Test func `lists of users who do not see a row are not looked at`() throws {
        let world = try World()
        try world.writer.write([["create": "Project", "object": ["projectId": "secret", "name": "S", "access": "private"]]])
        try world.subscribe("Item", "isDone == FALSE")
        #expect(try world.cost(["create": "Item", "object": ["projectId": "secret", "body": "Milk"]]) == [0, 0])
        #expect(try world.cost(["create": "Item", "object": ["projectId": "p", "body": "Milk"]]) == [1, 1])
    }

    @Test func `a filter is not evaluated for a change of fields that it does not read`() throws {
        let world = try World()
        try world.subscribe("Item", "notes CONTAINS[cd] 'CREAM'", sort: ["body[c]"])
        try world.subscribe("Item", "notes CONTAINS[cd] 'butter' AND body != 'x'", sort: ["-priority"], limit: 1)
        try world.subscribe("Item", "project.name CONTAINS 'P' AND notes != ''")
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["priority": 3]]) == [3, 0])
        for list in ["notes CONTAINS[cd] 'CREAM'", "project.name CONTAINS 'P' AND notes != ''"] {
            #expect(world.reader.lists[list]?.map { $0["priority"] as? Int } == [3])
        }
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Bread"]]) == [3, 1])
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["notes": "butter", "priority": 0]]) == [3, 3])
        #expect(world.reader.keys("notes CONTAINS[cd] 'CREAM'", "itemId") == [])
        #expect(world.reader.keys("notes CONTAINS[cd] 'butter' AND body != 'x'", "itemId") == ["i"])
        // What the project holds decides too, also where the row changes in the same commit.
        try world.writer.write([
            ["update": "Item", "id": "i", "set": ["priority": 2]], ["update": "Project", "id": "p", "set": ["name": "Q"]],
        ])
        #expect(world.reader.keys("project.name CONTAINS 'P' AND notes != ''", "itemId") == [])
    }

    @Test func `a row that loses its readers and changes in one commit leaves, whatever fields changed`() throws {
        let world = try World()
        try world.subscribe("Item", "body != 'x'")
        try world.writer.write([
            ["update": "Item", "id": "i", "set": ["priority": 2]], ["update": "Project", "id": "p", "set": ["access": "private"]],
        ])
        #expect(world.reader.keys("body != 'x'", "itemId") == [])
        try world.writer.write([
            ["update": "Item", "id": "i", "set": ["priority": 3]], ["update": "Project", "id": "p", "set": ["access": "everyone-read"]],
        ])
        #expect(world.reader.keys("body != 'x'", "itemId") == ["i"])
    }

    @Test func `what a filter that searches text says of a row is found out once for the lists of all users`() throws {
        let world = try World()
        let readers = try (0..<5).map { try world.harness.login("Reader \($0)") }
        for reader in readers {
            try reader.call("subscribe", ["name": "cream", "class": "Item", "filter": "notes CONTAINS 'cream'", "sort": ["body"]])
        }
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["notes": "more cream"]]) == [5, 1])
        #expect(readers.allSatisfy { $0.keys("cream", "itemId") == ["i"] })
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["notes": "milk"]]) == [5, 1])
        #expect(readers.allSatisfy { $0.keys("cream", "itemId") == [] })
    }

    @Test func `a list that nobody has any more is not looked at`() throws {
        let world = try World()
        let filter = "body == 'Milk' OR priority IN {1, 2}"
        try world.subscribe("Item", filter)
        try world.reader.call("unsubscribe", ["name": filter])
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Bread"]]) == [0, 0])
        try world.subscribe("Item", filter)
        #expect(try world.cost(["update": "Item", "id": "i", "set": ["body": "Eggs"]]) == [1, 1])
    }
}
