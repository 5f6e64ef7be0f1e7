/// A frame's header (RFC 6455 §5.2), complete and checked.
struct FrameHeader {
    var isFinal: Bool
    var isCompressed: Bool
    var opcode: Opcode
    /// Payload length in bytes.
    var length: Int
    /// The masking key as a little-endian number; 0 if there is none.
    var mask: UInt32
    /// The header's own length in bytes.
    var size: Int

    /// What a header is checked against.
    struct Rules {
        /// Whether frames must be masked (the server's side) or must not (the client's).
        var isMasked: Bool
        /// Whether a fragmented message is in progress.
        var isInMessage: Bool
        /// Whether the first frame of a message may be compressed.
        var allowsCompression: Bool
    }

    enum Step {
        case incomplete
        case fault(WebSocketFault)
        case ready(FrameHeader)
    }

    /// The longest header: two bytes, eight of length, four of mask.
    static let sizeMax = 14

    /// Reads a header from the beginning of `bytes`. Each byte is checked as soon as it is there, so the outcome does not depend on
    /// how the bytes were cut.
    static func read(_ bytes: UnsafeRawBufferPointer, _ rules: Rules) -> Step {
        guard bytes.count > 0 else { return .incomplete }
        let first = bytes[0]
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            return .fault(WebSocketFault(.protocolError, "The frame's opcode is reserved."))
        }
        let isFinal = first & 0x80 != 0
        let isCompressed = first & 0x40 != 0
        if let fault = fault(opcode, isFinal: isFinal, reserved: first & 0x70, rules) { return .fault(fault) }
        guard bytes.count > 1 else { return .incomplete }
        let second = bytes[1]
        if (second & 0x80 != 0) != rules.isMasked {
            return .fault(
                WebSocketFault(
                    .protocolError, rules.isMasked ? "A client's frames must be masked." : "A server's frames must not be masked."))
        }
        let short = Int(second & 0x7F)
        if opcode.isControl && short > 125 { return .fault(WebSocketFault(.protocolError, "A control frame carries at most 125 bytes.")) }
        if opcode == .close && short == 1 { return .fault(WebSocketFault(.protocolError, "A close frame's code is two bytes long.")) }
        var size = 2
        var length = short
        if short == 126 {
            guard bytes.count >= 4 else { return .incomplete }
            length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            if length < 126 { return .fault(WebSocketFault(.protocolError, "The frame's length is not in its shortest form.")) }
            size = 4
        } else if short == 127 {
            guard bytes.count >= 10 else {
                if bytes.count > 2 && bytes[2] & 0x80 != 0 { return .fault(hugeLength) }
                return .incomplete
            }
            let wide = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            if wide >> 63 != 0 { return .fault(hugeLength) }
            if wide < 65536 { return .fault(WebSocketFault(.protocolError, "The frame's length is not in its shortest form.")) }
            length = Int(wide)
            size = 10
        }
        var mask: UInt32 = 0
        if rules.isMasked {
            guard bytes.count >= size + 4 else { return .incomplete }
            mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
            size += 4
        }
        return .ready(FrameHeader(isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, length: length, mask: mask, size: size))
    }

    private static var hugeLength: WebSocketFault { WebSocketFault(.protocolError, "The highest bit of the frame's length is set.") }

    /// Checks the first byte against where the connection stands.
    private static func fault(_ opcode: Opcode, isFinal: Bool, reserved: UInt8, _ rules: Rules) -> WebSocketFault? {
        let mayBeCompressed = rules.allowsCompression && (opcode == .text || opcode == .binary)
        if reserved & ~(mayBeCompressed ? 0x40 : 0) != 0 { return WebSocketFault(.protocolError, "A reserved bit of the frame is set.") }
        if opcode.isControl {
            return isFinal ? nil : WebSocketFault(.protocolError, "A control frame must not be fragmented.")
        }
        if opcode == .continuation {
            return rules.isInMessage ? nil : WebSocketFault(.protocolError, "There is no message that the frame continues.")
        }
        return rules.isInMessage ? WebSocketFault(.protocolError, "A new message began inside a fragmented one.") : nil
    }
}
