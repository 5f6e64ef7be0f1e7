import Bytes

/// What a scenario found, for people and for programs.
struct ScenarioOutcome {
    let scenario: Scenario
    let options: LoadOptions
    let rows: Int
    let url: String
    let steps: [StepFigures]
    let failures: [String]
    let wasInterrupted: Bool

    var isGood: Bool { failures.isEmpty && !wasInterrupted }

    var text: String {
        var lines = [
            "",
            "\(scenario.rawValue): \(Figures.whole(options.sessions)) sessions, \(Figures.whole(options.projects)) projects, "
                + "\(Figures.whole(rows)) rows, \(Figures.decimal(options.rate, 0)) writes/s", url, "",
        ]
        for step in steps where step.name != "over" { lines += Self.lines(step) }
        lines.append("")
        lines += comparisons
        lines += failures.map { "FAILED  \($0)" }
        if wasInterrupted { lines.append("Interrupted: nothing is proved.") }
        if isGood { lines.append("Converged: the lists of all sessions equal the server's queries.") }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ step: StepFigures) -> [String] {
        var line = Figures.left(step.name, 36) + Figures.right("\(Figures.decimal(step.seconds, 2)) s", 11)
        line += Figures.right(Figures.bytes(Double(step.bytesReceived)), 12)
        if let memory = step.serverMemory { line += "   server \(Figures.bytes(Double(memory)))" }
        var lines = [line]
        for (name, histogram) in [("to result", step.toResult), ("to readers", step.toReaders), ("large list", step.firstLists)]
        where histogram.count > 0 {
            lines.append(
                Figures.left("  \(name)", 36)
                    + "p50 \(Figures.time(histogram.quantile(0.5)))  p99 \(Figures.time(histogram.quantile(0.99)))  "
                    + "max \(Figures.time(histogram.max))")
        }
        return lines
    }

    /// What the scenario is about, in one sentence.
    private var comparisons: [String] {
        if scenario == .reconnect, let full = step(.join), let back = step(.reconnect), back.bytesReceived > 0 {
            return [
                "All were right again after \(Figures.decimal(back.seconds, 2)) s, for \(Figures.bytes(Double(back.bytesReceived))) against "
                    + "\(Figures.bytes(Double(full.bytesReceived))) of whole lists."
            ]
        }
        let measured = steps.filter { $0.toReaders.count > 0 }
        guard measured.count == 2, scenario != .reconnect else { return [] }
        var lines = [
            Self.comparison("to result", measured[0], measured[1], \.toResult),
            Self.comparison("to readers", measured[0], measured[1], \.toReaders),
        ]
        if scenario == .firstList {
            lines.append(
                "Measured in \(Scenario.turns) turns each. The large lists were read on another thread, nice by \(LargeListReader.niceness): "
                    + "on this machine that thread and the server share the cores with the one that measures.")
        }
        return lines
    }

    private static func comparison(_ what: String, _ one: StepFigures, _ other: StepFigures, _ histogram: KeyPath<StepFigures, Histogram>)
        -> String
    {
        let (before, after) = (one[keyPath: histogram].quantile(0.99), other[keyPath: histogram].quantile(0.99))
        return "p99 \(what): \(one.name) \(Figures.time(before)), \(other.name) \(Figures.time(after)), "
            + "\(Figures.decimal(Double(after) / Double(max(1, before)), 2)) times as long."
    }

    private func step(_ step: Scenario.Step) -> StepFigures? {
        steps.first { $0.name == step.name }
    }

    /// One JSON object; times are in milliseconds.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ok")
        writer.value(isGood)
        writer.key("scenario")
        writer.value(scenario.rawValue)
        writer.key("url")
        writer.value(url)
        writer.counts([("sessions", options.sessions), ("projects", options.projects), ("rows", rows)])
        writer.key("rate")
        writer.value(options.rate)
        writer.key("steps")
        writer.beginArray()
        for step in steps where step.name != "over" { Self.write(step, &writer) }
        writer.endArray()
        writer.key("failures")
        writer.beginArray()
        for failure in failures { writer.value(failure) }
        writer.endArray()
        writer.endObject()
        return writer.finish().string
    }

    private static func write(_ step: StepFigures, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.value(step.name)
        writer.key("seconds")
        writer.value(step.seconds)
        writer.counts([("bytesReceived", step.bytesReceived), ("writes", step.writes)])
        if let memory = step.serverMemory {
            writer.key("serverMemoryBytes")
            writer.value(memory)
        }
        for (name, histogram) in [("toResult", step.toResult), ("toReaders", step.toReaders), ("largeList", step.firstLists)]
        where histogram.count > 0 {
            writer.key(escaping: name)
            writer.beginObject()
            writer.quantiles(of: histogram)
            writer.endObject()
        }
        writer.endObject()
    }
}
