public import Bytes

extension ByteWriter {
    /// Appends a server's frame: final, unmasked. `compressed` sets RSV1 and says that the payload is deflated (RFC 7692 §6).
    public mutating func appendFrame(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, compressed: Bool = false) {
        reserve(payload.count + 10)
        appendFrameHeader(opcode, count: payload.count, compressed: compressed, masked: false)
        append(payload)
    }

    /// Appends a client's frame: final, masked with `mask`, which must be unpredictable (RFC 6455 §5.3).
    mutating func appendMaskedFrame(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, compressed: Bool = false, mask: UInt32) {
        reserve(payload.count + 14)
        appendFrameHeader(opcode, count: payload.count, compressed: compressed, masked: true)
        append(bigEndian: mask.byteSwapped)
        let begin = count
        append(payload)
        withUnsafeMutableBytes { applyMask(mask.littleEndian, to: UnsafeMutableRawBufferPointer(rebasing: $0[begin...])) }
    }

    private mutating func appendFrameHeader(_ opcode: Opcode, count: Int, compressed: Bool, masked: Bool) {
        append(0x80 | (compressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = masked ? 0x80 : 0
        switch count {
        case ..<126: append(maskBit | UInt8(count))
        case ..<65536:
            append(maskBit | 126)
            append(bigEndian: UInt16(count))
        default:
            append(maskBit | 127)
            append(bigEndian: UInt64(count))
        }
    }
}

/// Whole frames as a server sends them, encoded once and shared by every connection that they go to.
public enum SharedFrame {
    /// A text message that is not compressed.
    public static func text(_ payload: UnsafeRawBufferPointer) -> SharedBytes {
        var output = ByteWriter(capacity: payload.count + 10)
        output.appendFrame(.text, payload)
        return output.finish()
    }

    /// A compressed text message for connections whose `takesSharedFrame(of:)` is true for the payload's size, or nil if
    /// compressing does not make it smaller.
    public static func compressedText(_ payload: UnsafeRawBufferPointer, _ codec: inout LoopCodec) -> SharedBytes? {
        guard codec.deflate(payload, windowBits: 15) else { return nil }
        var output = ByteWriter(capacity: codec.deflated.count + 10)
        codec.deflated.withUnsafeBytes { output.appendFrame(.text, $0, compressed: true) }
        return output.finish()
    }
}
