internal import Bytes
internal import CZlib

/// Compresses messages, each by itself: nothing is kept from one to the next (RFC 7692 §7.1.1.1), so one serves any number of connections.
///
/// A message that is smaller than the window can't refer back further than its own length, so small messages get
/// a small compressor, whose tables are quick to clear.
struct Deflater: ~Copyable {
    /// One `z_stream` for each window size from 9 to 15 bits, made when first needed.
    private var streams: [UnsafeMutablePointer<z_stream>?] = Array(repeating: nil, count: 7)
    /// Messages below this many bytes are not worth the attempt.
    static let bytesMin = 64

    init() {}

    deinit {
        for case let stream? in streams {
            deflateEnd(stream)
            stream.deallocate()
        }
    }

    /// Replaces `output` by the compressed payload, without the four bytes that the receiver adds (RFC 7692 §7.2.1). Returns false,
    /// and leaves the message to be sent as it is, if that is no shorter or the window can't be kept to.
    mutating func deflate(_ payload: UnsafeRawBufferPointer, windowBits: UInt8, into output: inout ByteWriter) -> Bool {
        output.removeAll()
        let count = payload.count
        guard count >= Deflater.bytesMin, count <= Int(Int32.max) else { return false }
        let neededBits = Int.bitWidth - (count - 1).leadingZeroBitCount
        // zlib has no raw window of 8 bits; with 9 bits, a message that fits into the smaller window stays inside it.
        if windowBits < 9 && neededBits > Int(windowBits) { return false }
        guard let stream = stream(min(max(neededBits, 9), max(Int(windowBits), 9))) else { return false }
        var finished = false
        // Room for one byte less than the message itself, and the tail that is cut off again.
        output.append(upTo: count - 1 + Deflater.tailCount) { room in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: payload.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(count)
            stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(room.count)
            finished = CZlib.deflate(stream, Z_SYNC_FLUSH) == Z_OK && stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
            return room.count - Int(stream.pointee.avail_out)
        }
        deflateReset(stream)
        guard finished, output.count > Deflater.tailCount else { return false }
        output.truncate(to: output.count - Deflater.tailCount)
        return true
    }

    static let tailCount = 4

    private mutating func stream(_ bits: Int) -> UnsafeMutablePointer<z_stream>? {
        if let stream = streams[bits - 9] { return stream }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let memoryLevel = Int32(max(1, bits - 7))
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Int32(-bits), memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            stream.deallocate()
            return nil
        }
        streams[bits - 9] = stream
        return stream
    }
}
