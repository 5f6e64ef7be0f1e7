import Bytes

/// The report for programs: one JSON object. Times are in milliseconds.
extension Outcome {
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ok")
        writer.value(isGood)
        writer.key("url")
        writer.value(url)
        writer.counts([("sessions", options.sessions), ("projects", options.projects)])
        writer.key("rate")
        writer.value(options.rate)
        writer.key("seconds")
        writer.value(options.seconds)
        writer.key("seed")
        let seed = SharedBytes(utf8: String(options.seed))
        writer.raw(seed)
        writeCounts(&writer)
        writeLatencies(&writer)
        writeVerdict(&writer)
        writer.endObject()
        return writer.finish().string
    }

    private func writeCounts(_ writer: inout JSONWriter) {
        writer.key("writes")
        writer.beginObject()
        writer.counts([
            ("sent", sent), ("acknowledged", report.acknowledged), ("refused", report.refused), ("unanswered", unanswered),
        ])
        writer.endObject()
        writer.key("sessionsLost")
        writer.value(report.lost)
        writer.key("achievedRate")
        writer.value(achievedRate)
        writer.key("deliveries")
        writer.value(report.usages.deliveries)
        writer.key("deliveriesPerSecond")
        writer.value(deliveriesPerSecond)
        writer.key("bytesReceived")
        writer.value(report.usages.bytesRead)
        writer.key("bytesSent")
        writer.value(report.usages.bytesWritten)
        writer.key("processorSeconds")
        writer.value(report.usages.own)
        writer.key("serverProcessorSeconds")
        if let server = report.usages.server { writer.value(server) } else { writer.null() }
    }

    private func writeLatencies(_ writer: inout JSONWriter) {
        writer.key("latencyMilliseconds")
        writer.beginObject()
        for (name, histogram) in [
            ("writeToResult", report.toResult), ("writeToOneSubscriber", toOne), ("writeToEverySubscriber", toEvery),
            ("sentLate", report.lateness),
        ] {
            writer.key(escaping: name)
            writer.beginObject()
            writer.key("count")
            writer.value(histogram.count)
            writer.quantiles(of: histogram)
            writer.endObject()
        }
        writer.endObject()
    }

    private func writeVerdict(_ writer: inout JSONWriter) {
        writer.key("converged")
        writer.value(report.verified == options.sessions && report.differences == 0)
        writer.key("version")
        writer.value(report.version)
        writer.key("interrupted")
        writer.value(report.wasInterrupted)
        writer.key("failures")
        writer.beginArray()
        for sentence in report.failures { writer.value(sentence) }
        for (sentence, count) in report.refusals.sorted(by: { $0.key < $1.key }) {
            writer.value("\(count) writes were refused: \(sentence)")
        }
        for sentence in report.differenceSentences { writer.value(sentence) }
        writer.endArray()
    }
}
