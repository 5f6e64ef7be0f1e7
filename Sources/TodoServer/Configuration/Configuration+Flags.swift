import Todo
import TodoSync

extension Configuration {
    /// Every flag, in the order of the help text.
    static let flags: [Flag] = [
        Flag(name: "host", value: "ADDRESS", help: "address to listen on (127.0.0.1; 0.0.0.0 or :: for every network)") {
            value, configuration in
            guard !value.isEmpty else { return "an address or a host name is needed, such as 127.0.0.1" }
            configuration.host = value
            return nil
        },
        Flag(name: "port", value: "NUMBER", help: "port to listen on (8080; 0 takes any free one)") { value, configuration in
            guard let port = Int(value), (0...65_535).contains(port) else { return "a number from 0 to 65535 is needed" }
            configuration.port = port
            return nil
        },
        Flag(name: "data", value: "FOLDER", help: "folder of the embedded store, made if missing (todosync-data)") { value, configuration in
            guard !value.isEmpty else { return "a folder is needed" }
            configuration.dataFolder = value
            return nil
        },
        Flag(
            name: "providers", value: "LIST",
            help: "ways to log in, with commas: password, nickname (password; nickname asks for no password)"
        ) { value, configuration in
            let words = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let providers = words.compactMap(Provider.init(rawValue:))
            guard providers.count == words.count, Set(providers).count == providers.count else {
                return "one or more of \(Provider.allCases.map(\.rawValue).joined(separator: ", ")) are needed, with commas, each once"
            }
            configuration.providers = providers
            return nil
        },
        Flag(
            name: "access", value: "WORD", help: "who sees new projects: private, everyone-read or everyone-write (private)"
        ) { value, configuration in
            guard let access = Access(rawValue: value) else {
                return "one of \(Access.allCases.map(\.rawValue).joined(separator: ", ")) is needed"
            }
            configuration.access = access
            return nil
        },
        Flag(name: "public", value: "FOLDER", help: "folder of the page (the Public folder that came with the program)") {
            value, configuration in
            guard !value.isEmpty else { return "a folder is needed" }
            configuration.publicFolder = value
            return nil
        },
        Flag(name: "log-level", value: "WORD", help: "least level of log lines: debug, info, warning or error (info)") {
            value, configuration in
            guard let level = LogLevel(name: value) else {
                return "one of \(LogLevel.allCases.map(\.name).joined(separator: ", ")) is needed"
            }
            configuration.logLevel = level
            return nil
        },
        Flag(name: "demo", value: nil, help: "try it out: sample data in a temporary folder, nickname log-in, this machine only") {
            _, configuration in
            configuration.isDemo = true
            return nil
        },
        Flag(name: "help", value: nil, help: "print this text") { _, configuration in
            configuration.notice = .help
            return nil
        },
        Flag(name: "version", value: nil, help: "print the version") { _, configuration in
            configuration.notice = .version
            return nil
        },
    ]

    /// The text of `--help`.
    static var help: String {
        let left = flags.map { "  --" + $0.name + ($0.value.map { " " + $0 } ?? "") }
        let width = (left.map(\.count).max() ?? 0) + 2
        let lines = zip(left, flags).map { $0 + String(repeating: " ", count: width - $0.count) + $1.help }
        return """
            todo-server: a WebSocket server for shared to-do lists with live queries.

            usage: todo-server [flags]

            \(lines.joined(separator: "\n"))

            Each flag is an environment variable too, such as TODOSYNC_LOG_LEVEL for --log-level; the command line wins.
            To look around: todo-server --demo
            """
    }
}
