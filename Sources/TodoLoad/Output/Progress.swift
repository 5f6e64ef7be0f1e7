import Glibc
import Network

/// Tells on standard error how far the run is: one line that changes on a terminal, a line now and then elsewhere.
struct Progress {
    struct Standing {
        var sessions: Int
        var ready: Int
        var written: Int
        var rate: Double
        var unanswered: Int
        var seconds: Double
        var secondsInAll: Double
        var deliveries: Int
        var writeP99: Int64
    }

    private static let plainMilliseconds = 5_000
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var hasLine = false
    private var lastPhase: LoadRun.Phase?
    private var nextPlain = Instant(nanoseconds: 0)

    mutating func show(_ phase: LoadRun.Phase, _ standing: Standing, at now: Instant) {
        guard let text = Self.text(phase, standing) else { return }
        if isTerminal {
            write("\r\u{1B}[K\(text)")
            hasLine = true
        } else if lastPhase != phase || now >= nextPlain {
            write("\(text)\n")
            nextPlain = now.advanced(milliseconds: Self.plainMilliseconds)
        }
        lastPhase = phase
    }

    /// Removes the line, so that something else can be printed.
    mutating func end() {
        if hasLine { write("\r\u{1B}[K") }
        hasLine = false
    }

    private static func text(_ phase: LoadRun.Phase, _ standing: Standing) -> String? {
        switch phase {
        case .preparing: return "making the projects …"
        case .joining: return "logging in: \(Figures.whole(standing.ready)) of \(Figures.whole(standing.sessions)) sessions"
        case .writing:
            return "writing: \(Figures.decimal(standing.seconds, 1)) of \(Figures.decimal(standing.secondsInAll, 0)) s, "
                + "\(Figures.whole(standing.written)) writes, \(Figures.whole(standing.unanswered)) unanswered, "
                + "\(Figures.whole(standing.deliveries)) deliveries, p99 to result \(Figures.time(standing.writeP99))"
        case .draining: return "waiting for the last changes: \(Figures.whole(standing.unanswered)) writes unanswered"
        case .verifying: return "comparing every session's lists with the server's"
        case .removing: return "removing the projects of this run"
        case .leaving, .over: return nil
        }
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
