/// Names a connection: the event loop that owns it and the loop's own id for it, which is never used twice.
public struct SessionID: Hashable, Sendable {
    /// The index of the event loop.
    public let loop: Int
    /// The loop's id for the connection.
    public let connection: UInt64

    /// The connection of that loop.
    public init(loop: Int, connection: UInt64) {
        self.loop = loop
        self.connection = connection
    }
}

/// Who is at the other end.
public struct Peer: Sendable {
    /// The address, for the log.
    public let address: String
    /// What the client calls itself.
    public let userAgent: String?

    /// A peer at that address.
    public init(address: String, userAgent: String?) {
        self.address = address
        self.userAgent = userAgent
    }
}
