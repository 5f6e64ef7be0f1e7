import Todo
import TodoProtocol
import TodoSync

/// What the operator chose, with the safe defaults.
struct Configuration {
    var host = "127.0.0.1"
    var port = 8080
    /// Whether one of the two was given: then they hold beside `listen`.
    var namesHostOrPort = false
    /// Further places to listen at.
    var listen: [ListenPlace] = []
    /// The permissions of Unix sockets' files.
    var socketMode: UInt32 = 0o660
    var dataFolder = "todosync-data"
    /// Whether what clients hold is of another history, although the folder does not show it.
    var startsNewHistory = false
    var providers: [Provider] = [.password]
    var access = Access.private
    var publicFolder: String?
    /// PEM files; both or neither.
    var certificateFile: String?
    var keyFile: String?
    /// Whose JSON Web Tokens log in.
    var webTokens = WebTokenFiles()
    var logLevel = LogLevel.info
    var isDemo = false
    var allowsSignUp = true
    var limits = ServerLimits()
    var policy = EdgePolicy()
    /// Variables of the environment that look like flags and are none.
    var unknownVariables: [String] = []
    /// Set by flags that only print something.
    var notice: Notice?

    /// Something to print instead of serving.
    enum Notice {
        case help
        case version
    }

    /// Reads the environment first and the command line over it.
    init(arguments: [String], environment: [String: String]) throws(UsageError) {
        for flag in Self.flags where flag.value != nil || flag.isSetting {
            guard let value = environment[flag.variable], !value.isEmpty else { continue }
            if flag.value == nil {
                guard let isOn = ["1": true, "true": true, "yes": true, "0": false, "false": false, "no": false][value.lowercased()] else {
                    throw UsageError(message: "\(flag.variable)='\(value)' is neither yes nor no")
                }
                if isOn { _ = flag.apply("", &self) }
            } else if let problem = flag.apply(value, &self) {
                throw UsageError(message: "\(flag.variable)='\(value)': \(problem)")
            }
        }
        // What the command line lists takes the place of what the environment lists.
        if arguments.contains(where: { $0 == "--listen" || $0.hasPrefix("--listen=") }) { listen = [] }
        try read(arguments)
        try settleDemo(arguments, environment)
        try checkEncryption()
        try settleWebTokens()
        if let problem = limits.problem { throw UsageError(message: problem) }
        let known = Set(Self.flags.map(\.variable))
        unknownVariables = environment.keys.filter { $0.hasPrefix("TODOSYNC_") && !known.contains($0) }.sorted()
    }

    /// Where to listen.
    var places: [ListenPlace] {
        (namesHostOrPort || listen.isEmpty ? [.network(host: host, port: port)] : []) + listen
    }

    /// Keys turn the provider on; without keys there is nothing to check tokens with.
    private mutating func settleWebTokens() throws(UsageError) {
        guard webTokens.isGiven else {
            guard !providers.contains(.jwt) else {
                throw UsageError(message: "--providers jwt needs keys: --jwt-keys FILE, or --jwt-secret FILE for HS256")
            }
            guard webTokens.issuer == nil, webTokens.audience == nil else {
                throw UsageError(message: "--jwt-issuer and --jwt-audience need keys too: --jwt-keys FILE, or --jwt-secret FILE for HS256")
            }
            return
        }
        if !providers.contains(.jwt) { providers.append(.jwt) }
    }

    private func checkEncryption() throws(UsageError) {
        switch (certificateFile, keyFile) {
        case (.some, nil): throw UsageError(message: "--tls-cert needs the certificate's key too: --tls-key FILE")
        case (nil, .some): throw UsageError(message: "--tls-key needs the key's certificate too: --tls-cert FILE")
        default: break
        }
    }

    private mutating func read(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "-h" {
                notice = .help
                continue
            }
            guard argument.hasPrefix("--") else {
                throw UsageError(message: "'\(argument)' is no flag; flags begin with two dashes, such as --port 8080")
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let flag = Self.flags.first(where: { $0.name == name }) else { throw Self.unknown(name) }
            if flag.value == nil {
                guard parts.count == 1 else { throw UsageError(message: "--\(name) takes no value") }
                _ = flag.apply("", &self)
                continue
            }
            // A flag is never taken for the value of the one before it; such a value can be given behind an equals sign.
            let following = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
            guard let value = parts.count == 2 ? String(parts[1]) : following else {
                throw UsageError(message: "--\(name) needs a value: --\(name) \(flag.value ?? "")")
            }
            if parts.count == 1 { rest.removeFirst() }
            if let problem = flag.apply(value, &self) { throw UsageError(message: "--\(name) '\(value)': \(problem)") }
        }
    }

    private static func unknown(_ name: String) -> UsageError {
        let hint = Suggestion.nearest(to: name, among: flags.map(\.name)).map { "; did you mean --\($0)?" }
        return UsageError(message: "unknown flag --\(name)\(hint ?? "")")
    }

    /// The demonstration: nickname log-in, projects open to everybody, and nothing but this machine reaches it.
    private mutating func settleDemo(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        guard isDemo else { return }
        func isGiven(_ name: String) -> Bool {
            arguments.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }
                || environment["TODOSYNC_" + name.uppercased()]?.isEmpty == false
        }
        guard places.allSatisfy(\.isLocal) else {
            throw UsageError(
                message: "--demo lets anybody in, so it listens on this machine only; leave out --host and --listen, or leave out --demo")
        }
        guard !isGiven("data") else {
            throw UsageError(message: "--demo keeps its data in a fresh temporary folder; leave out --data, or leave out --demo")
        }
        policy.isForLoopbackOnly = true
        if !isGiven("providers") { providers = [.nickname, .password] }
        if !isGiven("access") { access = .everyoneWrite }
    }
}
