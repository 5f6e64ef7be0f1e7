/// The bounds of what one message may hold. Each has a reason, and a named outcome past it.
///
/// What a session or the server as a whole may hold (subscriptions, message bytes, requests a second) is bounded where it is kept.
public struct ProtocolLimits: Sendable, Hashable {
    /// Requests in one JSON-RPC batch. Its replies are held until the last is ready. Past it: one -32005 with `id: null`.
    public var batch = 100
    /// Entries of one `write`. A transaction holds the committer for all of them. Past it: -32005, `changes`.
    public var changes = 1_000
    /// Bytes of a subscription's name, which each `change` repeats. Past it: -32602.
    public var nameBytes = 128
    /// Values in the `args` of one query, those inside arrays counted one by one. Past it: -32005, `argumentValues`.
    public var argumentValues = 10_000
    /// Bytes of a user's name or nickname. Past it: -32602.
    public var userNameBytes = 256
    /// Bytes of a new password at least. Below it: -32602.
    public var passwordBytesLeast = 8
    /// Bytes of a password, which is hashed at a cost that grows with it. Past it: -32602.
    public var passwordBytes = 1_024
    /// Bytes of a token; a JSON Web Token with many claims is the longest. Past it: -32602.
    public var tokenBytes = 16_384
    /// Bytes of an invitation's code, as sent. Past it: -32602.
    public var inviteCodeBytes = 128
    /// How many people may take one invitation at the most. Past it: -32602.
    public var inviteUses = 10_000

    /// The limits that PROTOCOL names, and this product's own where it names none.
    public static let standard = ProtocolLimits()

    /// The standard limits, to be changed one by one.
    public init() {}
}
