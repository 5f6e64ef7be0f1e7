/// The version of the program, as `--version` and `info` show it.
enum Version {
    static let number = "0.1.0"
    static let name = "TodoSync \(number)"
}
