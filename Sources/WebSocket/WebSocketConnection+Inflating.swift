internal import Bytes

/// Compressed messages (RFC 7692). Of one that comes in pieces each piece is decompressed at once, by an inflater of the connection's
/// own into the event loop's buffer, so that what is wrong with the message is known at the first byte that tells.
///
/// What is kept of a piece are its compressed bytes, and the complete message is decompressed once more, by the event loop's inflater:
/// half a message must not cost this side a thousand times what it cost the peer. Only where the peer takes its context over is it the
/// decompressed bytes that are kept, since the window has moved on and they could not be had again.
extension WebSocketConnection {
    /// Takes what there is of a compressed message. Nil if there is nothing to tell yet.
    mutating func takeCompressed(
        _ piece: UnsafeRawBufferPointer, isComplete: Bool, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent? {
        guard isComplete || piece.count > 0 else { return nil }
        let keepsContext = agreement.peerTakesContextOver
        compressedBytes = isComplete ? 0 : compressedBytes + UInt32(piece.count)
        let outcome =
            isComplete && !keepsContext ? inflateWhole(piece, &codec) : inflatePiece(piece, endsMessage: isComplete, &codec)
        // The view outlives the borrow: the buffer is not touched before the next call.
        let inflated = codec.inflated.withUnsafeBytes { $0 }
        if let fault = fault(outcome, inflated, isComplete: isComplete) { return fail(fault, &codec, &output) }
        return collect(isComplete || keepsContext ? inflated : piece, isComplete: isComplete)
    }

    /// Decompresses what is held and the `last` piece, and leaves nothing held.
    private mutating func inflateWhole(_ last: UnsafeRawBufferPointer, _ codec: inout LoopCodec) -> Inflater.Outcome {
        let bytesMax = Int(messageBytesMax)
        inflater = nil
        validator = UTF8Validator()
        if held.isEmpty { return codec.inflate(last, bytesMax: bytesMax) }
        held.append(last)
        let outcome = held.withUnsafeBytes { codec.inflate($0, bytesMax: bytesMax) }
        held.release()
        return outcome
    }

    /// Decompresses a piece. Where no context is kept, the window is as large as the loop's, so that the same messages are taken whole
    /// and in pieces.
    private mutating func inflatePiece(
        _ piece: UnsafeRawBufferPointer, endsMessage: Bool, _ codec: inout LoopCodec
    ) -> Inflater.Outcome {
        let keepsContext = agreement.peerTakesContextOver
        var own =
            inflater.take() ?? Inflater(windowBits: keepsContext ? agreement.peerWindowBits : 15, keepsContext: keepsContext)
        let outcome = codec.inflate(piece, with: &own, bytesMax: Int(messageBytesMax), endsMessage: endsMessage)
        inflater = consume own
        return outcome
    }

    /// What is wrong with the message, of which `inflated` has just come out: of several faults the first.
    private mutating func fault(
        _ outcome: Inflater.Outcome, _ inflated: UnsafeRawBufferPointer, isComplete: Bool
    ) -> WebSocketFault? {
        let isText = message == .text
        let allowed = outcome == .tooBig ? UnsafeRawBufferPointer(rebasing: inflated.dropLast()) : inflated
        if isText && !validator.update(allowed) { return WebSocketConnection.invalidText }
        switch outcome {
        case .done: return isComplete && isText && !validator.isComplete ? WebSocketConnection.invalidText : nil
        case .tooBig: return WebSocketFault(.messageTooBig, "A message has at most \(messageBytesMax) bytes here.")
        case .malformed: return WebSocketFault(.invalidPayload, "A message's compressed data is damaged.")
        case .noMemory: return WebSocketFault(.internalError, "There is no memory to decompress a message.")
        }
    }
}
