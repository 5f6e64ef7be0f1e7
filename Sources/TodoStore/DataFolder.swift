import Foundation
import Glibc
import Todo

/// The folder that holds a server's data, locked for this process as long as the value lives.
///
/// Owned: the lock is given back by `deinit`. The system gives it back too when the process ends, however that happens.
struct DataFolder: ~Copyable {
    /// The folder's path as it was given.
    let path: String
    private let lock: Int32

    /// Opens the folder, making it (and those above it) where it is missing, readable by its owner only.
    init(_ path: String) throws(StoreFailure) {
        try Self.make(path)
        lock = try Self.lock(path)
        self.path = path
    }

    private static func lock(_ path: String) throws(StoreFailure) -> Int32 {
        let lockPath = path + "/lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw refused("cannot be used: \(lockPath) cannot be opened", path) }
        if flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let isTaken = errno == EWOULDBLOCK
            let failure =
                isTaken
                ? StoreFailure(
                    "The folder \(path) is in use by another server (process \(holder(lock))): "
                        + "stop it or choose another --data folder.")
                : refused("cannot be locked", path)
            Glibc.close(lock)
            throw failure
        }
        write(processIdInto: lock)
        return lock
    }

    deinit {
        // A process that is just being started has a copy of the descriptor until it runs its own program: closing alone would leave it the lock.
        flock(lock, LOCK_UN)
        Glibc.close(lock)
    }

    /// The path of a file in the folder.
    func file(_ name: String) -> String { path + "/" + name }

    /// Makes the file where it is missing, readable by its owner only; what SQLite adds beside it gets the same rights.
    func make(file name: String) throws(StoreFailure) {
        let descriptor = open(file(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.refused("cannot be used: \(file(name)) cannot be written", path) }
        Glibc.close(descriptor)
    }

    /// A fresh folder for tests and trials.
    static func temporaryPath() throws(StoreFailure) -> String {
        var template = Array((NSTemporaryDirectory() + "/todosync-XXXXXX").utf8CString)
        let path = template.withUnsafeMutableBufferPointer { letters in
            letters.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else { throw refused("cannot be used for temporary data", NSTemporaryDirectory()) }
        return path
    }

    private static func make(_ path: String) throws(StoreFailure) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw StoreFailure("\(path) is not a folder: choose another --data folder.")
            }
            return
        }
        if errno == ENOENT {
            if let parent = parent(of: path) { try make(parent) }
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refused("cannot be created", path) }
    }

    /// The folder that the path's last part lies in, `nil` where that is the working folder or the root.
    ///
    /// Foundation's own way to it traps on a relative path of one character.
    private static func parent(of path: String) -> String? {
        let slash = UInt8(ascii: "/")
        let names = path.utf8.reversed().drop { $0 == slash }
        let parent = names.drop { $0 != slash }.drop { $0 == slash }
        return parent.isEmpty ? nil : String(decoding: parent.reversed(), as: UTF8.self)
    }

    private static func refused(_ what: String, _ path: String) -> StoreFailure {
        let cause = String(cString: strerror(errno))
        return StoreFailure(
            "The folder \(path) \(what) (\(cause)): let the user that runs the server write there, or choose another --data folder.")
    }

    /// The process id that the holder of the lock wrote into it.
    private static func holder(_ lock: Int32) -> String {
        var digits = [UInt8](repeating: 0, count: 20)
        let count = pread(lock, &digits, digits.count, 0)
        let text = String(decoding: digits.prefix(max(0, count)).prefix { (48...57).contains($0) }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }

    private static func write(processIdInto lock: Int32) {
        let text = Array("\(getpid())\n".utf8)
        // The id only helps a person to find the other server: where it cannot be written (disk full) the lock holds all the same.
        guard ftruncate(lock, 0) == 0 else { return }
        _ = pwrite(lock, text, text.count, 0)
    }
}
