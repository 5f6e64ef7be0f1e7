import CSQLite
import Glibc
import Todo

/// Turns SQLite's result codes into sentences that say what to do (https://www.sqlite.org/rescode.html).
enum SQLiteFailure {
    static func describe(code: Int32, detail: String, systemError: Int32, path: String) -> StoreFailure {
        let cause = systemError == 0 ? detail : "\(detail); \(String(cString: strerror(systemError)))"
        // The low byte is the primary code, the rest says where it arose.
        switch code & 0xFF {
        case SQLITE_FULL:
            return StoreFailure(
                "The disk that holds \(path) is full: nothing was written. Make room; the server writes again by itself.")
        case SQLITE_READONLY:
            return StoreFailure(
                "\(path) cannot be written (\(cause)): let the user that runs the server write the file and its folder.")
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT:
            return StoreFailure(
                "The disk or quota that holds \(path) is full: nothing was written. Make room; the server writes again by itself.")
        case SQLITE_IOERR:
            return StoreFailure(
                "Reading or writing \(path) failed (\(cause), code \(code)): look at the disk and the system's log. Nothing was kept.")
        case SQLITE_CORRUPT:
            return StoreFailure("The database \(path) is damaged (\(cause)): stop the server and restore a backup.")
        case SQLITE_NOTADB:
            return StoreFailure("\(path) is not a database: move it away or choose another --data folder.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreFailure("\(path) is locked by another program: end the program that has it open.")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            return StoreFailure(
                "\(path) cannot be opened (\(cause)): let the user that runs the server read and write the file and its folder.")
        case SQLITE_NOMEM:
            return StoreFailure("There is not enough memory for the database \(path): nothing was written.")
        default:
            return StoreFailure("The database \(path) refused the work (\(cause), code \(code)): nothing was written.")
        }
    }

    /// What is stored does not have the form that this program writes.
    static func damaged(_ path: String, _ what: String) -> StoreFailure {
        StoreFailure("The database \(path) is damaged (\(what)): stop the server and restore a backup.")
    }
}
