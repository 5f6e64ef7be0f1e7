import CLinux
import Glibc
import Network
import Testing

/// Two connected Unix sockets: one for the loop, one that the test drives by hand.
struct SocketPair: ~Copyable {
    let ours: Int32
    private(set) var theirs: Int32

    init(sendBufferBytes: Int32? = nil) throws {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &numbers) == 0)
        ours = numbers[0]
        theirs = numbers[1]
        _ = fcntl(theirs, F_SETFL, O_NONBLOCK)
        if var bytes = sendBufferBytes { setsockopt(theirs, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size)) }
    }

    /// The loop's side; take it once.
    mutating func takeTheirs() -> Descriptor {
        defer { theirs = -1 }
        return Descriptor(owning: theirs)
    }

    /// Writes all of it, blocking.
    func write(_ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { send(ours, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            done += count
        }
    }

    deinit {
        close(ours)
        if theirs >= 0 { close(theirs) }
    }
}

/// Reads a blocking socket to its end, `pieceBytes` at a time.
///
/// - Returns: what came, and the `errno` that ended it, 0 for an orderly end.
func readToEnd(_ socket: Int32, pieceBytes: Int = 65_536) -> (bytes: [UInt8], code: Int32) {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
        let count = recv(socket, &piece, piece.count, 0)
        if count == 0 { return (all, 0) }
        if count < 0 { return (all, errno) }
        all.append(contentsOf: piece[0..<count])
    }
}
