internal import Bytes

/// One WebSocket connection after its opening handshake (RFC 6455, RFC 7692), without a socket: bytes in, events and bytes out.
///
/// The driver reads into its own buffer and pulls events with `next` until there are none; answers (pongs, closes) and
/// what it sends itself collect in a `ByteWriter` that it writes to the socket once a turn. An idle connection holds no
/// memory beyond this struct; only an incomplete frame or message does, and a peer's compression context where one was agreed on.
/// Half a message takes up to twice what was sent of it, and where it is compressed some 40 KiB more for zlib. Only a peer that takes
/// its compression context over can bring up to twice the message's bound about, with a thousandth of those bytes.
public struct WebSocketConnection: ~Copyable {
    /// Which side of the connection this is.
    public enum Role: Sendable {
        /// Takes masked frames, sends unmasked ones.
        case server
        /// Takes unmasked frames, sends masked ones.
        case client
    }

    /// Where the connection stands (RFC 6455 §7.1).
    public enum State: Sendable {
        /// Messages go both ways.
        case open
        /// This side has sent its close frame and waits for the peer's; incoming messages are dropped.
        case closing
        /// Close frames went both ways.
        case closed
        /// The peer broke a rule.
        case failed
    }

    /// Bounds and policy of a connection.
    public struct Options: Hashable, Sendable {
        /// Largest message in bytes, after decompression; past it the connection fails with 1009. At most 2^31 - 1.
        public var messageBytesMax: Int
        /// Whether a binary message fails the connection with 1003.
        public var isTextOnly: Bool

        /// Options; by default messages of up to 1 MiB of either kind.
        public init(messageBytesMax: Int = 1 << 20, isTextOnly: Bool = false) {
            self.messageBytesMax = messageBytesMax
            self.isTextOnly = isTextOnly
        }
    }

    /// Where the connection stands.
    public internal(set) var state = State.open
    /// Which side this is.
    public let role: Role
    let isTextOnly: Bool
    let messageBytesMax: Int32
    let isDeflating: Bool
    let agreement: DeflateAgreement

    /// The frame whose payload is being read, if `isInFrame`.
    var isInFrame = false
    var frameOpcode = Opcode.text
    var frameIsFinal = false
    var frameBytesLeft = 0
    var frameMask: UInt32 = 0
    /// The message in progress: its kind, nil between messages.
    var message: Opcode?
    var messageIsCompressed = false
    var validator = UTF8Validator()
    /// Bytes of an incomplete header.
    var headerCount: UInt8 = 0
    /// How many compressed bytes of the message in progress have come.
    var compressedBytes: UInt32 = 0
    var header: (UInt64, UInt64) = (0, 0)
    /// Payload of the message in progress, decompressed only where the peer takes its context over, and behind it that of an incomplete
    /// control frame.
    var held = ByteWriter()
    /// How many bytes at the end of `held` belong to an incomplete control frame.
    var controlHeld: UInt8 = 0
    /// How many bytes at the end of `held` the last event has used up.
    var spent = 0
    /// The peer's compression context, made at the first message that needs it; where none is kept, only for a message in pieces.
    var inflater: Inflater?

    /// A connection whose opening handshake is complete.
    public init(role: Role, options: Options = Options(), deflate: DeflateAgreement? = nil) {
        precondition(options.messageBytesMax > 0 && options.messageBytesMax <= Int(Int32.max), "a message's bound is 1 to 2^31 - 1 bytes")
        self.role = role
        isTextOnly = options.isTextOnly
        messageBytesMax = Int32(options.messageBytesMax)
        isDeflating = deflate != nil
        agreement = deflate ?? DeflateAgreement()
    }

    /// Whether a frame or message has begun and is not complete: what a time-out for slow senders should know.
    public var isInMessage: Bool { isInFrame || headerCount > 0 || message != nil }

    /// Bytes of memory that this connection holds beyond itself, for an incomplete message and to decompress.
    public var heldBytes: Int {
        switch inflater {
        case .some(let own): held.capacity + own.heldBytes
        case .none: held.capacity
        }
    }
}
