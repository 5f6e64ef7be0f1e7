import Bytes
import Network

/// One figure of `/metrics`.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        /// Only grows.
        case counter
        /// Goes up and down.
        case gauge
    }

    /// Without the product's prefix, such as `commits_total`.
    var name: String
    var help: String
    var kind: Kind
    var value: Double

    /// A count of things.
    init(_ name: String, _ kind: Kind, _ value: Int, help: String) {
        self.init(name, kind, seconds: Double(value), help: help)
    }

    /// A time or another number with a fraction.
    init(_ name: String, _ kind: Kind, seconds value: Double, help: String) {
        self.name = name
        self.kind = kind
        self.value = value
        self.help = help
    }

    /// All of them in Prometheus' text format, version 0.0.4.
    static func text(of metrics: [Metric]) -> SharedBytes {
        var writer = ByteWriter()
        for metric in metrics {
            let name = "todosync_\(metric.name)"
            writer.append(utf8: "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.rawValue)\n\(name) ")
            let whole = Int64(exactly: metric.value)
            writer.append(utf8: whole.map(String.init) ?? "\(metric.value)")
            writer.append(UInt8(ascii: "\n"))
        }
        return writer.finish()
    }
}

/// The text of `/metrics` as one loop made it last. The figures move when a turn ends, so all who ask in one turn get one text: asking often costs little.
struct MetricsText {
    private var text = SharedBytes()
    private var turn: Instant?

    /// The text for the turn of that time.
    mutating func current(of status: ServerStatus, turn now: Instant) -> SharedBytes {
        if turn != now {
            text = Metric.text(of: status.metrics())
            turn = now
        }
        return text
    }
}
