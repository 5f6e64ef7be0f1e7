import Bytes
import Testing
import WebSocket

@Suite struct WebSocketConnectionTests {
    /// A client's frame with a mask of zero.
    func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        precondition(payload.count < 126, "only short frames are built here")
        return [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    @Test("an idle connection is small and holds no memory, also after it was busy")
    func idle() {
        #expect(MemoryLayout<WebSocketConnection>.size <= 200)
        var player = ConnectionPlayer(role: .server)
        var held = player.connection.heldBytes
        #expect(held == 0)
        player.feed(frame(0x01, Array("a".utf8)))
        held = player.connection.heldBytes
        #expect(held > 0)
        player.feed(frame(0x80, Array("b".utf8)))
        player.feed(frame(0x89, Array("ping".utf8)).dropLast(2))
        player.feed(Array("ng".utf8))
        player.feed([])
        held = player.connection.heldBytes
        #expect(held == 0)
        let isInMessage = player.connection.isInMessage
        #expect(!isInMessage)
        #expect(player.events == ["text 6162", "ping 70696e67"])
    }

    @Test("a connection knows when it is inside a header, a frame or a message")
    func isInMessage() {
        var player = ConnectionPlayer(role: .server)
        var seen: [Bool] = []
        for piece in [[0x81], [0x82, 0, 0, 0], [0, 0x61], [0x62], [0x01, 0x80, 0, 0, 0, 0], [0x80, 0x80, 0, 0, 0, 0]] as [[UInt8]] {
            player.feed(piece)
            seen.append(player.connection.isInMessage)
        }
        #expect(seen == [true, true, true, false, true, false])
    }

    @Test("a flood of pings in one read is answered by a bounded number of pongs, the last one's among them")
    func pingFlood() {
        var player = ConnectionPlayer(role: .server)
        var flood: [UInt8] = []
        for number in 0..<1000 { flood += frame(0x89, Array(String(number).utf8)) }
        player.feed(flood)
        #expect(player.events.count == 1000)
        let output = player.takeOutput()
        #expect(output.suffix(5) == [0x8A, 3, 0x39, 0x39, 0x39])
        #expect(output.starts(with: [0x8A, 1, 0x30, 0x8A, 1, 0x31]))
        #expect(output.count < 40 * 5)
    }

    @Test("pings between messages are all answered")
    func pingsBetweenMessages() {
        var player = ConnectionPlayer(role: .server)
        var input: [UInt8] = []
        for _ in 0..<50 { input += frame(0x89, [1]) + frame(0x81, [0x61]) }
        player.feed(input)
        #expect(player.takeOutput().count == 50 * 3)
    }

    @Test("a whole message is lent out of the read buffer, not copied")
    func noCopy() {
        var connection = WebSocketConnection(role: .server)
        var codec = LoopCodec()
        var output = ByteWriter()
        var bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        bytes.withUnsafeMutableBytes { bytes in
            var input = WebSocketInput(bytes)
            guard case .text(let view) = connection.next(&input, &codec, &output) else {
                Issue.record("there was no text")
                return
            }
            #expect(view.baseAddress == UnsafeRawPointer(bytes.baseAddress.map { $0 + 6 }))
            #expect(input.count == 0)
        }
        let held = connection.heldBytes
        #expect(held == 0)
    }

    @Test("sending tells whether it was possible")
    func sending() {
        var player = ConnectionPlayer(role: .server)
        let before = player.connection.send("a", &player.codec, &player.output)
        player.connection.close(.goingAway, "", &player.codec, &player.output)
        let after = player.connection.send("b", &player.codec, &player.output)
        #expect(before && !after)
        #expect(player.takeOutput() == [0x81, 1, 0x61, 0x88, 2, 0x03, 0xE9])
    }

    @Test("a client's masks are fresh for every frame")
    func masks() {
        var player = ConnectionPlayer(role: .client)
        var masks: Set<[UInt8]> = []
        for _ in 0..<1000 {
            _ = player.connection.send("", &player.codec, &player.output)
            let output = player.takeOutput()
            #expect(output.count == 6 && output.starts(with: [0x81, 0x80]))
            masks.insert(Array(output[2...]))
        }
        #expect(masks.count > 990)
    }
}
