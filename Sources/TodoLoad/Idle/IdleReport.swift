import Bytes

/// What an idle run measured: the server's resident memory in bytes at each point.
struct IdleReport {
    let url: String
    let connections: Int
    /// Connections that were opened and closed beside them.
    var passing = 0
    var atStart: Int?
    var open: Int?
    var loggedIn: Int?
    /// When as many had passed before, so that what is kept for the next ones is there.
    var warm: Int?
    var passed: Int?
    /// Why the run came to no end.
    var failure: String?

    var isGood: Bool { failure == nil && passed != nil }

    /// What one bare connection takes.
    var bytesBare: Double? { each(open, atStart, connections) }
    /// What one connection with a logged-in session takes in all.
    var bytesLoggedIn: Double? { each(loggedIn, atStart, connections) }
    /// What each connection that has come and gone leaves behind.
    var bytesLeft: Double? { each(passed, warm, passing) }

    private func each(_ later: Int?, _ earlier: Int?, _ count: Int) -> Double? {
        guard let later, let earlier, count > 0 else { return nil }
        return Double(later - earlier) / Double(count)
    }
}

extension IdleReport {
    private static let label = 32

    /// The report for people.
    var text: String {
        var lines = ["", "\(Figures.whole(connections)) idle connections to \(url)", "resident memory of the server's process:", ""]
        if let bytes = atStart { lines.append(row("before the first", "\(Figures.bytes(Double(bytes)))")) }
        if let bytes = bytesBare { lines.append(row("a bare connection", "\(Figures.whole(Int(bytes.rounded()))) B")) }
        if let bytes = bytesLoggedIn {
            lines.append(row("with a session of a user of its own", "\(Figures.whole(Int(bytes.rounded()))) B"))
        }
        if let warm, let passed, let bytes = bytesLeft {
            let growth = "\(passed >= warm ? "+" : "-")\(Figures.bytes(Double(abs(passed - warm))))"
            lines.append(row("\(Figures.whole(passing)) more opened and closed", "\(growth), \(Figures.decimal(bytes, 1)) B each"))
        }
        if let failure { lines += ["", "FAILED  \(failure)"] }
        return lines.joined(separator: "\n")
    }

    private func row(_ name: String, _ text: String) -> String {
        Figures.left("  " + name, Self.label + 8) + text
    }

    /// The report for programs: one JSON object.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ok")
        writer.value(isGood)
        writer.key("url")
        writer.value(url)
        writer.counts([("connections", connections), ("passing", passing)])
        for (name, bytes) in [("bytesBare", bytesBare), ("bytesLoggedIn", bytesLoggedIn), ("bytesLeft", bytesLeft)] {
            writer.key(escaping: name)
            if let bytes { writer.value(bytes) } else { writer.null() }
        }
        writer.key("failure")
        if let failure { writer.value(failure) } else { writer.null() }
        writer.endObject()
        return writer.finish().string
    }
}
