internal import Bytes

/// What the connections of one event loop share instead of having one each: compressor, decompressor, the buffer of what was
/// decompressed last, and masking keys. One a thread; takes no memory before its first use.
public struct LoopCodec: ~Copyable {
    private var inflater = Inflater(windowBits: 15, keepsContext: false)
    private var deflater = Deflater()
    private(set) var inflated = ByteWriter()
    private(set) var deflated = ByteWriter()
    private var maskKeys = MaskKeys()
    /// Buffers that a large message left behind are given back from this size on.
    private static let bytesKeptMax = 64 * 1024

    private let compressedBytesMax: Int

    /// A codec without any memory. Larger messages than `compressedBytesMax` are left as they are: how long a thread is busy with one is bounded.
    public init(compressedBytesMax: Int = .max) {
        self.compressedBytesMax = compressedBytesMax
    }

    /// Compresses into `deflated`; false if that is no shorter, or takes too long.
    mutating func deflate(_ payload: UnsafeRawBufferPointer, windowBits: UInt8) -> Bool {
        guard payload.count <= compressedBytesMax else { return false }
        LoopCodec.clear(&deflated)
        return deflater.deflate(payload, windowBits: windowBits, into: &deflated)
    }

    /// Decompresses a whole message into `inflated` without any context.
    mutating func inflate(_ payload: UnsafeRawBufferPointer, bytesMax: Int) -> Inflater.Outcome {
        LoopCodec.clear(&inflated)
        return inflater.inflate(payload, into: &inflated, bytesMax: bytesMax, endsMessage: true)
    }

    /// Decompresses the next piece of a message into `inflated` with a connection's own inflater.
    mutating func inflate(
        _ piece: UnsafeRawBufferPointer, with inflater: inout Inflater, bytesMax: Int, endsMessage: Bool
    ) -> Inflater.Outcome {
        LoopCodec.clear(&inflated)
        return inflater.inflate(piece, into: &inflated, bytesMax: bytesMax, endsMessage: endsMessage)
    }

    mutating func nextMask() -> UInt32 { maskKeys.next() }

    private static func clear(_ buffer: inout ByteWriter) {
        if buffer.capacity > bytesKeptMax { buffer.release() } else { buffer.removeAll() }
    }
}
