import TodoProtocol

/// What a run is asked to do.
struct LoadOptions: Equatable {
    /// The server to test; `nil` starts one.
    var url: String?
    /// The authorities to trust where the address begins with `wss`; `nil` for those of the system.
    var authorityFile: String?
    /// The certificate and key that a server of its own is given, so that connections are encrypted.
    var certificateFile: String?
    var keyFile: String?
    /// Instead of a load, so many idle connections whose memory is measured.
    var idle: Int?
    /// The server's process, where it is not of its own and its memory is measured.
    var process: Int32?
    /// How many sessions are kept open.
    var sessions = 50
    /// Over how many projects they are spread.
    var projects = 5
    /// Writes a second in all, sent on time whether or not earlier ones are answered.
    var rate = 100.0
    /// How long is written.
    var seconds = 10.0
    /// What the writes follow from.
    var seed: UInt64 = 1
    /// What is done besides writing, if anything.
    var scenario: Scenario?
    /// The rows of a project in a scenario, where not as many as the scenario has by itself.
    var rows: Int?
    /// Whether the report is one JSON object.
    var json = false
}

/// What the command line asks for.
enum Command: Equatable {
    case run(LoadOptions)
    case help
    case version
}

/// A flag or a value that can't be used, and what would be right.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String
}

extension LoadOptions {
    static let sessionsMax = 100_000
    static let projectsMax = 10_000
    static let rowsMax = 100_000
    static let rateMax = 1_000_000.0
    static let secondsMax = 86_400.0

    private static let flags = [
        "--url", "--ca", "--tls-cert", "--tls-key", "--sessions", "--projects", "--rate", "--seconds", "--seed", "--scenario", "--rows",
        "--idle", "--process", "--json", "--help", "--version",
    ]

    /// Reads the arguments behind the program's name: `--flag value` or `--flag=value`.
    static func parse(_ arguments: [String]) throws(UsageError) -> Command {
        var options = LoadOptions()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let flag = parts[0]
            guard flags.contains(flag) else { throw unknown(flag) }
            switch flag {
            case "--help": return .help
            case "--version": return .version
            case "--json":
                guard parts.count == 1 else { throw UsageError(description: "--json takes no value.") }
                options.json = true
            default:
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError(description: "\(flag) needs a value, such as \(flag) \(example(flag)).")
                }
                try options.set(flag, value)
            }
        }
        guard options.projects <= options.sessions else {
            throw UsageError(
                description: "--projects \(options.projects) is more than --sessions \(options.sessions): every project needs a session.")
        }
        try options.checkFiles()
        return .run(options)
    }

    /// Which flags go together.
    private func checkFiles() throws(UsageError) {
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw UsageError(description: "--tls-cert and --tls-key go together.")
        }
        guard certificateFile == nil || url == nil else {
            throw UsageError(description: "--tls-cert is for a server of todo-load's own; for the one at --url there is --ca.")
        }
        guard idle == nil || url == nil || process != nil else {
            throw UsageError(
                description: "--idle needs the server's process too, whose memory it reads: --process \(Self.example("--process")).")
        }
    }

    private mutating func set(_ flag: String, _ value: String) throws(UsageError) {
        switch flag {
        case "--url": url = value
        case "--ca": authorityFile = value
        case "--tls-cert": certificateFile = value
        case "--tls-key": keyFile = value
        case "--idle": idle = try Self.whole(flag, value, 1...Self.sessionsMax)
        case "--process": process = Int32(try Self.whole(flag, value, 1...Int(Int32.max)))
        case "--sessions": sessions = try Self.whole(flag, value, 1...Self.sessionsMax)
        case "--projects": projects = try Self.whole(flag, value, 1...Self.projectsMax)
        case "--rate": rate = try Self.number(flag, value, 0.1...Self.rateMax)
        case "--scenario":
            guard let named = Scenario(rawValue: value) else {
                throw refused(flag, value, Scenario.allCases.map(\.rawValue).joined(separator: ", "))
            }
            scenario = named
        case "--rows": rows = try Self.whole(flag, value, 1...Self.rowsMax)
        case "--seconds": seconds = try Self.number(flag, value, 0.1...Self.secondsMax)
        default:
            guard let number = UInt64(value) else { throw refused(flag, value, "a whole number from 0 to \(UInt64.max)") }
            seed = number
        }
    }

    /// How long after the beginning a write is due, in nanoseconds. Follows from its number alone: a late write does not delay the next.
    func dueNanoseconds(of write: Int) -> Int64 { Int64(Double(write) / rate * 1e9) }

    /// What a server of its own is started with.
    var serverFlags: [String] {
        var flags: [String] = []
        if let certificateFile, let keyFile { flags += ["--tls-cert", certificateFile, "--tls-key", keyFile] }
        // Connections that never log in are what an idle run measures.
        if idle != nil { flags += ["--login-seconds", "3600"] }
        return flags
    }

    private static func whole(_ flag: String, _ value: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw refused(flag, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func number(_ flag: String, _ value: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double {
        guard let number = Double(value), range.contains(number) else {
            throw refused(flag, value, "a number from \(range.lowerBound) to \(Int(range.upperBound))")
        }
        return number
    }

    private static func unknown(_ flag: String) -> UsageError {
        let hint =
            Suggestion.nearest(to: flag, among: flags).map { " Did you mean \($0)?" }
            ?? " The flags are \(flags.joined(separator: ", "))."
        return UsageError(description: "There is no flag \(flag).\(hint)")
    }

    private static func example(_ flag: String) -> String {
        switch flag {
        case "--url": "ws://127.0.0.1:8080/sync"
        case "--ca": "authority.pem"
        case "--tls-cert": "server.crt"
        case "--tls-key": "server.key"
        case "--idle": "10000"
        case "--process": "1234"
        case "--sessions": "200"
        case "--projects": "20"
        case "--rate": "500"
        case "--seconds": "20"
        case "--scenario": "reconnect"
        case "--rows": "1000"
        default: "1"
        }
    }
}

private func refused(_ flag: String, _ value: String, _ expected: String) -> UsageError {
    UsageError(description: "\(flag) is '\(value)'; it has to be \(expected).")
}
