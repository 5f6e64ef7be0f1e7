import Bytes
import Network
import WebSocket

/// What other threads post to a loop. One post carries all that a batch of commits produced for the loop.
enum EdgeMessage<SessionMessage: Sendable>: Sendable {
    /// Frames for sessions, in order.
    case deliver([SharedDelivery])
    /// Ends a session with a close code and a reason.
    case close(ConnectionID, CloseCode, reason: String)
    /// Something for the session handler itself.
    case session(SessionMessage)
    /// A connection that another loop has accepted; this one owns the descriptor from here on.
    case adopt(descriptor: Int32, Arrival)
    /// Closes all sessions with 1001 and ends the loop when they are gone, or after a few seconds; a second one ends it at once.
    case shutDown
    /// Another loop has ended, and with it the last sessions.
    case othersHaveEnded
}

/// One message and the sessions that it goes to.
struct SharedDelivery: Sendable {
    var message: SharedMessage
    var ids: [ConnectionID]
}

/// A text message, framed once and compressed once for all sessions that get it.
struct SharedMessage: Sendable {
    /// The frame for sessions without compression.
    var frame: SharedBytes
    /// The frame for sessions with compression, where that is shorter.
    var compressedFrame: SharedBytes?
    /// How long the text is.
    var payloadCount: Int

    /// Frames of a text of `payloadCount` bytes, made elsewhere (`SharedFrame`).
    init(frame: SharedBytes, compressedFrame: SharedBytes? = nil, payloadCount: Int) {
        self.frame = frame
        self.compressedFrame = compressedFrame
        self.payloadCount = payloadCount
    }

    /// Frames `text`, and compresses it with `codec`, which belongs to the calling thread.
    init(text: UnsafeRawBufferPointer, _ codec: inout LoopCodec) {
        frame = SharedFrame.text(text)
        compressedFrame = SharedFrame.compressedText(text, &codec)
        payloadCount = text.count
    }
}
