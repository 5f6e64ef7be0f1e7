import Foundation
import Glibc
import Todo

/// What the database knows of the folder that it belongs to: an empty file in it, the mark, and its own file.
///
/// A copy holds the same words, but its files are others: so a copy is told from the original, and what was put back from what went on.
struct HistoryMark: Equatable {
    /// The mark's name in the folder.
    var name: String
    /// The mark itself.
    var file: FileIdentity
    /// The database's file.
    var database: FileIdentity

    private static let prefix = "history-"
    private static let suffix = ".mark"

    /// Makes a fresh mark for the database in that folder. It is on the disk when this returns.
    ///
    /// - Parameter isFinal: whether nothing is written any more until the next opening. A copy that is made from then on is put back beside
    ///   another mark than the one that it knows, so when the mark was last touched need not be compared, if it is known when it was made: what
    ///   changes owners or rights of everything in the folder before a start changes nothing for clients.
    static func make(in folder: String, database: String, isFinal: Bool) throws(StoreFailure) -> HistoryMark {
        let name = prefix + Epoch.random() + suffix
        let path = folder + "/" + name
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFailure("\(path) cannot be made: \(String(cString: strerror(errno)))") }
        // A mark that a power cut takes back after it was recorded costs clients their lists once, and nothing else.
        _ = fsync(descriptor)
        Glibc.close(descriptor)
        syncFolder(folder)
        guard var file = FileIdentity(ofFile: path), var databaseFile = FileIdentity(ofFile: folder + "/" + database) else {
            unlink(path)
            throw StoreFailure("the files in \(folder) have no identity: \(String(cString: strerror(errno)))")
        }
        if isFinal, file.bornAt != nil { file.changedAt = nil }
        // Every write changes that.
        databaseFile.changedAt = nil
        return HistoryMark(name: name, file: file, database: databaseFile)
    }

    /// Whether the folder is the one that it was made in, and nothing in it was put back.
    func isThat(of folder: String, database: String) -> Bool {
        guard let found = FileIdentity(ofFile: folder + "/" + name), let foundDatabase = FileIdentity(ofFile: folder + "/" + database)
        else {
            return false
        }
        return file.isThat(of: found) && self.database.isThat(of: foundDatabase)
    }

    /// Removes it again.
    func remove(from folder: String) {
        unlink(folder + "/" + name)
    }

    /// Removes all other marks: the one before, and what a crash has left.
    func removeOthers(in folder: String) {
        for other in Self.names(in: folder) where other != name { unlink(folder + "/" + other) }
    }

    /// The marks in a folder.
    static func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
    }

    private static func syncFolder(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        Glibc.close(descriptor)
    }
}
