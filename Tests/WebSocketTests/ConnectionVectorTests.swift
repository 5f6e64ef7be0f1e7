import Testing
import WebSocket

/// Replays `Vectors/frames*.txt`, each vector whole, split at every byte, and byte by byte.
@Suite struct ConnectionVectorTests {
    @Test("frames lead to the same events and answers however they are cut", arguments: Vector.load("frames.txt"))
    func frames(vector: Vector) throws { try replay(vector) }

    @Test("closing handshakes run as RFC 6455 has them however they are cut", arguments: Vector.load("close.txt"))
    func closing(vector: Vector) throws { try replay(vector) }

    @Test("text is checked as early as a fault can be known", arguments: Vector.load("utf8.txt"))
    func utf8(vector: Vector) throws { try replay(vector) }

    @Test("compressed messages are inflated or refused however they are cut", arguments: Vector.load("deflate.txt"))
    func deflate(vector: Vector) throws { try replay(vector) }

    /// A line of a vector, with its bytes read once for all replays.
    enum Step {
        case input([UInt8])
        case action(kind: Substring, number: UInt16?, payload: [UInt8])
        case event(String)
        case output([UInt8])
        /// A close frame with this code and any reason.
        case closeFrame(UInt16)
        case state(String)
    }

    func replay(_ vector: Vector) throws {
        var steps: [Step] = []
        for line in vector.lines {
            switch line.key {
            case "in": steps.append(.input(try #require(bytes(line.text))))
            case "do": steps.append(try action(line.text))
            case "event": steps.append(.event(try event(line.text)))
            case "out" where line.text.hasPrefix("close "): steps.append(.closeFrame(try #require(UInt16(line.text.dropFirst(6)))))
            case "out": steps.append(.output(try #require(bytes(line.text))))
            case "state": steps.append(.state(line.text))
            case "role", "max", "text-only", "deflate": break
            default: Issue.record("unknown line \(line.key)")
            }
        }
        let longest = steps.map { if case .input(let input) = $0 { input.count } else { 0 } }.max() ?? 0
        for cut in cuts(longest) { try replay(vector, steps, cutAt: cut) }
    }

    func replay(_ vector: Vector, _ steps: [Step], cutAt cut: [Int]) throws {
        var player = player(for: vector)
        let place = Comment(rawValue: "\(vector.name), cut at \(cut.prefix(3))")
        var seen = 0
        var output: [UInt8] = []
        for step in steps {
            switch step {
            case .input(let input):
                for piece in pieces(input, cut.filter { $0 < input.count }) { player.feed(piece) }
                output += player.takeOutput()
            case .action(let kind, let number, let payload):
                try act(kind, number, payload, &player)
                output += player.takeOutput()
            case .event(let expected):
                #expect(seen < player.events.count && player.events[seen] == expected, place)
                seen += 1
            case .output(let expected):
                try #require(output.starts(with: expected), place)
                output.removeFirst(expected.count)
            case .closeFrame(let code): output.removeFirst(try #require(closeFrame(output, code), place))
            case .state(let state): #expect("\(player.connection.state)" == state, place)
            }
        }
        #expect(player.events.count == seen, "more events than expected: \(place)")
        #expect(output.isEmpty, "more output than expected: \(place)")
    }

    func player(for vector: Vector) -> ConnectionPlayer {
        var role = WebSocketConnection.Role.server
        var options = WebSocketConnection.Options(messageBytesMax: 1 << 20)
        var agreement: DeflateAgreement?
        for line in vector.lines {
            switch line.key {
            case "role": role = line.text == "client" ? .client : .server
            case "max": options.messageBytesMax = Int(line.text) ?? 0
            case "text-only": options.isTextOnly = true
            case "deflate": agreement = DeflateAgreement(peerTakesContextOver: line.text == "takeover")
            default: break
            }
        }
        return ConnectionPlayer(role: role, options: options, deflate: agreement)
    }

    func action(_ text: String) throws -> Step {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words[0] == "close" else { return .action(kind: words[0], number: nil, payload: try #require(bytes(words[1]))) }
        let rest = words[1].split(separator: " ", maxSplits: 1)
        return .action(kind: "close", number: UInt16(rest[0]), payload: rest.count > 1 ? try #require(bytes(rest[1])) : [])
    }

    func act(_ kind: Substring, _ number: UInt16?, _ payload: [UInt8], _ player: inout ConnectionPlayer) throws {
        switch kind {
        case "close":
            let code = CloseCode(rawValue: number ?? 0)
            player.connection.close(code, String(decoding: payload, as: UTF8.self), &player.codec, &player.output)
        case "ping": payload.withUnsafeBytes { player.connection.ping($0, &player.codec, &player.output) }
        case "text": payload.withUnsafeBytes { _ = player.connection.send(.text, $0, &player.codec, &player.output) }
        case "binary": payload.withUnsafeBytes { _ = player.connection.send(.binary, $0, &player.codec, &player.output) }
        default: Issue.record("unknown action \(kind)")
        }
    }

    /// A vector's event in the form that the player notes.
    func event(_ text: String) throws -> String {
        let words = text.split(separator: " ", maxSplits: 1)
        if words[0] == "closed" || words[0] == "failed" { return text }
        return "\(words[0]) " + describe(try #require(bytes(words.count > 1 ? words[1] : "")))
    }

    /// Length of the close frame with that code that `output` begins with, masked or not; nil if it doesn't.
    func closeFrame(_ output: [UInt8], _ code: UInt16) -> Int? {
        guard output.count >= 4, output[0] == 0x88 else { return nil }
        let maskCount = output[1] & 0x80 != 0 ? 4 : 0
        let end = 2 + maskCount + Int(output[1] & 0x7F)
        guard end >= 4 + maskCount, output.count >= end else { return nil }
        let mask = maskCount > 0 ? Array(output[2..<6]) : [0, 0]
        let sent = output[(2 + maskCount)..<(4 + maskCount)].enumerated().map { $1 ^ mask[$0] }
        return UInt16(sent[0]) << 8 | UInt16(sent[1]) == code ? end : nil
    }
}
