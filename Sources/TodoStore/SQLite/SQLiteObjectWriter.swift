import Todo

/// The statements that write objects and look at an item's neighbours.
final class SQLiteObjectWriter {
    /// Which columns an update sets, a bit each.
    private struct Shape: Hashable {
        let className: ClassName
        let places: UInt64
    }

    private let inserts: [KeptStatement]
    private let deletes: [KeptStatement]
    private let updates: StatementCache<Shape>
    private let connection: SQLiteConnection
    private let first: SQLiteStatement
    private let last: SQLiteStatement
    private let before: SQLiteStatement
    private let after: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        self.connection = connection
        var inserts: [KeptStatement] = []
        var deletes: [KeptStatement] = []
        for className in ClassName.stored {
            inserts.append(try KeptStatement(connection, ClassTable.of(className).insert))
            deletes.append(try KeptStatement(connection, ClassTable.of(className).delete))
        }
        self.inserts = inserts
        self.deletes = deletes
        updates = StatementCache(connection)
        first = try SQLiteStatement(connection, PositionQueries.first)
        last = try SQLiteStatement(connection, PositionQueries.last)
        before = try SQLiteStatement(connection, PositionQueries.before)
        after = try SQLiteStatement(connection, PositionQueries.after)
    }

    func insert(_ object: Object) throws(StoreFailure) {
        let kept = inserts[Int(object.className.rawValue)]
        for place in object.values.indices { try kept.statement.bind(object.values[place], at: Int32(place + 1)) }
        try kept.statement.run()
    }

    /// Writes the fields that differ only: an index is then touched only where its field changed.
    func update(_ object: Object, from old: Object) throws(StoreFailure) {
        precondition(
            object.className == old.className && object.key.hasSameBytes(as: old.key), "an update keeps the object's class and key")
        let places = object.values.indices.filter { object.values[$0] != old.values[$0] }
        guard !places.isEmpty else { return }
        let shape = Shape(className: object.className, places: places.reduce(0) { $0 | 1 << UInt64($1) })
        let kept = try updates.take(shape) { ClassTable.of(object.className).update(places) }
        defer { updates.giveBack(kept, shape) }
        for (index, place) in places.enumerated() { try kept.statement.bind(object.values[place], at: Int32(index + 1)) }
        try kept.statement.bind(object.key, at: Int32(places.count + 1))
        try kept.statement.run()
        try requireOneRow(object, "updated")
    }

    func delete(_ object: Object) throws(StoreFailure) {
        let kept = deletes[Int(object.className.rawValue)]
        try kept.statement.bind(object.key, at: 1)
        try kept.statement.run()
        try requireOneRow(object, "deleted")
    }

    private func requireOneRow(_ object: Object, _ what: String) throws(StoreFailure) {
        guard connection.changedRows == 1 else {
            throw StoreFailure("\(object.className.name) \(object.key) was to be \(what) and is not in \(connection.path).")
        }
    }

    func firstPosition(inProject projectId: String) throws(StoreFailure) -> String? {
        try first.bind(projectId, at: 1)
        defer { first.reset() }
        return try first.step() ? first.text(0) : nil
    }

    func lastPosition(inProject projectId: String) throws(StoreFailure) -> String? {
        try last.bind(projectId, at: 1)
        defer { last.reset() }
        return try last.step() ? last.text(0) : nil
    }

    func position(before position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try neighbour(before, position, projectId, key)
    }

    func position(after position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try neighbour(after, position, projectId, key)
    }

    private func neighbour(
        _ statement: borrowing SQLiteStatement, _ position: String, _ projectId: String, _ key: String
    ) throws(StoreFailure) -> String? {
        try statement.bind(projectId, at: 1)
        try statement.bind(position, at: 2)
        try statement.bind(key, at: 3)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }
}
