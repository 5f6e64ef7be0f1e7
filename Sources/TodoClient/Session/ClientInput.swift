internal import WebSocket

/// Bytes that were read from a socket, on their way through a client's session.
///
/// The memory is the event loop's own read buffer; it must stay as it is until the session has no further event.
public struct ClientInput {
    private var rest: UnsafeMutableRawBufferPointer
    /// The same bytes, from the point on where frames begin.
    var frames: WebSocketInput

    /// What was read.
    public init(_ bytes: UnsafeMutableRawBufferPointer) {
        rest = bytes
        frames = WebSocketInput(bytes)
    }

    /// What has not been taken, as long as no frames are read.
    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rest) }

    /// Takes bytes that are no frames.
    mutating func skip(_ count: Int) {
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        frames = WebSocketInput(rest)
    }
}
