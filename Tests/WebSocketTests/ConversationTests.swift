import Bytes
import TestSupport
import Testing
import WebSocket

/// Two connections talk over a simulated stream that cuts the bytes anywhere; what one sends, the other must report, in order.
@Suite struct ConversationTests {
    enum Compression: CaseIterable {
        case off, stateless, clientContext
    }

    @Test(
        "whatever one side sends, the other receives in order, and both close in order", arguments: Compression.allCases,
        [UInt64.random(in: .min ... .max), 1])
    func conversation(compression: Compression, seed: UInt64) {
        print("seed \(seed) \(compression)")
        var random = SplitMix(seed: seed)
        let deflate = compression != .off
        var client = ConnectionPlayer(role: .client, deflate: deflate ? DeflateAgreement() : nil)
        var server = ConnectionPlayer(
            role: .server, deflate: deflate ? DeflateAgreement(peerTakesContextOver: compression == .clientContext) : nil)
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var sentByClient: [String] = []
        var sentByServer: [String] = []
        for _ in 0..<200 {
            switch random.next(upTo: 4) {
            case 0:
                sentByClient += say(&client, &random)
                toServer += client.takeOutput()
            case 1:
                sentByServer += say(&server, &random)
                toClient += server.takeOutput()
            case 2: carry(&toServer, &server, &random)
            default: carry(&toClient, &client, &random)
            }
            // Pongs that the deliveries produced.
            toServer += client.takeOutput()
            toClient += server.takeOutput()
        }
        server.connection.close(.goingAway, "end", &server.codec, &server.output)
        toClient += server.takeOutput()
        while !toClient.isEmpty || !toServer.isEmpty {
            carry(&toClient, &client, &random)
            toServer += client.takeOutput()
            carry(&toServer, &server, &random)
            toClient += server.takeOutput()
        }
        #expect(client.events.last == "closed 1001 \"end\" peer")
        #expect(server.events.last == "closed 1001 \"\" self")
        #expect(withoutPongs(client.events.dropLast()) == sentByServer)
        // What was on its way when the server closed is dropped, pings excepted; what came before is there in order.
        let seen = withoutPongs(server.events.dropLast())
        let messages = seen.filter { !$0.hasPrefix("ping") }
        #expect(messages == Array(sentByClient.filter { !$0.hasPrefix("ping") }.prefix(messages.count)))
    }

    func withoutPongs(_ events: some Sequence<String>) -> [String] { events.filter { !$0.hasPrefix("pong") } }

    /// Sends something, and returns what the other side should report.
    func say(_ player: inout ConnectionPlayer, _ random: inout SplitMix) -> [String] {
        let count =
            random.next(upTo: 20) == 0 ? [65_535, 65_536][random.next(upTo: 2)] : [0, 1, 60, 125, 126, 500, 3000][random.next(upTo: 7)]
        switch random.next(upTo: 4) {
        case 0:
            let payload = (0..<min(count, 125)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            payload.withUnsafeBytes { player.connection.ping($0, &player.codec, &player.output) }
            return ["ping " + describe(payload)]
        case 1:
            let payload = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            payload.withUnsafeBytes { _ = player.connection.send(.binary, $0, &player.codec, &player.output) }
            return ["binary " + describe(payload)]
        default:
            let words = ["todo", "ärger", "€", "😀", "{\"a\":", "}"]
            var text = ""
            while text.utf8.count < count { text += words[random.next(upTo: words.count)] }
            _ = player.connection.send(text, &player.codec, &player.output)
            return ["text " + describe(Array(text.utf8))]
        }
    }

    /// Delivers some of what is on its way.
    func carry(_ stream: inout [UInt8], _ player: inout ConnectionPlayer, _ random: inout SplitMix) {
        let bound = [2, 10, 200, 5000, 200_000][random.next(upTo: 5)]
        let count = min(stream.count, random.next(upTo: bound))
        player.feed(Array(stream.prefix(count)))
        stream.removeFirst(count)
    }

    @Test("fragments and control frames cut at random are put together again", arguments: [UInt64.random(in: .min ... .max), 1])
    func fragments(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        var player = ConnectionPlayer(role: .server)
        var stream: [UInt8] = []
        var expected: [String] = []
        for _ in 0..<200 {
            let isText = random.next(upTo: 2) == 0
            let payload =
                isText
                ? Array(String(repeating: ["a", "ä€", "😀x"][random.next(upTo: 3)], count: random.next(upTo: 100)).utf8)
                : (0..<random.next(upTo: 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var rest = payload[...]
            var opcode: UInt8 = isText ? 1 : 2
            repeat {
                let part = rest.prefix(random.next(upTo: 3) == 0 ? rest.count : random.next(upTo: rest.count + 1))
                rest = rest.dropFirst(part.count)
                let isLast = rest.isEmpty && random.next(upTo: 4) > 0
                stream += frame((isLast ? 0x80 : 0) | opcode, Array(part), &random)
                opcode = 0
                if isLast { break }
                if random.next(upTo: 4) == 0 {
                    stream += frame(0x89, [UInt8(random.next(upTo: 256))], &random)
                    expected.append("ping " + describe([stream[stream.count - 1] ^ stream[stream.count - 5]]))
                }
            } while true
            expected.append((isText ? "text " : "binary ") + describe(payload))
        }
        while !stream.isEmpty { carry(&stream, &player, &random) }
        #expect(player.events == expected)
    }

    /// A client's frame of any length under a random mask.
    func frame(_ first: UInt8, _ payload: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = [first]
        if payload.count < 126 {
            bytes.append(0x80 | UInt8(payload.count))
        } else {
            bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        let mask = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    @Test(
        "random bytes and damaged frames never crash, and end in at most one close frame", arguments: [UInt64.random(in: .min ... .max), 1])
    func noise(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        for round in 0..<600 {
            let deflate = [nil, DeflateAgreement(), DeflateAgreement(peerTakesContextOver: true)][round % 3]
            var player = ConnectionPlayer(
                role: round % 2 == 0 ? .server : .client, options: .init(messageBytesMax: 10_000), deflate: deflate)
            var stream: [UInt8] = []
            for _ in 0..<5 {
                let payload = (0..<random.next(upTo: 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                stream += frame([0x81, 0x82, 0x89, 0xC1, 0xC2, 0x01, 0x80][random.next(upTo: 7)], payload, &random)
            }
            for _ in 0..<random.next(upTo: 4) { stream[random.next(upTo: stream.count)] = UInt8(truncatingIfNeeded: random.next()) }
            while !stream.isEmpty { carry(&stream, &player, &random) }
            let ends = player.events.filter { $0.hasPrefix("failed") || $0.hasPrefix("closed") }
            #expect(ends.count <= 1)
            if let end = ends.first { #expect(player.events.last == end) }
            let held = player.connection.heldBytes
            #expect(held <= 64 * 1024)
        }
    }
}
