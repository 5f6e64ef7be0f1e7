internal import Bytes

extension WebSocketConnection {
    /// Takes a piece of a control frame, and acts on the frame when it is complete.
    mutating func takeControl(
        _ piece: UnsafeRawBufferPointer, _ input: inout WebSocketInput, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent? {
        // What of this frame came earlier stands at the end of `held`, counted in `controlHeld`.
        guard frameBytesLeft == 0 else {
            held.append(piece)
            controlHeld += UInt8(piece.count)
            return nil
        }
        isInFrame = false
        var payload = piece
        if controlHeld > 0 {
            held.append(piece)
            spent = Int(controlHeld) + piece.count
            controlHeld = 0
            let end = held.count
            payload = held.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[(end - spent)...]) }
        }
        switch frameOpcode {
        case .ping:
            if state == .open { answerPing(payload, &input, &codec, &output) }
            return .ping(payload)
        case .close: return takeClose(payload, &codec, &output)
        default: return .pong(payload)
        }
    }

    /// Writes the pong, unless there have been many in this input and the next frame is a ping as well, which will be answered.
    private func answerPing(
        _ payload: UnsafeRawBufferPointer, _ input: inout WebSocketInput, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) {
        input.pongs += 1
        if input.pongs > WebSocketInput.pongsMax && input.continuesWithPing(isMasked: role == .server) { return }
        appendControl(.pong, payload, &codec, &output)
    }

    private mutating func takeClose(
        _ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent {
        var code = CloseCode.noStatus
        var reason = ""
        if payload.count >= 2 {
            code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            guard code.mayBeSent else {
                return fail(WebSocketFault(.protocolError, "The close code \(code) must not be sent."), &codec, &output)
            }
            let text = UnsafeRawBufferPointer(rebasing: payload[2...])
            guard UTF8Validator.isValid(text) else {
                return fail(WebSocketFault(.invalidPayload, "The close reason is not valid UTF-8."), &codec, &output)
            }
            reason = String(decoding: text, as: UTF8.self)
        }
        let startedByPeer = state == .open
        // The answer repeats the code alone (RFC 6455 §5.5.1).
        if startedByPeer { appendControl(.close, UnsafeRawBufferPointer(rebasing: payload[..<min(2, payload.count)]), &codec, &output) }
        state = .closed
        release()
        return .closed(WebSocketClosure(code: code, reason: reason, startedByPeer: startedByPeer))
    }

    /// Ends the connection because of what the peer did: the close frame says why, unless this side has sent its own already.
    mutating func fail(_ fault: WebSocketFault, _ codec: inout LoopCodec, _ output: inout ByteWriter) -> WebSocketEvent {
        if state == .open { appendClose(fault.code, fault.sentence, &codec, &output) }
        state = .failed
        release()
        return .failed(fault)
    }

    /// Gives back all memory: no event will need it.
    private mutating func release() {
        held.release()
        spent = 0
        inflater = nil
    }

    mutating func appendClose(_ code: CloseCode, _ reason: String, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        var payload = ByteWriter(capacity: 125)
        payload.append(bigEndian: code.rawValue)
        // Whole characters only, up to the 123 bytes that a control frame leaves.
        for character in reason.unicodeScalars {
            let bytes = UTF8.width(character)
            if payload.count + bytes > 125 { break }
            payload.append(utf8: String(character))
        }
        payload.withUnsafeBytes { appendControl(.close, $0, &codec, &output) }
    }

    func appendControl(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        switch role {
        case .server: output.appendFrame(opcode, payload)
        case .client: output.appendMaskedFrame(opcode, payload, mask: codec.nextMask())
        }
    }
}
