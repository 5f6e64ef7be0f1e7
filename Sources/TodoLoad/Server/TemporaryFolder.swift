import Glibc

/// Folders that go with the program.
enum TemporaryFolder {
    /// Removes a folder and all that is in it. Links are removed, not followed.
    static func remove(_ path: String) {
        _ = nftw(path, { path, _, _, _ in path.map { Glibc.remove($0) } ?? 0 }, 16, Int32(FTW_DEPTH.rawValue | FTW_PHYS.rawValue))
    }
}
