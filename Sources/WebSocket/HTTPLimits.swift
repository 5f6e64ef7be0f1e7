/// Bounds on an HTTP message head. What goes past one is refused with the status that the bound names.
public struct HTTPLimits: Sendable, Hashable {
    /// Longest request or status line in bytes, without its end; past it 414. Long enough for a token in a query.
    public var startLineBytesMax: Int
    /// Longest header line in bytes; past it 431. Cookies and tokens reach a few thousand.
    public var headerLineBytesMax: Int
    /// Most header lines; past it 431. Browsers send about twenty.
    public var headerCountMax: Int
    /// Most bytes of the whole head; past it 431. This is what a connection without a complete head can hold.
    public var headBytesMax: Int

    /// Bounds; the defaults are those of common servers.
    public init(
        startLineBytesMax: Int = 8 * 1024, headerLineBytesMax: Int = 8 * 1024, headerCountMax: Int = 100, headBytesMax: Int = 16 * 1024
    ) {
        self.startLineBytesMax = startLineBytesMax
        self.headerLineBytesMax = headerLineBytesMax
        self.headerCountMax = headerCountMax
        self.headBytesMax = headBytesMax
    }
}
