/// The kinds of frames (RFC 6455 §5.2).
public enum Opcode: UInt8, Hashable, Sendable {
    /// A further fragment of the message in progress.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    /// The closing handshake.
    case close = 0x8
    /// A ping, which the peer answers.
    case ping = 0x9
    /// The answer to a ping, or a sign of life.
    case pong = 0xA

    /// Whether frames of this kind may stand between the fragments of a message.
    @inlinable public var isControl: Bool { rawValue & 0x8 != 0 }
}
