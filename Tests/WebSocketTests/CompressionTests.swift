import Bytes
import TestSupport
import Testing
import WebSocket

@Suite struct CompressionTests {
    /// Text that compresses and refers far back: words out of a small vocabulary.
    func text(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        let words = ["project", "item", "body", "isDone", "\":{\"", "priority", "0123456789abcdef"].map { Array($0.utf8) }
        var result: [UInt8] = []
        while result.count < count { result += words[random.next(upTo: words.count)] }
        return Array(result.prefix(count))
    }

    /// What a client with this agreement reads out of `bytes`.
    func received(_ bytes: [UInt8], _ agreement: DeflateAgreement) -> [String] {
        var player = ConnectionPlayer(role: .client, options: .init(messageBytesMax: 1 << 24), deflate: agreement)
        player.feed(bytes)
        return player.events
    }

    @Test("what is compressed for a window of any size is read by a peer with just that window", arguments: 8...15 as ClosedRange<UInt8>)
    func windows(bits: UInt8) {
        var random = SplitMix(seed: 7 + UInt64(bits))
        var player = ConnectionPlayer(role: .server, deflate: DeflateAgreement(ownWindowBits: bits))
        // The peer keeps a context of just this size, so that a reference beyond it is a fault; each message stands alone all the same.
        let peer = DeflateAgreement(peerTakesContextOver: true, peerWindowBits: bits)
        for count in [0, 1, 63, 64, 100, 255, 256, 257, 511, 512, 513, 1000, 5000, 40_000, 100_000] {
            let message = text(count, &random)
            message.withUnsafeBytes { _ = player.connection.send(.binary, $0, &player.codec, &player.output) }
            let frame = player.takeOutput()
            #expect(received(frame, peer) == ["binary " + describe(message)], "\(count) bytes")
            let isCompressed = frame[0] & 0x40 != 0
            #expect(isCompressed == (count >= 64 && (bits > 8 || count <= 256)), "\(count) bytes")
            if isCompressed { #expect(frame.count < count) }
        }
    }

    @Test("what does not compress is sent as it is")
    func incompressible() {
        var random = SplitMix(seed: 3)
        var player = ConnectionPlayer(role: .server, deflate: DeflateAgreement())
        for count in [64, 100, 1000, 70_000] {
            let message = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            message.withUnsafeBytes { _ = player.connection.send(.binary, $0, &player.codec, &player.output) }
            let frame = player.takeOutput()
            #expect(frame[0] == 0x82)
            #expect(received(frame, DeflateAgreement()) == ["binary " + describe(message)])
        }
    }

    @Test("a shared frame is read by every connection that says it takes it")
    func shared() throws {
        var codec = LoopCodec()
        var random = SplitMix(seed: 5)
        for count in [300, 600, 5000, 40_000] {
            let message = text(count, &random)
            let frame = try #require(message.withUnsafeBytes { SharedFrame.compressedText($0, &codec) })
            let plain = message.withUnsafeBytes { SharedFrame.text($0) }
            #expect(frame.count < plain.count)
            #expect(received(plain.array, DeflateAgreement()) == ["text " + describe(message)])
            for bits in UInt8(8)...15 {
                let connection = WebSocketConnection(role: .server, deflate: DeflateAgreement(ownWindowBits: bits))
                let takes = connection.takesSharedFrame(of: count)
                #expect(takes == (bits == 15 || count <= 1 << Int(bits)))
                if takes {
                    let peer = DeflateAgreement(peerTakesContextOver: true, peerWindowBits: bits)
                    #expect(received(frame.array, peer) == ["text " + describe(message)])
                }
            }
        }
        let uncompressed = WebSocketConnection(role: .server)
        let takes = uncompressed.takesSharedFrame(of: 1)
        #expect(!takes)
    }

    @Test("a short message is not worth a shared compressed frame")
    func sharedShort() {
        var codec = LoopCodec()
        let frame = Array("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8).withUnsafeBytes { SharedFrame.compressedText($0, &codec) }
        #expect(frame == nil)
    }

    @Test("one codec serves connections with and without contexts in turn")
    func interleaved() {
        // The vectors of RFC 7692 §7.2.3: the second message of a kept context.
        let first: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let second: [UInt8] = [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
        var codec = LoopCodec()
        var output = ByteWriter()
        var one = WebSocketConnection(role: .client, deflate: DeflateAgreement(peerTakesContextOver: true))
        var other = WebSocketConnection(role: .client, deflate: DeflateAgreement(peerTakesContextOver: true))
        var plain = WebSocketConnection(role: .client, deflate: DeflateAgreement())
        func read(_ connection: inout WebSocketConnection, _ bytes: [UInt8]) -> String {
            var bytes = bytes
            return bytes.withUnsafeMutableBytes { bytes in
                var input = WebSocketInput(bytes)
                switch connection.next(&input, &codec, &output) {
                case .text(let view): return String(decoding: view, as: UTF8.self)
                case .failed(let fault): return "\(fault.code)"
                default: return "?"
                }
            }
        }
        #expect(read(&one, first) == "Hello")
        #expect(read(&plain, first) == "Hello")
        #expect(read(&other, first) == "Hello")
        #expect(read(&one, second) == "Hello")
        #expect(read(&other, second) == "Hello")
        #expect(read(&plain, second) == "1007")
    }
}
