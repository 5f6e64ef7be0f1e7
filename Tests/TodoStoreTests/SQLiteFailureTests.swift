import Foundation
import Testing
import Todo
import TodoStore

@Suite struct SQLiteFailureTests {
    private let large = String(repeating: "x", count: 100_000)

    /// Lets the database grow by some pages only, as on a disk that is nearly full.
    private func fill(_ store: SQLiteStore, pages: Int64) throws {
        let count = try #require(try store.connection.integer("PRAGMA page_count"))
        try store.connection.execute("PRAGMA max_page_count = \(count + pages)")
    }

    private func makeRoom(_ store: SQLiteStore) throws {
        try store.connection.execute("PRAGMA max_page_count = 1000000")
    }

    @Test func `A full disk refuses the transaction with a sentence, keeps nothing, and the store goes on`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try store.write(.creation(Sample.project("p1")))
        try fill(store, pages: 10)
        try store.begin()
        let failure = #expect(throws: StoreFailure.self) {
            for number in 0..<10 { try store.apply([.creation(Sample.item("i\(number)", notes: large))]) }
        }
        #expect(failure?.message.contains("is full") == true)
        store.rollback()
        #expect(store.version == 1)
        #expect(store.nextVersion == 2)
        #expect(try store.keys(.item).isEmpty)
        try store.write(.update(Sample.project("p1"), Sample.project("p1", name: "Still here")))
        try makeRoom(store)
        try store.write(.creation(Sample.item("i1", notes: large)))
        #expect(store.version == 3)
        #expect(try store.keys(.item) == ["i1"])
    }

    @Test func `In a group only what did not fit is lost, or all of it is refused`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try fill(store, pages: 60)
        var kept: [String] = []
        var isLost = false
        try store.begin()
        for (number, notes) in ["", large, large, large, large, ""].enumerated() {
            let key = "i\(number)"
            do {
                try store.beginNested()
                try store.apply([.creation(Sample.item(key, notes: notes))])
                try store.commitNested()
                kept.append(key)
            } catch {
                do { try store.rollbackNested() } catch {
                    isLost = true
                    break
                }
            }
        }
        #expect(kept.count < 6)
        if isLost {
            #expect(throws: StoreFailure.self) { try store.commit() }
            kept = []
        } else {
            try store.commit()
        }
        #expect(try store.keys(.item) == kept)
        #expect(store.version == Int64(kept.count))
        try makeRoom(store)
        try store.write(.creation(Sample.item("later", notes: large)))
        #expect(try store.keys(.item) == kept + ["later"])
    }

    @Test func `After SQLite has dropped the transaction nothing is written by itself`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try store.begin()
        try store.beginNested()
        try store.apply([.creation(Sample.item("i1"))])
        // What SQLite does by itself after some I/O errors.
        try store.connection.execute("ROLLBACK")
        #expect(throws: StoreFailure.self) { try store.insert(Sample.item("i2")) }
        #expect(throws: StoreFailure.self) { try store.rollbackNested() }
        #expect(throws: StoreFailure.self) { try store.beginNested() }
        #expect(throws: StoreFailure.self) { try store.commit() }
        #expect(try store.keys(.item).isEmpty)
        #expect(store.nextVersion == 1)
        try store.write(.creation(Sample.item("i3")))
        #expect(try store.keys(.item) == ["i3"])
    }

    @Test func `A failed upkeep leaves the store usable`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try store.write(.creation(Sample.item("i1")), at: Timestamp(milliseconds: 0))
        try store.write(.creation(Sample.item("i2")), at: Timestamp(milliseconds: 0))
        try store.connection.execute("PRAGMA query_only = 1")
        #expect(throws: StoreFailure.self) { try store.upkeep(now: Sample.moment, limits: UpkeepLimits()) }
        try store.connection.execute("PRAGMA query_only = 0")
        _ = try store.upkeep(now: Sample.moment, limits: UpkeepLimits())
        #expect(try store.changes(since: 0, rowsMax: 10) == .unknown)
    }

    @Test func `A file that is no database is refused by name`() throws {
        let folder = try TemporaryFolder()
        try Data("This is a letter to my aunt.\n".utf8).write(to: URL(fileURLWithPath: folder.path("todosync.db")))
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        #expect(failure?.message.contains("todosync.db is not a database") == true)
    }

    @Test func `A damaged file says that it is`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        for number in 0..<200 { try store.write(.creation(Sample.item("i\(number)", notes: String(repeating: "n", count: 300)))) }
        store.close()
        let path = folder.path("todosync.db")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // All pages but the first, which holds the header and the schema's root.
        for place in 4096..<bytes.count { bytes[place] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let failure = #expect(throws: StoreFailure.self) {
            let store = try SQLiteStore(folder: folder.path)
            defer { store.close() }
            _ = try store.keys(.item)
        }
        #expect(failure?.message.contains("is damaged") == true)
    }
}
