internal import Bytes

/// Compressed messages (RFC 7692). One that is whole when it arrives is decompressed by the event loop's inflater, into the event
/// loop's buffer. One that comes in pieces is decompressed as far as it came into `held`, by an inflater of the connection's own, so
/// that what is wrong with it is known at the first byte that tells.
extension WebSocketConnection {
    /// Takes what there is of a compressed message. Nil if there is nothing to tell yet.
    mutating func takeCompressed(
        _ piece: UnsafeRawBufferPointer, isComplete: Bool, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent? {
        guard isComplete || piece.count > 0 else { return nil }
        let isWhole = isComplete && compressedBytes == 0
        let outcome: Inflater.Outcome
        // The views outlive the borrows: neither buffer is touched before the next call.
        let fresh: UnsafeRawBufferPointer
        if isWhole {
            outcome = inflateWhole(piece, &codec)
            fresh = codec.inflated.withUnsafeBytes { $0 }
        } else {
            let before = held.count
            outcome = inflatePiece(piece, isComplete: isComplete)
            fresh = held.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[before...]) }
        }
        if let fault = fault(outcome, fresh, isComplete: isComplete) { return fail(fault, &codec, &output) }
        guard isComplete else { return nil }
        return isWhole ? deliver(fresh) : deliverHeld()
    }

    private mutating func inflateWhole(_ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec) -> Inflater.Outcome {
        guard agreement.peerTakesContextOver else { return codec.inflate(payload, bytesMax: Int(messageBytesMax)) }
        var own = takeInflater()
        let outcome = codec.inflate(payload, with: &own, bytesMax: Int(messageBytesMax))
        inflater = consume own
        return outcome
    }

    private mutating func inflatePiece(_ piece: UnsafeRawBufferPointer, isComplete: Bool) -> Inflater.Outcome {
        var own = takeInflater()
        let outcome = own.inflate(piece, into: &held, bytesMax: Int(messageBytesMax), endsMessage: isComplete)
        compressedBytes = isComplete ? 0 : compressedBytes + UInt32(piece.count)
        if agreement.peerTakesContextOver || !isComplete { inflater = consume own }
        return outcome
    }

    /// The connection's inflater. Where no context is kept, its window is as large as that of the loop's, so that the same
    /// messages are taken whole and in pieces.
    private mutating func takeInflater() -> Inflater {
        let keepsContext = agreement.peerTakesContextOver
        return inflater.take() ?? Inflater(windowBits: keepsContext ? agreement.peerWindowBits : 15, keepsContext: keepsContext)
    }

    /// What is wrong with the message, of which `fresh` has just come out: of several faults the first.
    private mutating func fault(
        _ outcome: Inflater.Outcome, _ fresh: UnsafeRawBufferPointer, isComplete: Bool
    ) -> WebSocketFault? {
        let isText = message == .text
        let allowed = outcome == .tooBig ? UnsafeRawBufferPointer(rebasing: fresh.dropLast()) : fresh
        if isText && !validator.update(allowed) { return WebSocketConnection.invalidText }
        switch outcome {
        case .done: return isComplete && isText && !validator.isComplete ? WebSocketConnection.invalidText : nil
        case .tooBig: return WebSocketFault(.messageTooBig, "A message has at most \(messageBytesMax) bytes here.")
        case .malformed: return WebSocketFault(.invalidPayload, "A message's compressed data is damaged.")
        case .noMemory: return WebSocketFault(.internalError, "There is no memory to decompress a message.")
        }
    }
}
