import Todo

/// A statement that a cache keeps.
final class KeptStatement {
    let statement: SQLiteStatement

    init(_ connection: SQLiteConnection, _ sql: String) throws(StoreFailure) {
        statement = try SQLiteStatement(connection, sql)
    }
}

/// Statements whose shape depends on what is asked for, kept by that shape.
///
/// A statement is taken out while it is used, so that a query may run inside another of the same shape.
final class StatementCache<Shape: Hashable> {
    /// Far more shapes than the server's own code has; a client's filters must not make it grow for ever.
    private let countMax = 64
    private var idle: [Shape: KeptStatement] = [:]
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func take(_ shape: Shape, _ sql: () -> String) throws(StoreFailure) -> KeptStatement {
        if let kept = idle.removeValue(forKey: shape) { return kept }
        return try KeptStatement(connection, sql())
    }

    func giveBack(_ kept: KeptStatement, _ shape: Shape) {
        kept.statement.reset()
        if idle.count >= countMax { idle.removeAll() }
        idle[shape] = kept
    }
}
