import Glibc

/// How much processor time processes have used.
enum ProcessorTime {
    /// This process, all threads, in seconds.
    static func own() -> Double {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// Another process of this machine, in seconds; `nil` where the system does not tell.
    static func of(process: pid_t) -> Double? {
        guard let text = ProcessFile.read("/proc/\(process)/stat", bytesMax: 4096), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        // Fields 14 and 15 of proc(5), counted from the state, which is field 3.
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// Small files of the system.
enum ProcessFile {
    /// The first bytes of a file as text, `nil` where it can't be read.
    static func read(_ path: String, bytesMax: Int) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = Glibc.read(file, &bytes, bytesMax)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
