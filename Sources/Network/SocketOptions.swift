import CLinux
import Glibc

/// The few socket options that connections need.
enum SocketOptions {
    /// Switches an option on. A failure is left to the call that depends on it.
    static func set(_ level: Int32, _ option: Int32, on descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes the next close throw away what is unsent and reset the connection, instead of keeping it in the kernel for minutes.
    static func discardOnClose(_ descriptor: Int32) {
        var setting = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    /// How many bytes the kernel holds that the peer has not acknowledged; 0 for a socket that can't tell.
    static func unacknowledgedBytes(of descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// The error that a connection attempt or an earlier packet left behind; 0 is none. Reading clears it.
    static func pendingError(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }
}
