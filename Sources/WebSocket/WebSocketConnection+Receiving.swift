public import Bytes

extension WebSocketConnection {
    /// Takes bytes from `input` until there is something to tell. Call it again until it answers `.needsBytes`.
    ///
    /// After a failure, or once the connection is closed, input is taken and ignored.
    /// - Parameters:
    ///   - input: What was read; payloads in it are unmasked in place.
    ///   - codec: The event loop's own.
    ///   - output: Where pongs and close frames are appended. Of a flood of pings in one input only the first
    ///     `WebSocketInput.pongsMax` and the last of each run are answered (RFC 6455 §5.5.3).
    public mutating func next(_ input: inout WebSocketInput, _ codec: inout LoopCodec, _ output: inout ByteWriter) -> WebSocketEvent {
        if spent > 0 { dropSpent() }
        guard state == .open || state == .closing else {
            input.takeAll()
            return .needsBytes
        }
        if state == .closing && held.count > Int(controlHeld) {
            // The message that was in progress will not be delivered; an incomplete control frame behind it still will.
            held.removeFirst(held.count - Int(controlHeld))
            if held.isEmpty { held.release() }
        }
        while true {
            if !isInFrame {
                switch readHeader(&input) {
                case .incomplete: return .needsBytes
                case .fault(let fault): return fail(fault, &codec, &output)
                case .ready(let header):
                    input.frames += 1
                    if isEmpty(header) { input.emptyFrames += 1 }
                    if let fault = begin(header) { return fail(fault, &codec, &output) }
                }
            }
            if let event = readPayload(&input, &codec, &output) { return event }
            if isInFrame { return .needsBytes }
        }
    }

    private mutating func dropSpent() {
        held.truncate(to: held.count - spent)
        spent = 0
        if held.isEmpty { held.release() }
    }

    // MARK: Header

    private mutating func readHeader(_ input: inout WebSocketInput) -> FrameHeader.Step {
        let rules = FrameHeader.Rules(isMasked: role == .server, isInMessage: message != nil, allowsCompression: isDeflating)
        if headerCount == 0 {
            let step = FrameHeader.read(input.bytes, rules)
            switch step {
            case .ready(let header): _ = input.take(header.size)
            case .fault: break
            case .incomplete: holdHeader(&input)
            }
            return step
        }
        while !input.isEmpty {
            let byte = input.take(1)[0]
            let count = Int(headerCount) + 1
            let step = withUnsafeMutableBytes(of: &header) { held in
                held[count - 1] = byte
                return FrameHeader.read(UnsafeRawBufferPointer(rebasing: held[..<count]), rules)
            }
            headerCount = UInt8(count)
            if case .incomplete = step { continue }
            headerCount = 0
            return step
        }
        return .incomplete
    }

    private mutating func holdHeader(_ input: inout WebSocketInput) {
        let rest = input.take(input.count)
        headerCount = UInt8(rest.count)
        withUnsafeMutableBytes(of: &header) { $0.copyBytes(from: rest) }
    }

    /// Whether the frame brings nothing of a message. A close frame ends the connection, so there is no flood of them; an empty last fragment ends a message.
    private func isEmpty(_ header: FrameHeader) -> Bool {
        header.opcode.isControl ? header.opcode != .close : header.length == 0 && !header.isFinal
    }

    /// Enters a frame, if its size and kind are taken.
    private mutating func begin(_ header: FrameHeader) -> WebSocketFault? {
        if !header.opcode.isControl {
            let kind = message ?? header.opcode
            let isCompressed = message == nil ? header.isCompressed : messageIsCompressed
            if isTextOnly && kind == .binary { return WebSocketFault(.unsupportedData, "Only text messages are taken here.") }
            // Compressed data can be a little longer than what it stands for.
            let bytesMax = Int(messageBytesMax) + (isCompressed ? Int(messageBytesMax) >> 6 + 128 : 0)
            if header.length > bytesMax - (isCompressed ? Int(compressedBytes) : held.count) {
                return WebSocketFault(.messageTooBig, "A message has at most \(messageBytesMax) bytes here.")
            }
            if message == nil {
                message = header.opcode
                messageIsCompressed = isCompressed
                validator = UTF8Validator()
            }
        }
        isInFrame = true
        frameOpcode = header.opcode
        frameIsFinal = header.isFinal
        frameMask = header.mask
        frameBytesLeft = header.length
        return nil
    }

    // MARK: Payload

    /// Takes what there is of the frame's payload. Nil if there is nothing to tell yet.
    private mutating func readPayload(
        _ input: inout WebSocketInput, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent? {
        let piece = input.take(min(frameBytesLeft, input.count))
        applyMask(frameMask, to: piece)
        frameMask = turnMask(frameMask, by: piece.count)
        frameBytesLeft -= piece.count
        if frameOpcode.isControl { return takeControl(UnsafeRawBufferPointer(piece), &input, &codec, &output) }
        return takeData(UnsafeRawBufferPointer(piece), &codec, &output)
    }

    private mutating func takeData(
        _ piece: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter
    ) -> WebSocketEvent? {
        if frameBytesLeft == 0 { isInFrame = false }
        let isComplete = frameBytesLeft == 0 && frameIsFinal
        if state == .closing {
            if isComplete { message = nil }
            return nil
        }
        if messageIsCompressed { return takeCompressed(piece, isComplete: isComplete, &codec, &output) }
        if message == .text && !(validator.update(piece) && (validator.isComplete || !isComplete)) {
            return fail(WebSocketConnection.invalidText, &codec, &output)
        }
        return collect(piece, isComplete: isComplete)
    }

    /// Adds a piece to the message in progress, and hands that out if it is complete.
    mutating func collect(_ piece: UnsafeRawBufferPointer, isComplete: Bool) -> WebSocketEvent? {
        var payload = piece
        if !isComplete || !held.isEmpty {
            held.append(piece)
            guard isComplete else { return nil }
            spent = held.count
            // The view outlives the borrow: `held` is not touched before the next call.
            payload = held.withUnsafeBytes { $0 }
        }
        let isText = message == .text
        message = nil
        return isText ? .text(payload) : .binary(payload)
    }

    static var invalidText: WebSocketFault { WebSocketFault(.invalidPayload, "A text message is not valid UTF-8.") }
}
