/// Something that a correct server, or a correct client, never does.
public struct Fault: Error, Sendable, CustomStringConvertible {
    /// What was seen, where, and in which step of which seed.
    public private(set) var description: String

    init(_ description: String) {
        self.description = description
    }

    /// The fault with words before it that say where it was seen.
    func within(_ place: String) -> Fault { Fault("\(place): \(description)") }
}

/// What passes between the server's and the client's code without a socket, kept from outside of both.
final class LogLines: @unchecked Sendable {
    // One thread only: the log's sink has to be Sendable because the server's threads share it.
    private(set) var errors: [String] = []

    func note(_ line: String) { errors.append(line) }

    func takeErrors() -> [String] {
        defer { errors = [] }
        return errors
    }
}
