import Foundation
import Glibc
import Testing
import Todo
import TodoStore

@Suite struct SQLiteStoreTests {
    @Test("The embedded store does what every store must", arguments: ConformanceCase.all)
    func conformance(_ conformance: ConformanceCase) throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try conformance.run(store)
    }

    @Test func `Everything is there again after closing and opening`() throws {
        let folder = try TemporaryFolder()
        let token = Sample.token(1)
        let epoch: String
        do {
            let store = try SQLiteStore(folder: folder.path)
            defer { store.close() }
            epoch = store.epoch
            try store.write(.creation(Sample.project("p1")))
            try store.begin()
            try store.apply([.creation(Sample.item("i1"))], by: "u2")
            try store.insertToken(token)
            try store.commit()
            try store.begin()
            try store.apply([.creation(Sample.item("i2"))])
        }
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        #expect(store.epoch == epoch)
        #expect(store.version == 2)
        #expect(try store.keys(.item) == ["i1"])
        #expect(try store.token(hash: token.hash) == token)
        #expect(try store.changes(since: 1, rowsMax: 10) == .net(version: 2, changes: [.creation(Sample.item("i1"))], by: [["u2"]]))
    }

    @Test func `Two stores have two epochs`() throws {
        let (first, second) = (try SQLiteStore.temporary(), try SQLiteStore.temporary())
        #expect(first.epoch != second.epoch)
        first.close()
        second.close()
    }

    @Test func `What was committed is in the files at once, what was not is not`() throws {
        let (folder, copy) = (try TemporaryFolder(), try TemporaryFolder())
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        for number in 0..<20 { try store.write(.creation(Sample.item("i\(number)"))) }
        try store.begin()
        try store.apply([.creation(Sample.item("late"))])
        // As after `kill -9`: the files as they are, without anything that closing would do.
        for name in ["todosync.db", "todosync.db-wal"] {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
        }
        store.rollback()
        let found = try SQLiteStore(folder: copy.path)
        defer { found.close() }
        #expect(found.version == 20)
        #expect(found.epoch != store.epoch, "the copy has a history of its own")
        #expect(try found.keys(.item).count == 20)
        #expect(try found.object(.item, "late") == nil)
    }

    @Test func `A WAL file that was cut off in the middle of a commit loses that commit as a whole`() throws {
        let (folder, copy) = (try TemporaryFolder(), try TemporaryFolder())
        let store = try SQLiteStore(folder: folder.path)
        defer { store.close() }
        try store.write(.creation(Sample.project("p1")))
        let before = try fileSize(folder.path("todosync.db-wal"))
        try store.write(.creation(Sample.item("i1")), .creation(Sample.item("i2")))
        let after = try fileSize(folder.path("todosync.db-wal"))
        #expect(after > before)
        for length in stride(from: before, to: after, by: 1009) {
            for name in ["todosync.db", "todosync.db-wal"] {
                try? FileManager.default.removeItem(atPath: copy.path(name))
                try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
            }
            try #require(truncate(copy.path("todosync.db-wal"), length) == 0)
            let found = try SQLiteStore(folder: copy.path)
            #expect(found.version == 1)
            #expect(try found.keys(.item).isEmpty)
            #expect(try found.changes(since: 0, rowsMax: 10) == .net(version: 1, changes: [.creation(Sample.project("p1"))], by: [["u1"]]))
            found.close()
        }
    }

    private func fileSize(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    @Test func `Snapshots are read on other threads while the store writes`() async throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try await withThrowingTaskGroup(of: (Int64, Int).self) { group in
            for number in 1...60 {
                try store.write(.creation(Sample.item("i\(number)")))
                let snapshot = try store.snapshot()
                group.addTask {
                    defer { snapshot.release() }
                    return (snapshot.version, try snapshot.keys(.item).count)
                }
            }
            for try await (version, count) in group { #expect(version == Int64(count)) }
        }
    }

    @Test func `A snapshot outlives the closing of its store`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        try store.write(.creation(Sample.item("i1")))
        let snapshot = try store.snapshot()
        store.close()
        store.close()
        #expect(try snapshot.keys(.item) == ["i1"])
        snapshot.release()
        let again = try SQLiteStore(folder: folder.path)
        #expect(again.version == 1)
        again.close()
    }

    @Test func `A temporary store removes its folder`() throws {
        let store = try SQLiteStore.temporary()
        #expect(FileManager.default.fileExists(atPath: store.folder))
        store.close()
        #expect(!FileManager.default.fileExists(atPath: store.folder))
    }
}
