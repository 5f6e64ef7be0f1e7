internal import Bytes
internal import CZlib

/// Decompresses messages, each as a whole or piece by piece. One that keeps its context, or has had part of a message, belongs to one
/// connection; others serve any number in turn.
struct Inflater: ~Copyable {
    enum Outcome {
        /// All that came was decompressed.
        case done
        /// The message would be bigger than its bound; one byte beyond it was written.
        case tooBig
        case malformed
        /// There was no memory for zlib's state or its window.
        case noMemory
    }

    /// zlib's state points back to its `z_stream`, which must not move.
    private var stream: UnsafeMutablePointer<z_stream>?
    private let windowBits: UInt8
    private let keepsContext: Bool
    /// How often the message in progress has begun anew behind a final block.
    private var restarts: UInt8 = 0
    /// How many bytes of the message in progress have come out.
    private var messageBytes = 0

    /// Takes no memory before the first message.
    init(windowBits: UInt8, keepsContext: Bool) {
        self.windowBits = windowBits
        self.keepsContext = keepsContext
    }

    deinit {
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Bytes of memory that zlib has taken: its state, which zconf.h puts at about 7 KiB, and the window.
    var heldBytes: Int { stream == nil ? 0 : (7 << 10) + (1 << Int(windowBits)) }

    /// A sender may end its stream inside a message; each restart costs up to a window's copy, so their number is bounded.
    private static let restartsMax: UInt8 = 64

    /// Appends what the next piece of a message stands for to `output` (RFC 7692 §7.2.2). All that the bytes so far tell comes out,
    /// and any fault in them is found.
    ///
    /// - Parameters:
    ///   - piece: Compressed bytes, which are not needed here again.
    ///   - bytesMax: The most that may come out of all pieces of the message.
    ///   - endsMessage: Whether the message is complete with this piece.
    mutating func inflate(
        _ piece: UnsafeRawBufferPointer, into output: inout ByteWriter, bytesMax: Int, endsMessage: Bool
    ) -> Outcome {
        guard let stream = opened() else { return .noMemory }
        var outcome = feed(stream, piece, &output, bytesMax)
        if outcome == .done && !endsMessage { return .done }
        let endedWithFinalBlock = restarts > 0 && stream.pointee.total_in == 0
        if outcome == .done && !endedWithFinalBlock {
            let tail: InlineArray<4, UInt8> = [0, 0, 0xFF, 0xFF]
            outcome = withUnsafeBytes(of: tail) { feed(stream, $0, &output, bytesMax) }
            // Between two blocks is the only place where the sender's flush can have ended.
            if outcome == .done && stream.pointee.data_type & 128 == 0 { outcome = .malformed }
        }
        restarts = 0
        messageBytes = 0
        if !keepsContext || outcome != .done { inflateReset(stream) }
        return outcome
    }

    private mutating func feed(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer, _ output: inout ByteWriter, _ bytesMax: Int
    ) -> Outcome {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            // One byte more than allowed tells a message of just the bound from a bigger one.
            let room = min(bytesMax + 1 - messageBytes, max(1024, min(output.count + input.count * 2, 1 << 20)))
            var code: Int32 = Z_OK
            output.append(upTo: room) { room in
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                code = CZlib.inflate(stream, Z_SYNC_FLUSH)
                return room.count - Int(stream.pointee.avail_out)
            }
            messageBytes += room - Int(stream.pointee.avail_out)
            if messageBytes > bytesMax { return .tooBig }
            switch code {
            case Z_OK, Z_BUF_ERROR:
                // Output room that is left means that all input was used.
                if stream.pointee.avail_out > 0 { return stream.pointee.avail_in == 0 ? .done : .malformed }
            case Z_STREAM_END:
                restarts += 1
                if restarts > Inflater.restartsMax || !restart(stream) { return .malformed }
                if stream.pointee.avail_in == 0 { return .done }
            case Z_MEM_ERROR: return .noMemory
            default: return .malformed
            }
        }
    }

    /// Goes on behind a final block as if it were none: the window stays, where it is kept (RFC 7692 §7.2.3.4).
    private func restart(_ stream: UnsafeMutablePointer<z_stream>) -> Bool {
        guard keepsContext else { return inflateReset(stream) == Z_OK }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 15) { window in
            var count: UInt32 = 0
            return inflateGetDictionary(stream, window.baseAddress, &count) == Z_OK && inflateReset(stream) == Z_OK
                && inflateSetDictionary(stream, window.baseAddress, count) == Z_OK
        }
    }

    private mutating func opened() -> UnsafeMutablePointer<z_stream>? {
        if let stream { return stream }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, -Int32(windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
        return stream
    }
}
