import Bytes
import Crypto
import Foundation
import Testing
import Todo
import TodoProtocol
import TodoSync

/// A client in the harness: sends JSON text, keeps the messages and the lists that it is told of.
final class HubClient {
    let id: SessionID
    var userId = ""
    var token = ""
    var tokenHash: [UInt8] { (try? SHA256.hash(utf8: token)) ?? [] }
    var closeCode: UInt16?
    /// Whether its socket takes nothing: parts that wait for it stay away.
    var isStalled = false
    /// How many messages, of which that was to be reported, its socket has not taken.
    var owedDrained = 0
    /// What the hub has reported of its requests.
    var reports: [WorkReport] = []
    /// Whether the hub wants it to be looked after as a slow reader.
    var isWatched = false
    private(set) var messages: [[String: Any]] = []
    private(set) var texts: [String] = []
    private(set) var lists: [String: [[String: Any]]] = [:]
    private(set) var complete: Set<String> = []
    private(set) var version: Int64 = 0
    private unowned let harness: HubHarness
    private var decoder = MessageDecoder()
    private var lastId = 0

    init(_ id: SessionID, _ harness: HubHarness) {
        self.id = id
        self.harness = harness
    }

    struct Refused: Error {
        let code: Int
        let reason: String?
        let path: String?
    }

    /// Decodes the text as the server would; nothing happens until the harness processes it.
    func input(_ text: String) -> Input {
        var text = text
        return .message(id, text.withUTF8 { decoder.decode(UnsafeRawBufferPointer($0)) }, bytes: text.utf8.count)
    }

    func request(_ method: String, _ params: [String: Any]) throws -> (id: Int, input: Input) {
        lastId += 1
        let object: [String: Any] = ["jsonrpc": "2.0", "id": lastId, "method": method, "params": params]
        let data = try JSONSerialization.data(withJSONObject: object)
        return (lastId, input(String(decoding: data, as: UTF8.self)))
    }

    @discardableResult
    func call(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
        let (id, input) = try request(method, params)
        harness.process([input])
        return try result(of: id)
    }

    /// Closes the connection.
    @discardableResult
    func leave() -> HubClient {
        harness.process([.closed(id)])
        return self
    }

    /// The error of a call that must be refused.
    func refused(_ method: String, _ params: [String: Any] = [:]) throws -> Refused {
        do { try call(method, params) } catch let refused as Refused { return refused }
        struct Taken: Error { let method: String }
        throw Taken(method: method)
    }

    @discardableResult
    func write(_ changes: [[String: Any]], txn: String? = nil) throws -> [String: Any] {
        var params: [String: Any] = ["changes": changes]
        params["txn"] = txn
        return try call("write", params)
    }

    func result(of id: Int) throws -> [String: Any] {
        let reply = try #require(messages.last { $0["id"] as? Int == id }, "no reply to request \(id)")
        if let error = reply["error"] as? [String: Any] {
            let data = error["data"] as? [String: Any]
            throw Refused(code: error["code"] as? Int ?? 0, reason: data?["reason"] as? String, path: data?["path"] as? String)
        }
        return try #require(reply["result"] as? [String: Any])
    }

    func notifications(_ method: String) -> [[String: Any]] {
        messages.compactMap { $0["method"] as? String == method ? $0["params"] as? [String: Any] : nil }
    }

    /// Starts with the list that another client has, as one does that lost its connection.
    func adopt(list name: String, of other: HubClient) {
        adopt(list: name, rows: other.lists[name])
    }

    func adopt(list name: String, rows: [[String: Any]]?) {
        lists[name] = rows
        complete.insert(name)
        forgetMessages()
    }

    func forgetMessages() {
        messages = []
        texts = []
    }

    func keys(_ name: String, _ field: String) -> [String] {
        (lists[name] ?? []).compactMap { $0[field] as? String }
    }

    func take(_ message: SharedBytes) {
        texts.append(message.string)
        guard let object = try? JSONSerialization.jsonObject(with: Data(message.array)) else {
            Issue.record("a message that is no JSON: \(message.string)")
            return
        }
        for case let entry as [String: Any] in object as? [Any] ?? [object] {
            messages.append(entry)
            guard let params = entry["params"] as? [String: Any] else { continue }
            switch entry["method"] as? String {
            case "initial": takeInitial(params)
            case "change": takeChange(params)
            default: break
            }
        }
    }

    private func takeInitial(_ params: [String: Any]) {
        let name = params["name"] as? String ?? ""
        let index = params["index"] as? Int ?? -1
        if index == 0 { lists[name] = [] }
        #expect(lists[name]?.count == index)
        lists[name, default: []] += params["objects"] as? [[String: Any]] ?? []
        if params["state"] as? String == "complete" { complete.insert(name) } else { complete.remove(name) }
    }

    private func takeChange(_ params: [String: Any]) {
        let version = params["version"] as? Int64 ?? -1
        #expect(version >= self.version, "a version fell")
        self.version = version
        for update in params["updates"] as? [[String: Any]] ?? [] { apply(update) }
    }

    private func apply(_ update: [String: Any]) {
        let name = update["name"] as? String ?? ""
        #expect(complete.contains(name), "a change before the list '\(name)' was complete")
        let old = lists[name] ?? []
        var rows = old
        let deletions = update["deletions"] as? [Int] ?? []
        #expect(deletions == deletions.sorted())
        for place in deletions.reversed() { rows.remove(at: place) }
        for insertion in update["insertions"] as? [[String: Any]] ?? [] {
            var row = insertion["object"] as? [String: Any]
            if let from = insertion["from"] as? Int {
                #expect(deletions.contains(from))
                row = old[from].merging(insertion["set"] as? [String: Any] ?? [:]) { $1 }
            }
            rows.insert(row ?? [:], at: insertion["index"] as? Int ?? 0)
        }
        for modification in update["modifications"] as? [[String: Any]] ?? [] {
            let place = modification["index"] as? Int ?? 0
            rows[place].merge(modification["set"] as? [String: Any] ?? [:]) { $1 }
        }
        lists[name] = rows
    }
}
