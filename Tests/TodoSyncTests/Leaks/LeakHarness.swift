import Crypto
import Bytes
import Foundation
import Testing
import Todo
import TodoProtocol
import TodoStore
import TodoSync

/// One connection of a user in the search for leaks.
final class LeakSession {
    let id: SessionID
    let user: Int
    var isBehind = false
    /// The tokens of the requests that are not answered yet: an error may repeat what was asked for.
    var asked: [Int: Set<Token>] = [:]
    var lastRequest = 0
    /// The key of its presence, while it has one.
    var presence: Token?
    private var decoder = MessageDecoder()

    init(_ id: SessionID, user: Int) {
        self.id = id
        self.user = user
    }

    func input(_ method: String, _ params: String, tokens: Set<Token> = []) -> Input {
        lastRequest += 1
        asked[lastRequest] = tokens
        var text = #"{"jsonrpc":"2.0","id":\#(lastRequest),"method":"\#(method)","params":\#(params)}"#
        return .message(id, text.withUTF8 { decoder.decode(UnsafeRawBufferPointer($0)) })
    }
}

/// A hub whose every delivered byte is looked through for tokens that its reader may not have.
final class LeakHarness {
    let store: SQLiteStore
    let hub: Hub
    let jobs = HeldJobs()
    let moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)
    private(set) var sessions: [UInt64: LeakSession] = [:]
    private var lastConnection: UInt64 = 0
    /// What came in the turn, by session.
    private var arrived: [(session: LeakSession, text: SharedBytes)] = []
    private(set) var bytesSearched = 0

    init(_ model: LeakModel) throws {
        store = try SQLiteStore.temporary()
        var settings = SyncSettings(server: "test", providers: [.nickname], accessOfNewProjects: .private)
        // The model says what comes of each request in the order in which they are sent.
        settings.limits.objectsInStep = .max
        let log = Log(level: .error) { _, line in Issue.record("logged: \(line)") }
        try store.begin()
        for user in 0..<model.userCount {
            let (key, name) = (LeakModel.text(model.id(of: user)), LeakModel.text(model.name(of: user)))
            let object = Object(.user, [.string(key), .string(name), .boolean(model.isAdmin(user))])
            try store.insert(object)
            _ = try store.claimName(name.lowercased(), user: key)
            _ = try store.insertAccount(
                Account(userId: key, provider: "nickname", subject: name.lowercased(), passwordHash: nil, createdAt: moment.wall))
            try store.insertToken(
                TokenRecord(
                    hash: try SHA256.hash(utf8: Self.token(of: user)), userId: key, createdAt: moment.wall, expiresAt: .latest,
                    lastSeenAt: moment.wall, userAgent: nil))
        }
        try store.commit()
        hub = Hub(store: store, settings: settings, loops: 1, jobs: jobs, log: log, moment: moment)
    }

    deinit { store.close() }

    /// Admins are let in by no nickname, so that everybody comes with a token.
    private static func token(of user: Int) -> String { "token number \(user)" }

    func connect(_ user: Int, _ model: LeakModel) -> LeakSession {
        lastConnection += 1
        let session = LeakSession(SessionID(loop: 0, connection: lastConnection), user: user)
        sessions[lastConnection] = session
        let name = model.name(of: user)
        process([
            .opened(session.id, Peer(address: "test", userAgent: nil)),
            session.input("login", #"{"provider":"token","token":"\#(Self.token(of: user))"}"#, tokens: [name]),
        ])
        return session
    }

    func close(_ session: LeakSession) {
        sessions[session.id.connection] = nil
        process([.closed(session.id)])
    }

    func process(_ inputs: [Input]) {
        takeTurns(inputs)
        while let job = jobs.takeFirst() { takeTurns([.finished(job())]) }
    }

    private func takeTurns(_ inputs: [Input]) {
        hub.process(inputs, at: moment)
        handOut()
        while hub.hasWork {
            hub.process([], at: moment)
            handOut()
        }
    }

    private func handOut() {
        while true {
            let deliveries = hub.takeDeliveries(loop: 0)
            if deliveries.isEmpty { return }
            var drained: [Input] = []
            for delivery in deliveries {
                switch delivery {
                case .broadcast(let text, let connections): for connection in connections { take(text, connection) }
                case .message(let text, let connection, let reportsDrained, _):
                    take(text, connection)
                    if reportsDrained, let session = sessions[connection] { drained.append(.drained(session.id)) }
                case .framed: preconditionFailure("no job frames anything here")
                case .worked, .watch: break
                case .close(let connection, let code, _): Issue.record("connection \(connection) was closed with \(code)")
                }
            }
            if !drained.isEmpty { hub.process(drained, at: moment) }
        }
    }

    private func take(_ text: SharedBytes, _ connection: UInt64) {
        if let session = sessions[connection] { arrived.append((session, text)) }
    }

    // MARK: Looking through

    /// What was answered in the turn, after a look at every byte that was delivered.
    func examine(_ model: LeakModel) throws -> [(session: LeakSession, request: Int, code: Int, text: SharedBytes)] {
        defer { arrived.removeAll(keepingCapacity: true) }
        var answers: [(session: LeakSession, request: Int, code: Int, text: SharedBytes)] = []
        for (session, text) in arrived {
            let bytes = text.array
            bytesSearched += bytes.count
            let request = Self.number(behind: #"{"jsonrpc":"2.0","id":"#, in: bytes, mustBegin: true)
            let asked = request.flatMap { session.asked.removeValue(forKey: $0) } ?? []
            for token in Self.tokens(in: bytes) where !model.maySee(session.user, token) && !asked.contains(token) {
                throw Leak(user: session.user, token: token, text: text.string)
            }
            guard let request else { continue }
            let code = Self.number(behind: #""error":{"code":"#, in: bytes, mustBegin: false) ?? 0
            answers.append((session, request, code, text))
        }
        return answers
    }

    struct Leak: Error {
        let user: Int
        let token: Token
        let text: String
    }

    private static let mark = Array("ZQXJKQ".utf8)

    private static func tokens(in bytes: [UInt8]) -> [Token] {
        var found: [Token] = []
        bytes.withUnsafeBytes { all in
            var place = 0
            while let at = find(mark, in: all, from: place) {
                place = at + mark.count
                found.append(digits(all, &place))
            }
        }
        return found
    }

    static func count(_ word: String, in text: SharedBytes) -> Int {
        let word = Array(word.utf8)
        return text.array.withUnsafeBytes { all in
            var (place, count) = (0, 0)
            while let at = find(word, in: all, from: place) {
                place = at + word.count
                count += 1
            }
            return count
        }
    }

    private static func find(_ word: [UInt8], in all: UnsafeRawBufferPointer, from place: Int) -> Int? {
        guard let base = all.baseAddress, let first = word.first else { return nil }
        var place = place
        while place <= all.count - word.count, let at = memchr(base + place, Int32(first), all.count - place) {
            place = UnsafeRawPointer(at) - base
            if place <= all.count - word.count, memcmp(at, word, word.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    private static func digits(_ all: UnsafeRawBufferPointer, _ place: inout Int) -> Int {
        var number = 0
        while place < all.count, all[place] >= 48, all[place] <= 57 {
            number = number * 10 + Int(all[place]) - 48
            place += 1
        }
        return number
    }

    private static func number(behind prefix: String, in bytes: [UInt8], mustBegin: Bool) -> Int? {
        let word = Array(prefix.utf8)
        return bytes.withUnsafeBytes { all in
            guard let at = find(word, in: all, from: 0), !mustBegin || at == 0 else { return nil }
            var place = at + word.count
            let isNegative = place < all.count && all[place] == UInt8(ascii: "-")
            if isNegative { place += 1 }
            let number = digits(all, &place)
            return isNegative ? -number : number
        }
    }
}
