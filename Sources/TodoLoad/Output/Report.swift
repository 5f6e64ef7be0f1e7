import TodoProtocol

/// What a stretch of time cost.
struct Usages {
    var at: Int64 = 0
    var bytesRead = 0
    var bytesWritten = 0
    /// Processor seconds of this program.
    var own = 0.0
    /// Processor seconds of the server, where it runs on this machine and this program started it.
    var server: Double?
    var deliveries = 0
    var acknowledged = 0
}

/// What a run found.
struct Report {
    /// So many sentences of one kind are kept.
    private static let sentencesMax = 10

    /// From the intended send time to the result.
    var toResult = Histogram()
    /// From the intended send time to the sending: what this program itself was late by.
    var lateness = Histogram()
    var acknowledged = 0
    /// Changes that sessions applied.
    var deliveries = 0
    private(set) var failures: [String] = []
    private(set) var refusals: [String: Int] = [:]
    private(set) var lost = 0
    private(set) var differences = 0
    private(set) var differenceSentences: [String] = []
    /// Sessions whose lists were compared at one version with the server's.
    var verified = 0
    /// The version of the comparison.
    var version: Int64 = 0
    var wasInterrupted = false
    /// What the time of writing cost.
    private(set) var usages = Usages()
    /// How long was written.
    private(set) var seconds = 0.0

    mutating func fail(_ sentence: String) {
        if failures.count < Self.sentencesMax, !failures.contains(sentence) { failures.append(sentence) }
    }

    mutating func noteRefusal(_ error: ServerError) {
        let path = error.path.map { " at \($0)" } ?? ""
        refusals["\(error.message) (\(error.code)\(path))", default: 0] += 1
    }

    mutating func noteLoss(_ sentence: String) {
        lost += 1
        fail(sentence)
    }

    mutating func noteDifference(_ sentence: String) {
        differences += 1
        if differenceSentences.count < Self.sentencesMax { differenceSentences.append(sentence) }
    }

    /// The time of writing is over.
    mutating func note(_ end: Usages, since start: Usages) {
        seconds = Double(end.at - start.at) / 1e9
        usages.bytesRead = end.bytesRead - start.bytesRead
        usages.bytesWritten = end.bytesWritten - start.bytesWritten
        usages.own = end.own - start.own
        usages.server = end.server.flatMap { end in start.server.map { end - $0 } }
        usages.deliveries = end.deliveries - start.deliveries
        usages.acknowledged = end.acknowledged - start.acknowledged
    }

    /// How many writes were refused.
    var refused: Int { refusals.values.reduce(0, +) }

    /// Whether everything that the run set out to show was shown.
    func isGood(sessions: Int) -> Bool {
        failures.isEmpty && refusals.isEmpty && lost == 0 && differences == 0 && verified == sessions && !wasInterrupted
    }
}

/// All that a report is printed from.
struct Outcome {
    var options: LoadOptions
    var url: String
    var report: Report
    var sent: Int
    var toOne: Histogram
    var toEvery: Histogram

    var isGood: Bool { report.isGood(sessions: options.sessions) }
    /// Writes of which neither result nor refusal came.
    var unanswered: Int { sent - report.acknowledged - report.refused }
    /// Results a second, over the time of writing.
    var achievedRate: Double { report.seconds > 0 ? Double(report.usages.acknowledged) / report.seconds : 0 }
    var deliveriesPerSecond: Double { report.seconds > 0 ? Double(report.usages.deliveries) / report.seconds : 0 }
}
