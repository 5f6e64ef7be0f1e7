import CLinux
import Glibc

/// What tells a file from every copy of it on the same file system.
struct FileIdentity: Equatable {
    /// Its number in the file system. It may be given to another file when this one is gone.
    var inode: Int64
    /// When it came into being, in nanoseconds; `nil` where the file system doesn't keep that, or where it is not to be compared.
    var bornAt: Int64?
    /// When its content, name, rights or owner last changed, in nanoseconds; `nil` where that is not to be compared.
    var changedAt: Int64?

    /// Made from what was kept.
    init(inode: Int64, bornAt: Int64?, changedAt: Int64?) {
        self.inode = inode
        self.bornAt = bornAt
        self.changedAt = changedAt
    }

    /// That of the file at a path; `nil` where there is none, or the system does not say.
    init?(ofFile path: String) {
        var status = statx()
        let wanted = UInt32(STATX_INO | STATX_CTIME | STATX_BTIME)
        guard statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, wanted, &status) == 0 else { return nil }
        inode = Int64(bitPattern: status.stx_ino)
        let hasBirth = status.stx_mask & UInt32(STATX_BTIME) != 0
        bornAt = hasBirth ? Self.nanoseconds(status.stx_btime) : nil
        changedAt = Self.nanoseconds(status.stx_ctime)
    }

    /// Whether the file that was found may be the one that was kept: what was kept decides what is compared.
    func isThat(of found: FileIdentity) -> Bool {
        inode == found.inode && (bornAt == nil || bornAt == found.bornAt) && (changedAt == nil || changedAt == found.changedAt)
    }

    /// Only equality is asked for, so that a moment past the year 2262 may come round.
    private static func nanoseconds(_ moment: statx_timestamp) -> Int64 {
        moment.tv_sec &* 1_000_000_000 &+ Int64(moment.tv_nsec)
    }
}
