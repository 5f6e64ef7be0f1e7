internal import Bytes
internal import CZlib

/// Decompresses messages. One that keeps its context belongs to one connection; one that doesn't serves any number in turn.
struct Inflater: ~Copyable {
    enum Outcome {
        case done
        /// The message would be bigger than its bound; no more than that was written.
        case tooBig
        case malformed
        /// There was no memory for the window.
        case noMemory
    }

    /// zlib's state points back to its `z_stream`, which must not move.
    private var stream: UnsafeMutablePointer<z_stream>?
    private let windowBits: UInt8
    private let keepsContext: Bool

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

    /// A sender may end its stream inside a message; each restart costs up to a window's copy, so their number is bounded.
    private static let restartsMax = 64

    /// Appends the decompressed message to `output`, at most `bytesMax` bytes of it (RFC 7692 §7.2.2).
    mutating func inflate(_ payload: UnsafeRawBufferPointer, into output: inout ByteWriter, bytesMax: Int) -> Outcome {
        guard let stream = opened() else { return .noMemory }
        let end = output.count + bytesMax
        var restarts = 0
        var outcome = feed(stream, payload, &output, end, &restarts)
        let endedWithFinalBlock = outcome == .done && restarts > 0 && stream.pointee.total_in == 0
        if outcome == .done && !endedWithFinalBlock {
            let tail: InlineArray<4, UInt8> = [0, 0, 0xFF, 0xFF]
            outcome = withUnsafeBytes(of: tail) { feed(stream, $0, &output, end, &restarts) }
            // Between two blocks is the only place where the sender's flush can have ended.
            if outcome == .done && stream.pointee.data_type & 128 == 0 { outcome = .malformed }
        }
        if !keepsContext || outcome != .done { inflateReset(stream) }
        return outcome
    }

    private mutating func feed(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer, _ output: inout ByteWriter, _ end: Int,
        _ restarts: inout Int
    ) -> Outcome {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            // One byte more than allowed tells a message of just the bound from a bigger one.
            let room = min(end + 1 - output.count, max(1024, min(output.count + input.count * 2, 1 << 20)))
            var code: Int32 = Z_OK
            output.append(upTo: room) { room in
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                code = CZlib.inflate(stream, Z_SYNC_FLUSH)
                return room.count - Int(stream.pointee.avail_out)
            }
            if output.count > end { return .tooBig }
            switch code {
            case Z_OK, Z_BUF_ERROR:
                // Output room that is left means that all input was used.
                if stream.pointee.avail_out > 0 { return stream.pointee.avail_in == 0 ? .done : .malformed }
            case Z_STREAM_END:
                restarts += 1
                if restarts > Inflater.restartsMax || !restart(stream) { return .malformed }
                if stream.pointee.avail_in == 0 { return .done }
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
