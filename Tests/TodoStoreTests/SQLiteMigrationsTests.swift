import Foundation
import Testing
import Todo
import TodoStore

@Suite struct SQLiteMigrationsTests {
    private func connection(_ folder: TemporaryFolder) throws -> SQLiteConnection {
        let path = folder.path("todosync.db")
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        return try SQLiteConnection(path: path, mode: .readWrite)
    }

    @Test func `A new file gets every step and says so`() throws {
        let folder = try TemporaryFolder()
        try SQLiteStore(folder: folder.path).close()
        let connection = try connection(folder)
        #expect(try connection.integer("PRAGMA user_version") == Int64(SQLiteMigrations.all.count))
        #expect(try connection.integer("SELECT count(*) FROM store") == 1)
    }

    @Test func `A file of the first form is brought up to the present one, with its data`() throws {
        let folder = try TemporaryFolder()
        let old = try connection(folder)
        try SQLiteMigrations.apply([SQLiteMigrations.all[0]], to: old)
        try old.execute(
            """
            INSERT INTO users ("userId", "name", "isAdmin") VALUES ('u1', 'Ann', 1);
            INSERT INTO items ("itemId", "projectId", "body", "isDone", "timestamp", "notes", "priority", "position", "createdBy", "attachments")
                VALUES ('i1', 'p1', 'Buy milk', 0, 5, '', 2, 'm', 'u1', x'');
            """)
        old.close()
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        #expect(try store.object(.user, "u1") == Sample.user("u1", name: "Ann").with("isAdmin", .boolean(true)))
        let expected = Sample.item("i1").with("timestamp", .date(Timestamp(milliseconds: 5))).with("priority", .integer(2))
        #expect(try store.object(.item, "i1") == expected)
    }

    @Test func `A step for a new field adds its column, with the initial value in the rows that exist`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        try store.write(.creation(Sample.item("i1")))
        store.close()
        let older = try connection(folder)
        for field in ["notes", "priority", "dueDate", "attachments"] { try older.execute("ALTER TABLE items DROP COLUMN \"\(field)\"") }
        let addColumns: SQLiteMigrations.Migration = { connection throws(StoreFailure) in
            for className in ClassName.stored { try SQLiteMigrations.addMissingColumns(of: className, connection) }
        }
        try SQLiteMigrations.apply(SQLiteMigrations.all + [addColumns], to: older)
        #expect(try older.integer("PRAGMA user_version") == Int64(SQLiteMigrations.all.count + 1))
        try older.execute("PRAGMA user_version = \(SQLiteMigrations.all.count)")
        older.close()
        let again = try SQLiteStore(folder: folder.path)
        defer { again.close() }
        #expect(try again.object(.item, "i1") == Sample.item("i1"))
    }

    @Test func `A step that fails leaves the file as it was`() throws {
        let folder = try TemporaryFolder()
        try SQLiteStore(folder: folder.path).close()
        let connection = try connection(folder)
        let half: SQLiteMigrations.Migration = { connection throws(StoreFailure) in
            try connection.execute("CREATE TABLE half (x INTEGER)")
            throw StoreFailure("no further")
        }
        #expect(throws: StoreFailure("no further")) { try SQLiteMigrations.apply(SQLiteMigrations.all + [half], to: connection) }
        #expect(try connection.integer("PRAGMA user_version") == Int64(SQLiteMigrations.all.count))
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
    }

    @Test func `A file of a newer version is refused and stays as it is`() throws {
        let folder = try TemporaryFolder()
        try SQLiteStore(folder: folder.path).close()
        let newer = try connection(folder)
        try newer.execute("PRAGMA user_version = 999")
        newer.close()
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        #expect(failure?.message.contains("newer version") == true)
        #expect(try connection(folder).integer("PRAGMA user_version") == 999)
    }

    @Test func `The database of another program is refused and stays as it is`() throws {
        let folder = try TemporaryFolder()
        let other = try connection(folder)
        try other.execute("CREATE TABLE birthdays (day INTEGER)")
        other.close()
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        #expect(failure?.message.contains("another program") == true)
        #expect(try connection(folder).integer("SELECT count(*) FROM sqlite_schema") == 1)
    }
}
