/// How much a log line matters.
public enum LogLevel: Int, Comparable, CaseIterable, Sendable {
    /// For finding faults: every request.
    case debug
    /// What an operator wants to see in a normal day: start, stop, log-ins.
    case info
    /// What works but should be looked at: refused log-ins, readers that are too slow.
    case warning
    /// What does not work: the store fails.
    case error

    /// The word in flags and in the log.
    public var name: String { "\(self)" }

    /// The level of that word.
    public init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Orders by how much a line matters.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Where log lines go: one line an event, never with a password or a token.
public struct Log: Sendable {
    /// Lines below this level are not made.
    public let level: LogLevel
    private let sink: @Sendable (LogLevel, String) -> Void

    /// A log that gives lines of at least that level to `sink`, from any thread.
    public init(level: LogLevel, sink: @escaping @Sendable (LogLevel, String) -> Void) {
        self.level = level
        self.sink = sink
    }

    /// A log that keeps nothing.
    public static let none = Log(level: .error) { _, _ in }

    /// Writes the line, which is made only if the level is wanted.
    public func callAsFunction(_ level: LogLevel, _ line: @autoclosure () -> String) {
        if level >= self.level { sink(level, line()) }
    }
}
