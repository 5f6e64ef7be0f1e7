import Todo

/// An item with given values and plain ones elsewhere.
func item(_ key: String, _ values: [String: Value] = [:]) -> Object {
    object(
        .item,
        [
            "itemId": .string(key), "projectId": .string("p1"), "body": .string(""), "isDone": .boolean(false),
            "timestamp": .date(Timestamp(milliseconds: 0)), "notes": .string(""), "priority": .integer(0), "position": .string("a"),
            "createdBy": .string("u1"), "attachments": .strings([]),
        ].merging(values) { $1 })
}

/// A project with given values and plain ones elsewhere.
func project(_ key: String, _ values: [String: Value] = [:]) -> Object {
    object(
        .project,
        [
            "projectId": .string(key), "owner": .string("u1"), "name": .string("Project"),
            "timestamp": .date(Timestamp(milliseconds: 0)), "itemCount": .integer(0), "openCount": .integer(0),
            "access": .string("private"),
        ].merging(values) { $1 })
}

private func object(_ className: ClassName, _ values: [String: Value]) -> Object {
    precondition(values.keys.allSatisfy { className.schema.place(of: $0) != nil }, "an unknown field in \(values.keys)")
    return Object(className, className.schema.fields.map { values[$0.name] ?? .null })
}

/// Related objects that are held in memory.
struct Memory: RelatedObjects {
    var projects: [Object] = []
    var items: [Object] = []

    func project(_ projectId: String) -> Object? { projects.first { $0.key == projectId } }

    func items(ofProject projectId: String) -> [Object] { items.filter { $0.projectId == projectId } }
}
