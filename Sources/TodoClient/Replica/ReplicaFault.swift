/// A message of the server that does not fit the client's copy of a list: one of the two is wrong, and the list can't be trusted any more.
public struct ReplicaFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What does not fit, in a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
