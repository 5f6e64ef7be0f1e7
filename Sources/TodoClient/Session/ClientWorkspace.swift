public import Bytes
internal import TodoProtocol
internal import WebSocket

/// What all client sessions of one thread share instead of having one each: the JSON reader and writer, the WebSocket codec, and the
/// bytes that are to be sent.
///
/// Every call of a session appends what it wants sent to `output`; the driver sends that on the session's connection and empties it
/// before it turns to another session.
public struct ClientWorkspace: ~Copyable {
    /// What the session that was called last wants sent.
    public var output = ByteWriter()
    var decoder = ServerMessageDecoder()
    var codec = LoopCodec()
    var json = JSONWriter()

    /// A workspace that holds no memory yet.
    public init() {}
}
