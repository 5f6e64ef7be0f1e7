public import Bytes
import CZlib

/// Compression for HTTP's `Content-Encoding: gzip` (RFC 1952): for files that are compressed once and served many times.
public enum Gzip {
    /// Compresses `bytes` as well as zlib can.
    ///
    /// - Returns: nil where memory was short: the caller serves the bytes as they are.
    public static func compress(_ bytes: SharedBytes) -> SharedBytes? {
        var stream = z_stream()
        let gzipWindowBits: Int32 = 15 + 16
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzipWindowBits, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            return nil
        }
        defer { deflateEnd(&stream) }
        return bytes.withUnsafeBytes { input in
            var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
            let result = output.withUnsafeMutableBytes { room in
                // zlib only reads its input; the type says otherwise for old compilers' sake.
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(room.count)
                return deflate(&stream, Z_FINISH)
            }
            guard result == Z_STREAM_END else { return nil }
            return SharedBytes([UInt8](output[0..<Int(stream.total_out)]))
        }
    }
}
