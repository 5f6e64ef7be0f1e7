import Glibc

/// Folders that go with the program.
enum TemporaryFolder {
    /// Removes a folder and all that is in it. Links are removed, not followed.
    static func remove(_ path: String) {
        if let folder = opendir(path) {
            var names: [String] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                if name != ".", name != ".." { names.append(name) }
            }
            closedir(folder)
            for name in names { removeEntry("\(path)/\(name)") }
        }
        rmdir(path)
    }

    private static func removeEntry(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR { remove(path) } else { unlink(path) }
    }
}
