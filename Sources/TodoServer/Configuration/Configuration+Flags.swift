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
        .number("port", 0...65_535, "port to listen on (8080; 0 takes any free one)") { $1.port = $0 },
        Flag(name: "data", value: "FOLDER", help: "folder of the embedded store, made if missing (todosync-data)") { value, configuration in
            guard !value.isEmpty else { return "a folder is needed" }
            configuration.dataFolder = value
            return nil
        },
        Flag(
            name: "providers", value: "LIST",
            help: "ways to log in, with commas: password, nickname, jwt (password; nickname asks for no password)"
        ) { value, configuration in
            let words = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let providers = words.compactMap(Provider.init(rawValue:))
            guard providers.count == words.count, Set(providers).count == providers.count else {
                return "one or more of \(Provider.allCases.map(\.rawValue).joined(separator: ", ")) are needed, with commas, each once"
            }
            configuration.providers = providers
            return nil
        },
        .word("sign-up", [("yes", true), ("no", false)], "whether 'register' makes accounts: yes or no (yes)") { $1.allowsSignUp = $0 },
        .word(
            "access", Access.allCases.map { ($0.rawValue, $0) }, "who sees new projects: private, everyone-read or everyone-write (private)"
        ) { $1.access = $0 },
        Flag(
            name: "origins", value: "LIST", help: "pages of other origins that may connect, with commas, such as https://app.example (none)"
        ) { value, configuration in
            let origins = value.split(separator: ",").map(String.init)
            guard !origins.isEmpty, origins.allSatisfy({ $0.hasPrefix("http://") || $0.hasPrefix("https://") }) else {
                return "origins such as https://app.example are needed, with commas"
            }
            configuration.edge.allowedOrigins = origins
            return nil
        },
        Flag(name: "public", value: "FOLDER", help: "folder of the page (the Public folder that came with the program)") {
            value, configuration in
            guard !value.isEmpty else { return "a folder is needed" }
            configuration.publicFolder = value
            return nil
        },
        Flag(name: "tls-cert", value: "FILE", help: "certificate, PEM, the server's own first: speak https and wss only (none)") {
            value, configuration in
            guard !value.isEmpty else { return "a file is needed" }
            configuration.certificateFile = value
            return nil
        },
        Flag(
            name: "tls-key", value: "FILE", help: "the certificate's private key, PEM, without a passphrase; both are read again on SIGHUP"
        ) {
            value, configuration in
            guard !value.isEmpty else { return "a file is needed" }
            configuration.keyFile = value
            return nil
        },
        .text("jwt-keys", "FILE", "keys of an identity provider whose tokens log in: PEM, or a JWKS; read again on SIGHUP (none)") {
            $1.webTokens.keysFile = $0
        },
        .text("jwt-secret", "FILE", "shared secret of an identity provider, for HS256, at least 32 bytes; read again on SIGHUP (none)") {
            $1.webTokens.secretFile = $0
        },
        .text("jwt-issuer", "TEXT", "what the 'iss' of such a token must be (not looked at)") { $1.webTokens.issuer = $0 },
        .text("jwt-audience", "TEXT", "what the 'aud' of such a token must be or hold (not looked at)") { $1.webTokens.audience = $0 },
        .number("login-failures", 1...1000, "bad log-ins at one account before each further one has to wait (10)") {
            $1.sync.loginFailuresOfAccount = $0
        },
        .number("registrations", 1...1_000_000, "accounts that one address may register at once; one more every 3 s (1000)") {
            $1.sync.registrationsOfAddress = $0
        },
        .number("login-seconds", 1...3600, "time to log in before a connection is closed with 4001 (10)") {
            $1.sync.loginMilliseconds = Int64($0) * 1000
        },
        .number("token-days", 1...3650, "life of a log-in since it was last used to connect (30)") {
            $1.sync.tokenMilliseconds = Int64($0) * 86_400_000
        },
        .number("ping-seconds", 1...3600, "silence after which the server pings (25)") { $1.edge.pingMilliseconds = $0 * 1000 },
        .number("silence-seconds", 1...7200, "silence after which a connection is dropped (60)") {
            $1.edge.silenceMilliseconds = $0 * 1000
        },
        .number("stuck-seconds", 1...3600, "how long a slow reader may take nothing before it is closed with 4003 (30)") {
            $1.edge.stuckMilliseconds = $0 * 1000
        },
        .word("log-level", LogLevel.allCases.map { ($0.name, $0) }, "least level of log lines: debug, info, warning or error (info)") {
            $1.logLevel = $0
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
                   todo-server user COMMAND    accounts; see todo-server user --help

            \(lines.joined(separator: "\n"))

            Each flag is an environment variable too, such as TODOSYNC_LOG_LEVEL for --log-level; the command line wins.
            To look around: todo-server --demo
            """
    }
}
