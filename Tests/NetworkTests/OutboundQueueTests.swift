import Bytes
import CLinux
import Testing

@testable import Network

/// What a socket is given at a time.
struct OutboundQueueTests {
    @Test func `a write is bounded, in the middle of a piece if need be, and the next one goes on there`() {
        var pool = SegmentPool()
        var queue = OutboundQueue()
        let bytes = (0..<10).map { number in [UInt8](repeating: UInt8(number), count: 100) }
        for piece in bytes { queue.append(SharedBytes(piece), pool: &pool) }
        queue.markLast()
        let pieces = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 4)
        let arena = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer {
            pieces.deallocate()
            arena.deallocate()
        }
        var written: [UInt8] = []
        var marks = 0
        while !queue.isEmpty {
            let (filled, count) = queue.fill(pieces, arena: arena, bytesMax: 250)
            #expect((1...250).contains(count))
            #expect(pieces[..<filled].reduce(0) { $0 + $1.iov_len } == count)
            for piece in pieces[..<filled] { written += UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len) }
            marks += queue.remove(count, pool: &pool)
        }
        #expect(written == bytes.flatMap { $0 })
        #expect(marks == 1)
    }
}
