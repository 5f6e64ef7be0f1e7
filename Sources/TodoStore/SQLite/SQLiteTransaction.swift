import Todo

/// The statements that begin and end transactions, kept prepared as every client's write runs several.
final class SQLiteTransaction {
    private let beginStatement: SQLiteStatement
    private let commitStatement: SQLiteStatement
    private let rollbackStatement: SQLiteStatement
    private let savepoint: SQLiteStatement
    private let release: SQLiteStatement
    private let rollbackTo: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        // Immediate: that another program holds the file is found here, not at the first write.
        beginStatement = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
        commitStatement = try SQLiteStatement(connection, "COMMIT")
        rollbackStatement = try SQLiteStatement(connection, "ROLLBACK")
        savepoint = try SQLiteStatement(connection, "SAVEPOINT part")
        release = try SQLiteStatement(connection, "RELEASE part")
        rollbackTo = try SQLiteStatement(connection, "ROLLBACK TO part")
    }

    func begin() throws(StoreFailure) { try beginStatement.run() }

    func commit() throws(StoreFailure) { try commitStatement.run() }

    func rollback() throws(StoreFailure) { try rollbackStatement.run() }

    func beginNested() throws(StoreFailure) { try savepoint.run() }

    func commitNested() throws(StoreFailure) { try release.run() }

    func rollbackNested() throws(StoreFailure) {
        try rollbackTo.run()
        try release.run()
    }
}
