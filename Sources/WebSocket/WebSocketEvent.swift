/// What `WebSocketConnection.next` found in the bytes. Views are valid until the next call.
public enum WebSocketEvent {
    /// All input was taken; read more.
    case needsBytes
    /// A whole text message: valid UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A whole binary message.
    case binary(UnsafeRawBufferPointer)
    /// A ping; its pong has been written.
    case ping(UnsafeRawBufferPointer)
    /// A pong.
    case pong(UnsafeRawBufferPointer)
    /// The closing handshake is complete: what the peer has to be told has been written. Send it and close the socket; a client
    /// may give the server a moment to close first (RFC 6455 §7.1.1).
    case closed(WebSocketClosure)
    /// The peer broke a rule. The close frame has been written; send it and close the socket.
    case failed(WebSocketFault)
}

/// How a connection was closed in order.
public struct WebSocketClosure: Hashable, Sendable {
    /// The peer's code; `.noStatus` if it gave none.
    public let code: CloseCode
    /// The peer's reason, at most 123 bytes.
    public let reason: String
    /// Whether the peer began the closing handshake.
    public let startedByPeer: Bool
}

/// A rule that the peer broke: the close code that says so, and a sentence for it and the log.
public struct WebSocketFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// 1002, 1003, 1007, 1009 or 1011.
    public let code: CloseCode
    /// What was wrong, at most 123 bytes.
    public let sentence: String

    init(_ code: CloseCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The code and the sentence.
    public var description: String { "\(code): \(sentence)" }
}
