import Glibc

/// What a process that serves many sockets sets up once at its start.
public enum ProcessSetup {
    /// Raises the limit on open files to the most that the system allows this process.
    ///
    /// - Returns: the limit that holds now.
    @discardableResult
    public static func raiseOpenFileLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Makes a write to a closed pipe or socket an error of that call instead of the end of the process.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Makes the signals that mean nothing here mean nothing, instead of the end of the process: somebody takes them for a request to write a status or a log anew.
    public static func ignoreUserSignals() {
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2, SIG_IGN)
    }
}
