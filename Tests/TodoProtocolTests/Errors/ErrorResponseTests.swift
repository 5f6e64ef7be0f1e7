import Foundation
import Testing
import Todo
import TodoProtocol

@Suite("An error")
struct ErrorResponseTests {
    @Test("has the numbers of the protocol's table")
    func codes() {
        let numbers = Set(ErrorCode.allCases.map(\.rawValue))
        #expect(numbers == Set([-32700, -32600, -32601, -32602, -32603]).union(-32009 ... -32001))
    }

    @Test("comes from each kind of refusal with its number")
    func refusals() {
        let kinds: [(Refusal.Kind, ErrorCode)] = [
            (.invalid, .invalidParams), (.notPermitted, .notPermitted), (.notFound, .notFound), (.conflict, .conflict),
            (.limit(name: "objects", maximum: 100_000), .limit),
        ]
        for (kind, code) in kinds {
            let refusal = Refusal(kind, "word", "A sentence.", path: "changes[0].filter", position: 7, expected: "a field")
            let error = ErrorResponse(refusal)
            #expect(error.code == code)
            #expect(error.reason == "word")
            #expect(error.message == "A sentence.")
            #expect(error.path == "changes[0].filter")
            #expect(error.position == 7)
            #expect(error.expected == "a field")
            #expect(error.limit == (code == .limit ? "objects" : nil))
            #expect(error.maximum == (code == .limit ? 100_000 : nil))
        }
    }

    @Test("has a word of the list wherever a field or a predicate refuses")
    func words() throws {
        let words = Set(Reason.allCases.map(\.rawValue))
        for example in ["body ==", "nope == 1", "body == 1", "body == $0", "priority == 'x'", "attachments == 1", "isDone < true"] {
            do {
                _ = try Predicate.parse(example, of: .item, user: "u1")
                Issue.record("\(example) was taken")
            } catch {
                #expect(words.contains(error.reason), "\(example): \(error.reason)")
            }
        }
        let values: [Value] = [
            .null, .string("a\0"), .string(""), .string(String(repeating: "x", count: 200_000)), .integer(-5), .strings(["\0"]),
            .boolean(true),
            .date(Timestamp(milliseconds: Int64.max)),
        ]
        for className in ClassName.allCases {
            for field in className.schema.fields {
                for value in values {
                    if let refusal = field.check(value) { #expect(words.contains(refusal.reason), "\(field.name): \(refusal.reason)") }
                }
            }
        }
    }

    @Test("has a word of the list wherever the domain's sources name one")
    func wordsOfTheSources() throws {
        let words = Set(Reason.allCases.map(\.rawValue))
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Todo")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let pattern = /(?:\.(?:invalid|notPermitted|notFound|conflict)|maximum: [^()"]*\)),\s*"(?<word>[A-Za-z]+)"/
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: pattern) { found.insert(String(match.output.word)) }
        }
        #expect(found.count > 15)
        #expect(found.subtracting(words).isEmpty)
    }

    @Test("puts its path behind a prefix")
    func paths() {
        let error = ErrorResponse.invalid(.missing, "x")
        #expect(error.under("set").path == "set")
        #expect(error.under("dueDate").under("set").under("[3]").under("changes").path == "changes[3].set.dueDate")
    }

    @Test("for each kind of log-in trouble has its number")
    func logins() {
        #expect(ErrorResponse.unknownProvider.code.rawValue == -32008)
        #expect(ErrorResponse.unknownProvider.message == "Invalid parameter 'provider'")
        for wrong in [ErrorResponse.wrongCredentials, .wrongNickname, .wrongWebToken] { #expect(wrong.code.rawValue == -32008) }
        #expect(ErrorResponse.tokenExpired.code.rawValue == -32009)
        #expect(ErrorResponse.tokenRevoked.code.rawValue == -32009)
        #expect(ErrorResponse.notLoggedIn.code.rawValue == -32001)
        #expect(ErrorResponse.signUpOff.code.rawValue == -32002)
        #expect(ErrorResponse.otherUser.code.rawValue == -32004)
        #expect(ErrorResponse.tooManyRequests(retryAfter: 3).retryAfter == 3)
    }

    @Test("of a connection says whether to come back")
    func reconnection() {
        #expect([1001, 1006, 1011, 1013, 4003].allSatisfy(Reconnection.isDue(afterClose:)))
        #expect(![1000, 1002, 1003, 1007, 1008, 1009, 4001, 4002].contains(where: Reconnection.isDue(afterClose:)))
    }
}
