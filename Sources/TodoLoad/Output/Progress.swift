import Glibc
import Network

/// Tells on standard error how far a run is: one line that changes on a terminal, a line now and then elsewhere.
struct Progress<Phase: Equatable> {
    private static var plainMilliseconds: Int { 5_000 }
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var hasLine = false
    private var lastPhase: Phase?
    private var nextPlain = Instant(nanoseconds: 0)

    mutating func show(_ text: String, of phase: Phase, at now: Instant) {
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

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
