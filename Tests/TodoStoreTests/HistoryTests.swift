import Foundation
import Glibc
import Testing
import Todo
import TodoStore

/// Whether a store knows its own folder again. The black-box tests put copies back in every way that operators do.
@Suite struct HistoryTests {
    private struct Opening: Equatable {
        var epoch: String
        var finding: HistoryFinding
    }

    private func open(_ path: String, startsNewHistory: Bool = false) throws -> Opening {
        let store = try SQLiteStore(folder: path, startsNewHistory: startsNewHistory)
        defer { store.close() }
        return Opening(epoch: store.epoch, finding: store.finding)
    }

    private func marks(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("history-") }.sorted()
    }

    private func leaveMark(_ name: String, in folder: TemporaryFolder) {
        _ = FileManager.default.createFile(atPath: folder.path("history-\(name).mark"), contents: nil)
    }

    private func execute(_ sql: String, in folder: TemporaryFolder) throws {
        let connection = try SQLiteConnection(path: folder.path(SQLiteStore.fileName), mode: .readWrite)
        try connection.execute(sql)
        connection.close()
    }

    @Test func `Opening again goes on with the history, under a fresh mark each time`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        #expect(first.finding == .same && first.finding.notice == nil)
        var seen = Set(try marks(folder.path))
        for _ in 0..<3 {
            let store = try SQLiteStore(folder: folder.path)
            seen.formUnion(try marks(folder.path))
            #expect(store.epoch == first.epoch && store.finding == .same)
            store.close()
            #expect(try marks(folder.path).count == 1)
            seen.formUnion(try marks(folder.path))
        }
        #expect(seen.count == 7, "a mark never comes back")
    }

    @Test func `A copy begins a history of its own, and the original goes on with its own`() throws {
        let (folder, copy) = (try TemporaryFolder(), try TemporaryFolder())
        let first = try open(folder.path)
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path("data"))
        let second = try open(copy.path("data"))
        #expect(second.epoch != first.epoch && second.finding == .copied)
        #expect(try open(copy.path("data")) == Opening(epoch: second.epoch, finding: .same))
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
    }

    /// What happens to a mark while it is the one of a running server, which then dies.
    enum Harm: CaseIterable {
        case none, removed, replaced, touched

        func apply(to mark: String) {
            switch self {
            case .none: break
            case .removed: unlink(mark)
            case .replaced:
                unlink(mark)
                _ = FileManager.default.createFile(atPath: mark, contents: nil)
            case .touched: chmod(mark, 0o640)
            }
        }
    }

    @Test(arguments: Harm.allCases)
    func `After a crash the mark must be there and untouched`(_ harm: Harm) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path("data"))
        // The folder is taken from under the store, whose closing then can't do anything orderly.
        try #require(rename(folder.path("data"), folder.path("left")) == 0)
        store.close()
        harm.apply(to: folder.path("left/" + (try #require(try marks(folder.path("left")).first))))
        let found = try open(folder.path("left"))
        #expect(found.finding == (harm == .none ? .same : .copied))
        #expect((found.epoch == store.epoch) == (harm == .none))
    }

    @Test func `Rights that were set between a close and an opening change nothing`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) { chmod(folder.path(name), 0o640) }
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
    }

    @Test func `Marks that a crash has left are removed, and change nothing`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        for number in 0..<5 { leaveMark("left\(number)", in: folder) }
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
        #expect(try marks(folder.path).count == 1)
    }

    @Test func `A database from before there were marks keeps its history, also where the upgrade was interrupted`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        try execute("DROP TABLE history_mark; PRAGMA user_version = 3", in: folder)
        for mark in try marks(folder.path) { unlink(folder.path(mark)) }
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
        // The form is written, a mark is made, and it was not recorded yet.
        try execute("DELETE FROM history_mark", in: folder)
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
        #expect(try marks(folder.path).count == 1)
    }

    @Test func `A database from before there were marks that is put into a folder with marks begins a new history`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        try execute("DROP TABLE history_mark; PRAGMA user_version = 3", in: folder)
        let second = try open(folder.path)
        #expect(second.epoch != first.epoch && second.finding == .copied)
    }

    @Test func `A new history begins where that is asked for, once`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        let second = try open(folder.path, startsNewHistory: true)
        #expect(second.epoch != first.epoch && second.finding == .renewed)
        #expect(try open(folder.path) == Opening(epoch: second.epoch, finding: .same))
    }

    @Test func `Where no mark can be recorded the epoch is kept nowhere, and no mark is left`() throws {
        let folder = try TemporaryFolder()
        let first = try open(folder.path)
        let before = try marks(folder.path)
        try execute("CREATE TRIGGER full BEFORE INSERT ON history_mark BEGIN SELECT RAISE(ABORT, 'no room'); END", in: folder)
        let unmarked = try open(folder.path)
        guard case .unmarked(let reason) = unmarked.finding else { throw UnexpectedFinding(finding: unmarked.finding) }
        #expect(reason.contains("no room") && unmarked.finding.notice?.contains(reason) == true)
        #expect(unmarked.epoch != first.epoch)
        #expect(try marks(folder.path) == before)
        try execute("DROP TRIGGER full", in: folder)
        #expect(try open(folder.path) == Opening(epoch: first.epoch, finding: .same))
    }

    private struct UnexpectedFinding: Error {
        let finding: HistoryFinding
    }

    @Test func `A temporary store makes no marks`() throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        #expect(try marks(store.folder).isEmpty)
        #expect(store.finding == .same)
    }
}
