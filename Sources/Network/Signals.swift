import CLinux
import Glibc

/// A signal that a server acts on.
public enum ProcessSignal: Sendable {
    /// Ctrl-C (`SIGINT`).
    case interrupt
    /// A request to stop (`SIGTERM`).
    case terminate
    /// A request to read the configuration and certificates again (`SIGHUP`).
    case hangUp

    var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    init?(number: Int32) {
        switch number {
        case SIGINT: self = .interrupt
        case SIGTERM: self = .terminate
        case SIGHUP: self = .hangUp
        default: return nil
        }
    }
}

/// Turns signals into events: they are blocked for the process and read from a descriptor instead.
///
/// Make it on the main thread before any other thread starts: threads inherit what is blocked.
public struct SignalSource: ~Copyable {
    let descriptor: Descriptor

    /// Blocks `signals` and makes the source that reports them.
    public init(_ signals: [ProcessSignal]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.number) }
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw SystemError("pthread_sigmask", to: "receive signals", code: code) }
        descriptor = try Descriptor(
            result: signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC)), of: "signalfd", to: "receive signals")
    }

    /// The next signal that has arrived, or nil if there is none.
    public func next() -> ProcessSignal? {
        var information = signalfd_siginfo()
        while read(descriptor.number, &information, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
            if let signal = ProcessSignal(number: Int32(bitPattern: information.ssi_signo)) { return signal }
        }
        return nil
    }
}
