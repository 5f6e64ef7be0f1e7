import Glibc
import Network

/// Tells on standard error how far a scenario is: one line that changes on a terminal, a line now and then elsewhere.
struct ScenarioProgress {
    private static let plainMilliseconds = 5_000
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var hasLine = false
    private var last: Scenario.Step?
    private var nextPlain = Instant(nanoseconds: 0)

    static func name(of step: Scenario.Step) -> String {
        switch step {
        case .prepare: "making the projects"
        case .join: "first lists of all sessions"
        case .measure(let name): "writing, \(name)"
        case .drop: "all sessions cut off"
        case .reconnect: "all sessions back"
        case .stall: "filling the sockets of the stalled"
        case .wake: "the stalled read again"
        case .verify: "comparing every list"
        case .remove: "removing the projects"
        case .over: "over"
        }
    }

    mutating func show(_ step: Scenario.Step, ready: Int, of sessions: Int, written: Int, at now: Instant) {
        let text =
            "\(Self.name(of: step)): \(Figures.whole(ready)) of \(Figures.whole(sessions)) sessions, \(Figures.whole(written)) writes"
        if isTerminal {
            write("\r\u{1B}[K\(text)")
            hasLine = true
        } else if last != step || now >= nextPlain {
            write("\(text)\n")
            nextPlain = now.advanced(milliseconds: Self.plainMilliseconds)
        }
        last = step
    }

    mutating func end() {
        if hasLine { write("\r\u{1B}[K") }
        hasLine = false
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Memory of other processes.
enum ProcessMemory {
    /// Bytes that the process holds in memory, `nil` where the system does not tell.
    static func resident(of process: Int32) -> Int? {
        guard let text = ProcessFile.read("/proc/\(process)/status", bytesMax: 8192) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
    }
}
