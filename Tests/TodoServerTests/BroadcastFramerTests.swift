import Bytes
import Synchronization
import Testing
import WebSocket

@testable import TodoServer

@Suite struct BroadcastFramerTests {
    private static let long = SharedBytes(utf8: String(repeating: "to do, ", count: 100))
    private static let short = SharedBytes(utf8: "to do")

    @Test func `a text is framed and compressed once a turn for all loops`() {
        let status = ServerStatus(loops: 3)
        status.deflatingSessions.add(1, ordering: .relaxed)
        var framer = BroadcastFramer(status: status)
        let first = framer.message(Self.long)
        let second = framer.message(Self.long)
        #expect(first.frame.unsafeAddress == second.frame.unsafeAddress)
        #expect(first.compressedFrame?.unsafeAddress == second.compressedFrame?.unsafeAddress)
        #expect((first.compressedFrame?.count ?? .max) < first.frame.count / 4)
        #expect(status.broadcastsCompressed.load(ordering: .relaxed) == 1)
        framer.endTurn()
        _ = framer.message(Self.long)
        #expect(status.broadcastsCompressed.load(ordering: .relaxed) == 2)
    }

    @Test func `nothing is compressed that no session takes, and nothing small`() {
        let status = ServerStatus(loops: 1)
        var framer = BroadcastFramer(status: status)
        let plain = framer.message(Self.long)
        #expect(plain.compressedFrame == nil)
        #expect(plain.payloadCount == Self.long.count)
        framer.endTurn()
        status.deflatingSessions.add(1, ordering: .relaxed)
        let small = framer.message(Self.short)
        #expect(small.compressedFrame == nil)
        #expect(small.frame.array == [0x81, 5] + Array("to do".utf8))
        #expect(status.broadcastsCompressed.load(ordering: .relaxed) == 0)
    }

    @Test func `a text that takes long to compress goes out as it is, unless another thread than the committer frames it`() {
        let status = ServerStatus(loops: 1)
        status.deflatingSessions.add(1, ordering: .relaxed)
        let large = SharedBytes(utf8: String(repeating: "to do, ", count: 100_000))
        var committers = BroadcastFramer(status: status)
        let plain = committers.message(large)
        #expect(plain.compressedFrame == nil && plain.payloadCount == large.count)
        var others = TextFramer(status: status)
        let compressed = others.frame(large)
        #expect((compressed.compressedFrame?.count ?? .max) < large.count / 50)
        #expect(compressed.frame == plain.frame)
    }
}
