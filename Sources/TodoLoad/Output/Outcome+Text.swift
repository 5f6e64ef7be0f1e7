/// The report for people.
extension Outcome {
    private static let label = 28
    private static let column = 11

    var text: String {
        var lines = [
            "",
            "\(Figures.whole(options.sessions)) sessions, \(Figures.whole(options.projects)) projects, "
                + "\(Self.rate(options.rate)) writes/s for \(Self.rate(options.seconds)) s, seed \(options.seed)",
            url, "",
        ]
        if sent > 0 { lines += counts + [""] + latencies + [""] + costs + [""] }
        lines += verdict
        return lines.joined(separator: "\n")
    }

    private var counts: [String] {
        var writes =
            "\(Figures.whole(sent)) sent, \(Figures.whole(report.acknowledged)) acknowledged, \(Figures.whole(report.refused)) refused"
        if unanswered > 0 { writes += ", \(Figures.whole(unanswered)) unanswered" }
        return [
            Self.row("writes", writes),
            Self.row("rate achieved", "\(Figures.decimal(achievedRate, 1))/s of \(Self.rate(options.rate))/s"),
            Self.row(
                "changes delivered",
                "\(Figures.whole(report.usages.deliveries)), \(Figures.decimal(deliveriesPerSecond, 0))/s"),
            Self.row(
                "received",
                "\(Figures.bytes(Double(report.usages.bytesRead))), \(perSecond(report.usages.bytesRead)), \(perDelivery) a delivery"),
            Self.row("sent", "\(Figures.bytes(Double(report.usages.bytesWritten))), \(perSecond(report.usages.bytesWritten))"),
        ]
    }

    private func perSecond(_ bytes: Int) -> String {
        "\(Figures.bytes(report.seconds > 0 ? Double(bytes) / report.seconds : 0))/s"
    }

    private var perDelivery: String {
        Figures.bytes(report.usages.deliveries > 0 ? Double(report.usages.bytesRead) / Double(report.usages.deliveries) : 0)
    }

    private var latencies: [String] {
        var head = Figures.left("latency from the due time", Self.label)
        for quantile in Histogram.shownQuantiles { head += Figures.right(quantile.name, Self.column) }
        head += Figures.right("max", Self.column)
        return [
            head, Self.latency("write to result", report.toResult), Self.latency("write to one subscriber", toOne),
            Self.latency("write to every subscriber", toEvery), Self.latency("sent late by", report.lateness),
        ]
    }

    private static func latency(_ name: String, _ histogram: Histogram) -> String {
        var line = Figures.left(name, label)
        for quantile in Histogram.shownQuantiles {
            line += Figures.right(histogram.count > 0 ? Figures.time(histogram.quantile(quantile.part)) : "–", column)
        }
        return line + Figures.right(histogram.count > 0 ? Figures.time(histogram.max) : "–", column)
    }

    private var costs: [String] {
        guard report.seconds > 0 else { return [] }
        var lines = [Self.row("processor, todo-load", processor(report.usages.own))]
        if let server = report.usages.server { lines.append(Self.row("processor, todo-server", processor(server))) }
        return lines
    }

    private func processor(_ seconds: Double) -> String {
        let share = Figures.decimal(seconds / report.seconds * 100, 0)
        let each = report.usages.deliveries > 0 ? Int64(seconds * 1e9) / Int64(report.usages.deliveries) : 0
        return "\(Figures.decimal(seconds, 2)) s, \(share) % of a core, \(Figures.time(each)) a delivery"
    }

    private var verdict: [String] {
        if isGood {
            return [
                "Converged: at version \(Figures.whole(Int(report.version))) the lists of all \(Figures.whole(options.sessions)) sessions, built from their",
                "changes alone, equal the server's query, and all \(Figures.whole(report.acknowledged)) acknowledged writes are in them.",
            ]
        }
        var lines: [String] = []
        if report.wasInterrupted { lines.append("Interrupted: nothing is proved.") }
        lines += report.failures.map { "FAILED  \($0)" }
        lines += report.refusals.sorted { $0.key < $1.key }.map { "FAILED  \(Figures.whole($0.value)) writes were refused: \($0.key)" }
        lines += report.differenceSentences.map { "FAILED  \($0)" }
        if report.differences > report.differenceSentences.count {
            lines.append("        … and \(Figures.whole(report.differences - report.differenceSentences.count)) more differences")
        }
        if lines.isEmpty { lines.append("FAILED  \(report.verified) of \(options.sessions) sessions were compared.") }
        return lines
    }

    private static func row(_ name: String, _ text: String) -> String {
        Figures.left(name, label) + text
    }

    private static func rate(_ number: Double) -> String {
        Figures.decimal(number, number == number.rounded() ? 0 : 1)
    }
}
