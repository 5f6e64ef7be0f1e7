/// What a client is set to.
public struct ClientOptions: Sendable {
    /// Whether a lost connection is made again.
    public var reconnects = true
    /// How long it waits before that.
    public var backoff = Backoff()
    /// After so long without a sign of life the server is asked for one.
    public var pingMilliseconds = 30_000
    /// After so long without an answer to that the connection counts as lost.
    public var patienceMilliseconds = 15_000
    /// Whether the server is held to every rule of the protocol about lists; a breach ends the connection.
    public var isStrict = false
    /// Whether compression is offered.
    public var compresses = false
    /// For `wss://`: a PEM file with the authorities that may vouch for the server; those of the system where it is `nil`.
    public var authorityFile: String?
    /// Further headers of the upgrade.
    public var headers: [(name: String, value: String)] = []

    /// The options of an application.
    public init() {}
}

/// Where a client's connection stands.
public enum ConnectionState: Sendable, Equatable {
    /// A connection is being made.
    case connecting
    /// Requests are answered.
    case open
    /// The connection was lost; the next is made after so many milliseconds.
    case waiting(milliseconds: Int)
    /// The client is closed, for that reason, and connects no more.
    case closed(ClientError)
}
