import Bytes
import TestSupport
import Testing
import WebSocket

/// Compressed messages that come in several frames or several reads.
@Suite struct CompressedPiecesTests {
    /// How a message comes.
    enum Cut: CaseIterable {
        case reads
        case frames
    }

    /// zlib's memory for one inflater, generously.
    static let zlibBytesMax = 48 * 1024

    /// "Hello", compressed, in a frame to a client.
    static let hello: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    /// A frame to a client.
    func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        header(first, payload.count) + payload
    }

    func header(_ first: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<126: [first, UInt8(count)]
        case ..<65536: [first, 126, UInt8(count >> 8), UInt8(count & 255)]
        default: [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
    }

    /// A client that has had a message before, so that a context, where it is kept, is not new.
    func player(takeover: Bool, bytesMax: Int = 1 << 20) -> ConnectionPlayer {
        var player = ConnectionPlayer(
            role: .client, options: .init(messageBytesMax: bytesMax), deflate: DeflateAgreement(peerTakesContextOver: takeover))
        player.feed(Self.hello)
        player.events = []
        return player
    }

    /// Sends compressed data byte by byte, as a message that would go on, and tells what that led to, and after how many bytes.
    func firstEvent(_ payload: [UInt8], _ kind: UInt8, _ cut: Cut, takeover: Bool, bytesMax: Int = 1 << 20) -> String {
        var player = player(takeover: takeover, bytesMax: bytesMax)
        if cut == .reads { player.feed(header(0xC0 | kind, payload.count + 10)) }
        for (index, byte) in payload.enumerated() {
            switch cut {
            case .reads: player.feed([byte])
            case .frames: player.feed(frame(index == 0 ? 0x40 | kind : 0, [byte]))
            }
            if let event = player.events.first {
                let held = player.connection.heldBytes
                #expect(held == 0, "a failed connection holds nothing")
                return "\(event) after \(index + 1)"
            }
        }
        return "nothing"
    }

    @Test(
        "what is not UTF-8 in a compressed text is found in the byte that it comes out of", arguments: Cut.allCases, [false, true])
    func invalidText(cut: Cut, takeover: Bool) {
        let good = Array("to do, again and again: é, ✓, 𝄞; ".utf8)
        // Hopeless at the last byte of each, not before.
        let bad: [[UInt8]] = [
            [0xFF], [0x80], [0xC3, 0x41], [0xE2, 0x9C, 0xC0], [0xED, 0xA0], [0xF4, 0x90], [0xF0, 0x9D, 0x84, 0x20], [0xC0],
        ]
        for repeats in [0, 1, 50] {
            for end in bad {
                var block = FixedBlock()
                for _ in 0..<repeats { block.literals(good) }
                block.literals(end)
                let place = block.bytes.count
                block.literals(good)
                block.flush()
                #expect(firstEvent(block.bytes, 1, cut, takeover: takeover) == "failed 1007 after \(place)", "\(repeats), \(end)")
                #expect(firstEvent(block.bytes, 2, cut, takeover: takeover) == "nothing")
            }
        }
    }

    @Test("a compressed message that gets too big is refused at the first byte beyond its bound", arguments: Cut.allCases, [false, true])
    func tooBig(cut: Cut, takeover: Bool) {
        for bytesMax in [5, 300, 2000, 5000, 70_000] {
            var block = FixedBlock()
            var count = 1
            block.literal(0x61)
            while count + 258 <= bytesMax {
                block.run()
                count += 258
            }
            block.literals(Array(repeating: 0x62, count: bytesMax - count))
            #expect(firstEvent(block.bytes, 1, cut, takeover: takeover, bytesMax: bytesMax) == "nothing")
            block.literal(0x63)
            let place = block.bytes.count
            block.literals(Array(repeating: 0xFF, count: 100))
            #expect(firstEvent(block.bytes, 1, cut, takeover: takeover, bytesMax: bytesMax) == "failed 1009 after \(place)")
        }
    }

    @Test("damaged compressed data are found at the byte that no block goes on with", arguments: Cut.allCases, [false, true])
    func malformed(cut: Cut, takeover: Bool) {
        for count in [0, 1, 100, 3000] {
            var block = FixedBlock()
            block.literals(Array(repeating: 0x61, count: count))
            block.badBlock()
            let place = block.bytes.count
            #expect(firstEvent(block.bytes + [0, 0, 0], 1, cut, takeover: takeover) == "failed 1007 after \(place)")
            #expect(firstEvent(block.bytes + [0, 0, 0], 2, cut, takeover: takeover) == "failed 1007 after \(place)")
        }
        // Blocks that say they are the last one may not come without end, in however many pieces they do.
        let finals = Array(repeatElement([0x03, 0x00] as [UInt8], count: 100).joined())
        #expect(firstEvent(finals, 1, cut, takeover: takeover) == "failed 1007 after 130")
    }

    @Test("the fault that comes first is the one that is told, also where the message is whole", arguments: [false, true])
    func firstFault(takeover: Bool) {
        var tooBigBehind = FixedBlock()
        tooBigBehind.literal(0xFF)
        for _ in 0..<20 { tooBigBehind.run() }
        tooBigBehind.flush()
        var player = player(takeover: takeover, bytesMax: 1000)
        player.feed(frame(0xC1, tooBigBehind.bytes))
        #expect(player.events == ["failed 1007"])
        var invalidBehind = FixedBlock()
        invalidBehind.literals(Array(repeating: 0x61, count: 1000) + [0xFF])
        invalidBehind.flush()
        player = self.player(takeover: takeover, bytesMax: 1000)
        player.feed(frame(0xC1, invalidBehind.bytes))
        #expect(player.events == ["failed 1009"])
    }

    @Test("a bomb that comes in pieces is refused at its bound, and takes no more memory than a message", arguments: [false, true])
    func bomb(takeover: Bool) {
        let bytesMax = 1 << 16
        var block = FixedBlock()
        block.literal(0)
        for _ in 0..<100_000 { block.run() }
        var player = player(takeover: takeover, bytesMax: bytesMax)
        var heldMax = 0
        var sent = 0
        for start in stride(from: 0, to: block.bytes.count, by: 50) where player.events.isEmpty {
            player.feed(frame(start == 0 ? 0x42 : 0, Array(block.bytes[start..<min(block.bytes.count, start + 50)])))
            heldMax = max(heldMax, player.connection.heldBytes)
            sent += 50
        }
        #expect(player.events == ["failed 1009"])
        #expect(sent < 500)
        #expect(heldMax <= 2 * (takeover ? bytesMax : sent) + Self.zlibBytesMax)
        #expect(heldMax >= 32 * 1024 + (takeover ? bytesMax / 4 : 0))
        let held = player.connection.heldBytes
        #expect(held == 0)
    }

    @Test("half a bomb holds what was sent of it and zlib's memory, not what it stands for", arguments: Cut.allCases)
    func halfBomb(cut: Cut) {
        var block = FixedBlock()
        block.literal(0x61)
        for _ in 0..<4000 { block.run() }
        block.flush()
        var player = player(takeover: false)
        if cut == .reads { player.feed(header(0xC1, block.bytes.count)) }
        var sent = 0
        while sent < block.bytes.count {
            let piece = Array(block.bytes[sent..<min(block.bytes.count, sent + 100)])
            let isLast = sent + piece.count == block.bytes.count
            player.feed(cut == .reads ? piece : frame((sent == 0 ? 0x41 : 0) | (isLast ? 0x80 : 0), piece))
            sent += piece.count
            let held = player.connection.heldBytes
            #expect(held <= 2 * sent + Self.zlibBytesMax)
            if isLast { #expect(held == 0, "the message is in the event loop's buffer") }
        }
        #expect(player.events == ["text " + describe(Array(repeating: 0x61, count: 1 + 4000 * 258))])
    }

    @Test("an inflater is a connection's own only while a message is on its way in pieces")
    func givenBack() {
        var player = player(takeover: false)
        var held = player.connection.heldBytes
        #expect(held == 0, "a whole message takes none")
        for _ in 0..<3 {
            player.feed(Array(Self.hello.prefix(5)))
            held = player.connection.heldBytes
            #expect(held > 32 * 1024 && held <= Self.zlibBytesMax)
            player.feed(Array(Self.hello.dropFirst(5)))
            player.feed([])
            held = player.connection.heldBytes
            #expect(held == 0, "the message is complete")
        }
        player.feed(header(0xC1, 7))
        held = player.connection.heldBytes
        #expect(held == 0, "no part of a message has come")
        player.feed(Array(Self.hello.dropFirst(2)) + frame(0x41, []) + frame(0, []))
        held = player.connection.heldBytes
        #expect(held == 0, "no part of a message has come")
        player.feed(frame(0x80, Array(Self.hello.dropFirst(2))))
        player.feed(frame(0x41, [0x02]) + frame(0x80, [0x00]))
        player.feed([])
        held = player.connection.heldBytes
        #expect(held == 0, "the message was empty")
        #expect(player.events == Array(repeating: "text 48656c6c6f", count: 5) + ["text "])
    }

    @Test("an inflater is given back as the connection ends, whoever ends it", arguments: [false, true])
    func givenBackAtTheEnd(takeover: Bool) {
        var player = player(takeover: takeover)
        player.feed(frame(0x41, [0xF2, 0x48, 0xCD]) + frame(0x89, [0x61]) + frame(0x88, [0x03, 0xE8]))
        #expect(player.events == ["ping 61", "closed 1000 \"\" peer"])
        var held = player.connection.heldBytes
        #expect(held == 0)
        player = self.player(takeover: takeover)
        player.feed(frame(0x41, [0xF2, 0x48, 0xCD]))
        player.connection.close(.goingAway, "", &player.codec, &player.output)
        held = player.connection.heldBytes
        #expect(held < 8 * 1024, "what comes after the close frame is thrown away, so nothing is inflated any more")
        // Neither the rest of the message nor one that refers to it is looked at.
        player.feed(frame(0x80, [0xC9, 0xC9, 0x07, 0x00]) + [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00] + frame(0xC1, [0xFF]))
        held = player.connection.heldBytes
        #expect(held == 0)
        player.feed(frame(0x88, [0x03, 0xE9]))
        #expect(player.events == ["closed 1001 \"\" self"])
    }

    @Test("a context that is kept goes on through messages in pieces, and is all that stays of them")
    func keptContext() {
        var player = player(takeover: true)
        for _ in 0..<5 {
            player.feed(frame(0x41, [0xF2]) + frame(0, [0x00, 0x11]) + frame(0x8A, []) + frame(0, []))
            player.feed(header(0x80, 2) + [0x00])
            player.feed([0x00])
            player.feed([0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00])
            let held = player.connection.heldBytes
            #expect(held > 32 * 1024 && held <= Self.zlibBytesMax)
        }
        #expect(player.events == Array(repeating: ["pong ", "text 48656c6c6f", "text 48656c6c6f"], count: 5).flatMap { $0 })
    }

    @Test(
        "messages come out the same, or fail the same, whole and in pieces", arguments: [UInt64.random(in: .min ... .max), 1],
        [false, true])
    func piecesAndWhole(seed: UInt64, takeover: Bool) {
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        var sender = ConnectionPlayer(role: .server, deflate: DeflateAgreement())
        let bytesMax = 40_000
        for _ in 0..<60 {
            var whole = player(takeover: takeover, bytesMax: bytesMax)
            var cut = player(takeover: takeover, bytesMax: bytesMax)
            for _ in 0..<5 {
                let message = text(random.next(upTo: random.next(upTo: 4) == 0 ? 45_000 : 2000), &random)
                let isText = random.next(upTo: 3) > 0
                message.withUnsafeBytes { _ = sender.connection.send(isText ? .text : .binary, $0, &sender.codec, &sender.output) }
                let sent = sender.takeOutput()
                var payload = Array(sent.dropFirst(sent[1] < 126 ? 2 : sent[1] == 126 ? 4 : 10))
                if random.next(upTo: 8) == 0 && !payload.isEmpty {
                    payload[random.next(upTo: payload.count)] = UInt8(truncatingIfNeeded: random.next())
                }
                whole.feed(frame(sent[0], payload))
                feedInPieces(&cut, sent[0], payload, &random)
            }
            #expect(whole.events == cut.events)
        }
    }

    /// Characters of one to four bytes, in words that come again and now and then one that doesn't.
    func text(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        let words = ["project", "item ", "é", "ß ✓", "𝄞 body ", "isDone", "\":{\""].map { Array($0.utf8) }
        var result: [UInt8] = []
        while result.count < count {
            result += random.next(upTo: 20) == 0 ? Array(String(random.next()).utf8) : words[random.next(upTo: words.count)]
        }
        return result
    }

    /// Sends a message in up to five frames, and those in reads of any size.
    func feedInPieces(_ player: inout ConnectionPlayer, _ first: UInt8, _ payload: [UInt8], _ random: inout SplitMix) {
        let places = (0..<random.next(upTo: 5)).map { _ in random.next(upTo: payload.count + 1) }.sorted()
        var stream: [UInt8] = []
        for (index, piece) in pieces(payload, places).enumerated() {
            let isLast = index == places.count
            stream += frame((index == 0 ? first & 0x7F : 0) | (isLast ? 0x80 : 0), piece)
        }
        let sizeMax = [1, 20, 3000, 100_000][random.next(upTo: 4)]
        while !stream.isEmpty {
            let count = min(stream.count, 1 + random.next(upTo: sizeMax))
            player.feed(Array(stream.prefix(count)))
            stream.removeFirst(count)
        }
    }
}
