import Testing
import Todo
import TodoStore

@Suite struct SQLitePlanTests {
    @Test func `No statement reads a whole table or sorts, but for those that are asked for everything`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        let permitted: Set<String> = ["SELECT epoch FROM store"]
        for (statement, steps) in try store.connection.plans() where !permitted.contains(statement) {
            for step in steps {
                // The log and the remembered transactions are walked from one end, and only as far as is asked for.
                let isWalk =
                    step.hasPrefix("SCAN log") && statement.contains("ORDER BY version") && statement.contains(" LIMIT ")
                    || step == "SCAN remembered" && statement.contains("ORDER BY sequence LIMIT")
                #expect(!step.hasPrefix("SCAN") || isWalk, "\(statement): \(step)")
                #expect(!step.contains("TEMP B-TREE"), "\(statement): \(step)")
            }
        }
    }

    @Test func `Terms on indexed fields are answered by their index`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        let expected: [(ClassName, [Term], String)] = [
            (.item, [Term(place: ItemField.projectId, .equal, .string("p"))], "items_place"),
            (
                .item,
                [Term(place: ItemField.projectId, .equal, .string("p")), Term(place: ItemField.isDone, .equal, .boolean(false))],
                "items_place"
            ),
            (
                .item,
                [Term(place: ItemField.projectId, .equal, .string("p")), Term(place: ItemField.position, .greater, .string("p"))],
                "items_place (projectId=? AND position>?)"
            ),
            (.item, [Term(place: ItemField.assignee, .equal, .string("u"))], "items_assignee"),
            (.project, [Term(place: ProjectField.owner, .equal, .string("u"))], "projects_owner"),
            (.project, [Term(place: ProjectField.access, .equal, .string("everyone-read"))], "projects_access"),
            (
                .project,
                [Term(place: ProjectField.owner, .equal, .string("u")), Term(place: ProjectField.access, .equal, .string("private"))],
                "projects_owner"
            ),
            (.permission, [Term(place: PermissionField.projectId, .equal, .string("p"))], "permissions_project"),
            (.permission, [Term(place: PermissionField.userId, .equal, .string("u"))], "permissions_user"),
            (.user, [Term(place: UserField.name, .equal, .string("Ann"))], "users_name"),
        ]
        for (className, terms, index) in expected {
            let known = Set(try store.connection.plans().keys)
            try store.forEach(className, where: terms) { _ in true }
            let steps = try store.connection.plans().filter { !known.contains($0.key) }.flatMap(\.value)
            #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH") && steps[0].contains(index), "\(className.name) \(terms): \(steps)")
        }
    }
}
