/// One command-line flag, which is an environment variable too.
struct Flag: Sendable {
    /// The name behind the dashes, such as `log-level`.
    let name: String
    /// What stands for its value in the help text; `nil` for a switch.
    let value: String?
    /// What it does, for the help text.
    let help: String
    /// Whether a switch says how to serve, and may so stand in the environment too; the others only print something.
    var isSetting = true
    /// Takes the value into the configuration, or says in words what would be right.
    let apply: @Sendable (String, inout Configuration) -> String?

    /// The environment variable of the same meaning: `TODOSYNC_LOG_LEVEL`.
    var variable: String {
        "TODOSYNC_" + name.uppercased().map { $0 == "-" ? "_" : $0 }
    }
}

extension Flag {
    /// A flag whose value is any text but an empty one.
    static func text(
        _ name: String, _ value: String, _ help: String, _ apply: @escaping @Sendable (String, inout Configuration) -> Void
    ) -> Flag {
        Flag(name: name, value: value, help: help) { text, configuration in
            guard !text.isEmpty else { return "a \(value.lowercased()) is needed" }
            apply(text, &configuration)
            return nil
        }
    }

    /// A flag whose value is a whole number in a range.
    static func number(
        _ name: String, _ range: ClosedRange<Int>, _ help: String, _ apply: @escaping @Sendable (Int, inout Configuration) -> Void
    ) -> Flag {
        Flag(name: name, value: "NUMBER", help: help) { value, configuration in
            guard let number = Int(value), range.contains(number) else {
                return "a whole number from \(range.lowerBound) to \(range.upperBound) is needed"
            }
            apply(number, &configuration)
            return nil
        }
    }

    /// A flag whose value is one of some words.
    static func word<Value>(
        _ name: String, _ words: [(word: String, value: Value)], _ help: String,
        _ apply: @escaping @Sendable (Value, inout Configuration) -> Void
    ) -> Flag where Value: Sendable {
        Flag(name: name, value: "WORD", help: help) { value, configuration in
            guard let found = words.first(where: { $0.word == value }) else {
                return "one of \(words.map(\.word).joined(separator: ", ")) is needed"
            }
            apply(found.value, &configuration)
            return nil
        }
    }
}

/// A flag that is unknown or has a value that is not right, in a sentence for the terminal.
struct UsageError: Error {
    let message: String
}
