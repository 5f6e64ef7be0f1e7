/// One command-line flag, which is an environment variable too.
struct Flag: Sendable {
    /// The name behind the dashes, such as `log-level`.
    let name: String
    /// What stands for its value in the help text; `nil` for a switch.
    let value: String?
    /// What it does, for the help text.
    let help: String
    /// Takes the value into the configuration, or says in words what would be right.
    let apply: @Sendable (String, inout Configuration) -> String?

    /// The environment variable of the same meaning: `TODOSYNC_LOG_LEVEL`.
    var variable: String {
        "TODOSYNC_" + name.uppercased().map { $0 == "-" ? "_" : $0 }
    }
}

/// A flag that is unknown or has a value that is not right, in a sentence for the terminal.
struct UsageError: Error {
    let message: String
}
