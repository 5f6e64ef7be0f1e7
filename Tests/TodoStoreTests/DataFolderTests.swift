import Foundation
import Glibc
import Testing
import Todo
import TodoStore

@Suite struct DataFolderTests {
    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test func `Folders are made where they are missing, and only their owner may read what is in them`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a/b/data")
        let store = try SQLiteStore(folder: path)
        defer { store.close() }
        try store.write(.creation(Sample.project("p1")))
        #expect(try mode(folder.path("a")) == 0o700)
        #expect(try mode(path) == 0o700)
        for name in ["todosync.db", "todosync.db-wal", "todosync.db-shm", "lock"] { #expect(try mode(path + "/" + name) == 0o600) }
    }

    @Test func `A second server on the folder is refused with the first one's process`() throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteStore(folder: folder.path)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        #expect(
            failure?.message
                == "The folder \(folder.path) is in use by another server (process \(getpid())): stop it or choose another --data folder.")
        first.close()
        try SQLiteStore(folder: folder.path).close()
    }

    @Test func `A store that was closed has given the folder free, also while a copy of its lock's descriptor is open`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder: folder.path)
        // As a process has it that is being started.
        let name = "/\(URL(fileURLWithPath: folder.path).lastPathComponent)/lock"
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter {
            let opened = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return opened?.hasSuffix(name) == true
        }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        try #require(copies.count == 1)
        store.close()
        try SQLiteStore(folder: folder.path).close()
    }

    @Test func `Another process that holds the lock is named, and its end gives the folder free`() throws {
        let folder = try TemporaryFolder()
        try SQLiteStore(folder: folder.path).close()
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        // flock keeps the lock until its command ends; `cat` ends when its input does.
        holder.arguments = [folder.path("lock"), "sh", "-c", "echo $$ > \"$0\"; echo held; exec cat", folder.path("lock")]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        _ = output.fileHandleForReading.readData(ofLength: 5)
        let pid = try String(contentsOfFile: folder.path("lock"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let failure = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        #expect(failure?.message.contains("(process \(pid))") == true)
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        try SQLiteStore(folder: folder.path).close()
    }

    @Test func `A store that could not be opened lets go of the folder`() throws {
        let folder = try TemporaryFolder()
        try Data("no database at all, but long enough to be looked at".utf8).write(to: URL(fileURLWithPath: folder.path("todosync.db")))
        #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path) }
        try FileManager.default.removeItem(atPath: folder.path("todosync.db"))
        try SQLiteStore(folder: folder.path).close()
    }

    @Test func `A path that cannot be a folder is refused with the reason`() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("file")))
        let file = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path("file")) }
        #expect(file?.message == "\(folder.path("file")) is not a folder: choose another --data folder.")
        let below = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: folder.path("file/data")) }
        #expect(below?.message.contains("Not a directory") == true)
        let virtual = #expect(throws: StoreFailure.self) { try SQLiteStore(folder: "/proc/todosync") }
        #expect(virtual?.message.contains("/proc/todosync cannot be created") == true)
    }
}
