import Todo
import TodoSync

extension Configuration {
    /// Every flag, in the order of the help text.
    static let flags: [Flag] = mainFlags + limitFlags

    /// One for each limit.
    static let limitFlags: [Flag] = ServerLimits.table.map(Flag.limit)

    /// Those beside the limits.
    private static let mainFlags: [Flag] = [
        Flag(name: "host", value: "ADDRESS", help: "address to listen on (127.0.0.1; 0.0.0.0 or :: for every network)") {
            value, configuration in
            guard !value.isEmpty else { return "an address or a host name is needed, such as 127.0.0.1" }
            configuration.host = value
            configuration.namesHostOrPort = true
            return nil
        },
        .number("port", 0...65_535, "port to listen on (8080; 0 takes any free one)") {
            $1.port = $0
            $1.namesHostOrPort = true
        },
        Flag(
            name: "listen", value: "LIST",
            help:
                "addresses to listen on in place of, or with, --host and --port: 127.0.0.1:8080, [::1]:8080, name:8080, unix:/run/todo.sock; "
                + "with commas, or the flag again"
        ) { value, configuration in
            for word in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let place = ListenPlace(word.trimmed) else {
                    return "'\(word.trimmed)' is no address with a port, such as 127.0.0.1:8080 or [::1]:8080, and no unix:/path/of.sock"
                }
                configuration.listen.append(place)
            }
            return nil
        },
        Flag(name: "socket-mode", value: "OCTAL", help: "permissions of a Unix socket's file: who may write to it may connect (660)") {
            value, configuration in
            guard value.utf8.count <= 4, let mode = UInt32(value, radix: 8), mode <= 0o777, mode & 0o222 != 0 else {
                return "permissions in octal digits that let somebody write, which is to connect, are needed: such as 600, 660 or 666"
            }
            configuration.socketMode = mode
            return nil
        },
        Flag(
            name: "trusted-proxies", value: "LIST",
            help: "reverse proxies whose X-Forwarded-For, -Proto and -Host count: addresses, ranges such as 10.0.0.0/8, and unix (none)"
        ) { value, configuration in
            do throws(TrustedProxies.Unreadable) {
                configuration.policy.proxies = try TrustedProxies(list: value)
                return nil
            } catch {
                return
                    "'\(error.part)' is no address, no range such as 10.0.0.0/8 or fd00::/8 (without bits behind its prefix), and not unix"
            }
        },
        .text("data", "FOLDER", "folder of the embedded store, made if missing (todosync-data)") { $1.dataFolder = $0 },
        Flag(
            name: "new-epoch", value: nil,
            help:
                "send every list anew: for this start alone, after a restore that the server can't see (a file system's snapshot, a hot copy)"
        ) { _, configuration in
            configuration.startsNewHistory = true
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
            configuration.policy.allowedOrigins = []
            for word in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let origin = EdgePolicy.origin(word.trimmed) else {
                    return
                        "'\(word.trimmed)' is no origin, which is http:// or https://, a host and perhaps a port, and nothing behind them: "
                        + "https://app.example or http://localhost:3000; several with commas"
                }
                configuration.policy.allowedOrigins.append(origin)
            }
            return nil
        },
        .text("public", "FOLDER", "folder of the page (the Public folder that came with the program)") { $1.publicFolder = $0 },
        .text("tls-cert", "FILE", "certificate, PEM, the server's own first: speak https and wss only (none)") { $1.certificateFile = $0 },
        .text("tls-key", "FILE", "the certificate's private key, PEM, without a passphrase; both are read again on SIGHUP") {
            $1.keyFile = $0
        },
        .text("jwt-keys", "FILE", "keys of an identity provider whose tokens log in: PEM, or a JWKS; read again on SIGHUP (none)") {
            $1.webTokens.keysFile = $0
        },
        .text("jwt-secret", "FILE", "shared secret of an identity provider, for HS256, at least 32 bytes; read again on SIGHUP (none)") {
            $1.webTokens.secretFile = $0
        },
        .text("jwt-issuer", "TEXT", "what the 'iss' of such a token must be (not looked at)") { $1.webTokens.issuer = $0 },
        .text("jwt-audience", "TEXT", "what the 'aud' of such a token must be or hold (not looked at)") { $1.webTokens.audience = $0 },
        .word("log-level", LogLevel.allCases.map { ($0.name, $0) }, "least level of log lines: debug, info, warning or error (info)") {
            $1.logLevel = $0
        },
        Flag(name: "demo", value: nil, help: "try it out: sample data in a temporary folder, nickname log-in, this machine only") {
            _, configuration in
            configuration.isDemo = true
            return nil
        },
        Flag(name: "help", value: nil, help: "print this text", isSetting: false) { _, configuration in
            configuration.notice = .help
            return nil
        },
        Flag(name: "version", value: nil, help: "print the version", isSetting: false) { _, configuration in
            configuration.notice = .version
            return nil
        },
    ]

    /// The text of `--help`.
    static var help: String {
        """
        todo-server: a WebSocket server for shared to-do lists with live queries.

        usage: todo-server [flags]
               todo-server user COMMAND    accounts; see todo-server user --help

        \(table(mainFlags))

        limits, with their defaults:

        \(table(limitFlags))

        Each flag is an environment variable too, such as TODOSYNC_LOG_LEVEL for --log-level; the command line wins.
        To look around: todo-server --demo
        """
    }

    private static func table(_ flags: [Flag]) -> String {
        let left = flags.map { "  --" + $0.name + ($0.value.map { " " + $0 } ?? "") }
        let width = (left.map(\.count).max() ?? 0) + 2
        return zip(left, flags).map { $0 + String(repeating: " ", count: width - $0.count) + $1.help }.joined(separator: "\n")
    }
}
