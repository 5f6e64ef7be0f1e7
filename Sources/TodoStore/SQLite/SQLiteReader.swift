import Todo

/// Reads objects over one connection: the committer's, or a snapshot's.
final class SQLiteReader {
    /// What a kept query looks like, without its values.
    private struct Shape: Hashable {
        let className: ClassName
        let places: [Int]
        let comparisons: [Term.Comparison]
    }

    let connection: SQLiteConnection
    let log: SQLiteLogReader
    private let byKey: [KeptStatement]
    private let queries: StatementCache<Shape>
    private let permissionsOfProject: SQLiteStatement
    private let permissionsOfUser: SQLiteStatement
    private let userName: SQLiteStatement

    init(_ connection: SQLiteConnection, _ fieldNumbers: FieldNumbers) throws(StoreFailure) {
        self.connection = connection
        var byKey: [KeptStatement] = []
        for className in ClassName.stored { byKey.append(try KeptStatement(connection, ClassTable.of(className).selectByKey)) }
        self.byKey = byKey
        queries = StatementCache(connection)
        let permissions = ClassTable.of(.permission)
        permissionsOfProject = try SQLiteStatement(
            connection, permissions.selectInOrderOfInsertion(whereFieldAt: PermissionField.projectId))
        permissionsOfUser = try SQLiteStatement(connection, permissions.selectInOrderOfInsertion(whereFieldAt: PermissionField.userId))
        userName = try SQLiteStatement(connection, UserNameTable.select)
        log = try SQLiteLogReader(connection, fieldNumbers)
    }

    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
        let kept = byKey[Int(className.rawValue)]
        try kept.statement.bind(key, at: 1)
        defer { kept.statement.reset() }
        return try kept.statement.step() ? kept.statement.object(ClassTable.of(className)) : nil
    }

    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        let table = ClassTable.of(className)
        let usable = table.usable(terms)
        let shape = Shape(className: className, places: usable.map(\.place), comparisons: usable.map(\.comparison))
        let kept = try queries.take(shape) { table.select(where: usable) }
        defer { queries.giveBack(kept, shape) }
        for (index, term) in usable.enumerated() { try kept.statement.bind(term.value, at: Int32(index + 1)) }
        while try kept.statement.step() {
            guard try body(kept.statement.object(table)) else { return }
        }
    }

    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] {
        try permissionsOfProject.bind(projectId, at: 1)
        defer { permissionsOfProject.reset() }
        var found: [Object] = []
        while try permissionsOfProject.step() { found.append(try permissionsOfProject.object(ClassTable.of(.permission))) }
        return found
    }

    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] {
        try permissionsOfUser.bind(userId, at: 1)
        defer { permissionsOfUser.reset() }
        var found: [Object] = []
        while try permissionsOfUser.step() { found.append(try permissionsOfUser.object(ClassTable.of(.permission))) }
        return found
    }

    func userNamed(normalisedName: String) throws(StoreFailure) -> Object? {
        guard let userId = try userId(ofName: normalisedName) else { return nil }
        return try object(.user, userId)
    }

    func userId(ofName normalisedName: String) throws(StoreFailure) -> String? {
        try userName.bind(normalisedName, at: 1)
        defer { userName.reset() }
        return try userName.step() ? userName.text(0) : nil
    }

    func changes(since version: Int64, rowsMax: Int) throws(StoreFailure) -> ChangesSince {
        try log.changes(since: version, rowsMax: rowsMax) { id throws(StoreFailure) in try self.object(id.className, id.key) }
    }
}
