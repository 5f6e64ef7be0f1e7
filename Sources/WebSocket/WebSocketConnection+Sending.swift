public import Bytes

extension WebSocketConnection {
    /// Appends a message, compressed where that was agreed on and makes it shorter. Returns false, and appends nothing, once a close frame was sent.
    @discardableResult
    public mutating func send(
        _ kind: Opcode = .text, _ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> Bool {
        precondition(kind == .text || kind == .binary, "a message is text or binary")
        guard state == .open else { return false }
        if isDeflating && codec.deflate(payload, windowBits: agreement.ownWindowBits) {
            switch role {
            case .server: codec.deflated.withUnsafeBytes { output.appendFrame(kind, $0, compressed: true) }
            case .client:
                let mask = codec.nextMask()
                codec.deflated.withUnsafeBytes { output.appendMaskedFrame(kind, $0, compressed: true, mask: mask) }
            }
        } else {
            switch role {
            case .server: output.appendFrame(kind, payload)
            case .client: output.appendMaskedFrame(kind, payload, mask: codec.nextMask())
            }
        }
        return true
    }

    /// Appends a text message. Returns false, and appends nothing, once a close frame was sent.
    @discardableResult
    public mutating func send(_ text: String, _ codec: inout LoopCodec, _ output: inout ByteWriter) -> Bool {
        var text = text
        return text.withUTF8 { send(.text, UnsafeRawBufferPointer($0), &codec, &output) }
    }

    /// Whether a frame of `SharedFrame.compressedText` may be sent here, for a message of `payloadCount` bytes: compression
    /// was agreed on, and its window covers whatever such a message can refer back to.
    @inlinable public func takesSharedFrame(of payloadCount: Int) -> Bool {
        compressedBytesMax >= payloadCount
    }

    /// The largest message that may come compressed with the largest window.
    public var compressedBytesMax: Int {
        if !isDeflating { return 0 }
        return agreement.ownWindowBits == 15 ? .max : 1 << Int(agreement.ownWindowBits)
    }

    /// Appends a ping with up to 125 bytes. Nothing is appended once a close frame was sent.
    public mutating func ping(_ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        precondition(payload.count <= 125, "a control frame carries at most 125 bytes")
        if state == .open { appendControl(.ping, payload, &codec, &output) }
    }

    /// Begins the closing handshake: appends a close frame, with as much of `reason` as it can carry. Nothing happens unless the connection is open.
    public mutating func close(_ code: CloseCode, _ reason: String = "", _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        precondition(code.mayBeSent, "the close code \(code) must not be sent")
        guard state == .open else { return }
        appendClose(code, reason, &codec, &output)
        state = .closing
        // What still comes of messages is thrown away.
        inflater = nil
        compressedBytes = 0
    }
}
