import Bytes
import TestSupport
import Testing
import Todo
import TodoProtocol

/// Messages that are bent at random: nothing may come out but what is declared.
@Suite("A message of random faults")
struct MutationTests {
    static let seeds: [String] = [
        #"{"jsonrpc":"2.0","id":7.5,"method":"info","params":{}}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"login","params":{"provider":"password","username":"ann","password":"12345678"}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"name":"m","class":"Project","filter":"owner == $user","args":[1,["a"]],"sort":["-timestamp"],"limit":1000,"since":41,"epoch":"k"}}"#,
        #"{"jsonrpc":"2.0","id":3,"method":"query","params":{"class":"Item","offset":2}}"#,
        #"{"jsonrpc":"2.0","id":4,"method":"write","params":{"txn":"t","changes":[{"create":"Item","object":{"projectId":"p1","body":"Buy é","dueDate":"2026-11-30T01:02:03.123Z"}},{"update":"Item","id":"i7","set":{"isDone":true},"if":{"isDone":false,"completedAt":null}},{"move":"Item","id":"i7","after":"i8"},{"delete":"Item","filter":"x","args":["p1"]}]}}"#,
        #"[{"jsonrpc":"2.0","id":1,"method":"info"},{"jsonrpc":"2.0","method":"logout","params":{"everywhere":true}}]"#,
    ]

    static let pieces: [String] = [
        "null", "true", "[]", "{}", "0", "-1", "1.0", "1e400", "9223372036854775808", "\"\\u0000\"", "\"\\ud800\"", "\"\"", "\"x\"", ",",
        ":",
        "{", "}", "[", "]", "\"", "\\", "\u{0}", "é", "create", "update", "\"if\":{}", "\"id\":7", "\"filter\":\"\"",
        String(repeating: "[", count: 70), String(repeating: "9", count: 400),
    ]

    private func mutate(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, at + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.replaceSubrange(at..<end, with: [])
            case 1: bytes.replaceSubrange(at..<end, with: Array(Self.pieces.randomElement(using: &generator)?.utf8 ?? "".utf8))
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
            case 3:
                let other = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
                let from = Int.random(in: 0..<other.count, using: &generator)
                bytes.insert(contentsOf: other[from..<min(other.count, from + 40)], at: at)
            default: swapValues(&bytes, &generator)
            }
        }
        return bytes
    }

    /// Replaces one value of the JSON text by another kind, so that the text stays JSON more often than not.
    private func swapValues(_ bytes: inout [UInt8], _ generator: inout SplitMix) {
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard let colon = colons.randomElement(using: &generator) else { return }
        let stops = [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")]
        let end = bytes[colon...].firstIndex { stops.contains($0) } ?? bytes.count
        guard colon + 1 <= end else { return }
        let values = ["null", "true", "[1]", "{\"x\":1}", "7", "1.5", "\"a\\u0000\"", "\"t\"", "\"Item\"", "\"User\""]
        bytes.replaceSubrange(colon + 1..<end, with: Array((values.randomElement(using: &generator) ?? "0").utf8))
    }

    private func verify(_ request: Incoming.Request) {
        let answer: ErrorResponse
        switch request.body {
        case .call: return
        case .invalid(let error):
            #expect(error.code == .invalidRequest)
            #expect(!request.id.isAbsent)
            answer = error
        case .unknownMethod(let name):
            #expect(Method(rawValue: name) == nil)
            answer = .unknownMethod(name)
        case .badParams(_, let error):
            #expect(error.code == .invalidParams || error.code == .limit)
            answer = error
        }
        verify(answer, request.id)
    }

    private func verify(_ error: ErrorResponse, _ id: RequestID) {
        #expect(Reason(rawValue: error.reason) != nil, "\(error.reason)")
        #expect(error.message.utf8.count < 800)
        // The answer is JSON again, and the client reads it.
        let text = encoded { MessageEncoder.error(id, error, into: &$0) }
        guard case .failure(_, let found)? = try? decodeServer(text) else {
            Issue.record("the answer can't be read: \(text)")
            return
        }
        #expect(found.code == error.code.rawValue)
        #expect(found.path == error.path)
    }

    @Test("leads to a declared outcome and an answer that can be read", arguments: [UInt64](1...4))
    func declaredOutcomes(seed: UInt64) {
        print("seed \(seed)")
        var generator = SplitMix(seed: seed)
        var decoder = MessageDecoder()
        var counts = (refused: 0, single: 0, batch: 0)
        for _ in 0..<1_500 {
            let bytes = mutate(Array((Self.seeds.randomElement(using: &generator) ?? "").utf8), &generator)
            switch bytes.withUnsafeBytes({ decoder.decode($0) }) {
            case .refused(let error):
                #expect(error.code == .parse || error.code == .limit || error.code == .invalidRequest)
                verify(error, .null)
                counts.refused += 1
            case .single(let request):
                verify(request)
                counts.single += 1
            case .batch(let requests):
                #expect((1...100).contains(requests.count))
                for request in requests { verify(request) }
                counts.batch += 1
            }
        }
        #expect(counts.refused > 50 && counts.single > 50 && counts.batch > 5, "the faults are too much alike: \(counts)")
    }

    @Test("cut anywhere is never taken for a whole one", arguments: seeds)
    func cut(_ text: String) {
        let bytes = Array(text.utf8)
        for end in 0..<bytes.count {
            guard case .refused(let error) = decode(Array(bytes[..<end])) else {
                Issue.record("cut at \(end)")
                continue
            }
            #expect(error.code == .parse)
        }
    }

    @Test("from a server leads to a message or a told fault", arguments: [UInt64](1...2))
    func serverMessages(seed: UInt64) {
        print("seed \(seed)")
        var generator = SplitMix(seed: seed)
        let texts = [
            encoded { MessageEncoder.queryResult(.raw("5"), version: 4, objects: [item("i1"), item("i2")], into: &$0) },
            encoded { MessageEncoder.initial(name: "items", index: 0, objects: [item()], completeAt: 3, into: &$0) },
            #"{"jsonrpc":"2.0","method":"change","params":{"version":43,"by":["u1"],"updates":[{"name":"items","deletions":[3],"insertions":[{"index":2,"from":3,"set":{"body":"New"}}],"modifications":[{"index":1,"from":0,"set":{"priority":2}}]}]}}"#,
        ]
        var counts = (read: 0, fault: 0)
        var decoder = ServerMessageDecoder()
        for _ in 0..<1_500 {
            let bytes = mutate(Array((texts.randomElement(using: &generator) ?? "").utf8), &generator)
            do {
                let message = try bytes.withUnsafeBytes { try decoder.decode($0, context: TestContext()) }
                if case .initial(let part) = message {
                    // Texts are where the schema promises them, so that a client can rely on `key` and `projectId`.
                    for object in part.objects { #expect(object.key.utf8.count >= 0 && object.projectId != nil) }
                }
                counts.read += 1
            } catch let fault as ServerMessageFault {
                #expect(!fault.message.isEmpty)
                counts.fault += 1
            } catch {
                Issue.record("another error: \(error)")
            }
        }
        #expect(counts.read > 20 && counts.fault > 20, "the faults are too much alike: \(counts)")
    }
}
