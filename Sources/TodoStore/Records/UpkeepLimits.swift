/// What upkeep keeps, and how much it does in one step.
public struct UpkeepLimits: Sendable, Equatable {
    /// Log entries older than this go. By default 30 days.
    public var logAgeMilliseconds: Int64 = 30 * 86_400_000
    /// The oldest log entries go while the log's encoded changes take more bytes than this; on disk they take about twice as much.
    /// By default 256 MiB.
    public var logBytesMax: Int64 = 256 << 20
    /// Remembered transactions older than this go. By default 24 hours, for which the protocol promises to know them.
    public var rememberedAgeMilliseconds: Int64 = 86_400_000
    /// Tokens whose time has been over for longer than this go: until then they are known as such, so that whoever comes back with one learns
    /// that it is over, and not that it was revoked. By default 30 days.
    public var expiredTokenAgeMilliseconds: Int64 = 30 * 86_400_000
    /// How many rows of each kind one step removes at most, so that a waiting commit is held up for a few milliseconds only.
    /// By default 500.
    public var rowsMax: Int = 500

    /// The defaults.
    public init() {}
}
