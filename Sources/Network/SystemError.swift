import CLinux
import Glibc

/// A system call that failed: which call, on what, why, and what a person can do about it.
public struct SystemError: Error, Equatable, Sendable {
    /// The system call, such as `bind`.
    public let call: String
    /// The value of `errno`, or 0 where the failure has no number of its own (name look-up).
    public let code: Int32
    /// What was being done and to what, such as `listen on 127.0.0.1:8080`.
    public let action: String
    /// The reason in words, without a full stop.
    public let reason: String

    /// The error of a call that has just failed: takes the number from `errno`.
    public init(_ call: String, to action: String) {
        self.init(call, to: action, code: errno)
    }

    /// The error of a call that failed with `code`.
    public init(_ call: String, to action: String, code: Int32) {
        self.init(call, to: action, code: code, reason: SystemError.text(of: code))
    }

    /// A failure whose reason is not an `errno`, such as a host name that is not known.
    public init(_ call: String, to action: String, code: Int32, reason: String) {
        self.call = call
        self.action = action
        self.code = code
        self.reason = reason
    }

    /// The system's own words for an `errno` value.
    public static func text(of code: Int32) -> String {
        // Unlike `strerror`, this one hands out constant text and is safe on every thread.
        guard let words = strerrordesc_np(code) else { return "error \(code)" }
        return String(cString: words)
    }

    /// What to do about it, or nil where the reason says it all.
    public var advice: String? {
        switch code {
        case EADDRINUSE: "Another program has this address: stop it, or choose another port."
        case EADDRNOTAVAIL: "This machine has no such address: use one of its own, 127.0.0.1, or 0.0.0.0 for all."
        case EACCES where call == "bind", EPERM where call == "bind":
            "Ports below 1024 need a privilege, and a socket file needs a writable folder: choose a port of 1024 or more, or grant the right."
        case EEXIST where call == "bind": "It is left alone: move it away, or name another path."
        case ENOENT where call == "bind", ENOTDIR where call == "bind": "The socket's folder is missing: make it, or name another path."
        case EMFILE: "The process has no file descriptor left: raise its limit on open files (ulimit -n)."
        case ENFILE: "The system has no file descriptor left: raise fs.file-max, or stop other programs."
        case ECONNREFUSED: "Nothing listens there: start the server, or check host and port."
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: "Check the address, the network and the firewall."
        default: nil
        }
    }
}

extension SystemError: CustomStringConvertible {
    /// One or two sentences: `cannot listen on 127.0.0.1:80: Permission denied (bind). Ports below 1024 …`
    public var description: String {
        let fact = "cannot \(action): \(reason) (\(call))."
        guard let advice else { return fact }
        return "\(fact) \(advice)"
    }
}
