import Crypto
import Testing
import Todo
import TodoProtocol
import TodoSync

/// What the tests of accounts do again and again.
extension HubHarness {
    /// A client that has made that account.
    @discardableResult
    func register(_ username: String, _ password: String = "correct horse", from address: String = "10.0.0.1") throws -> HubClient {
        let client = connect(from: address)
        client.entered(try client.call("register", ["username": username, "password": password]))
        return client
    }

    /// A client that has logged in by password.
    @discardableResult
    func logIn(_ username: String, _ password: String = "correct horse", from address: String = "10.0.0.1") throws -> HubClient {
        let client = connect(from: address)
        client.entered(try client.call("login", ["provider": "password", "username": username, "password": password]))
        return client
    }

    /// Lets that many milliseconds pass, on both clocks.
    func pass(_ milliseconds: Int64) {
        moment.monotonicMilliseconds += milliseconds
        moment.wall = .init(milliseconds: moment.wall.milliseconds + milliseconds)
    }

    func operate(_ command: OperatorCommand) -> OperatorReply {
        let replies = Replies()
        process([.operated(command, reply: { replies.all.append($0) })])
        return replies.all.first ?? .refused("no reply came")
    }

    private final class Replies: @unchecked Sendable {
        // Called on the harness's own thread, before `process` returns.
        var all: [OperatorReply] = []
    }
}

extension HubClient {
    func entered(_ result: [String: Any]) {
        userId = (result["user"] as? [String: Any])?["userId"] as? String ?? ""
        token = result["token"] as? String ?? ""
    }

    /// The error of a call that is to be refused.
    func refusal(_ method: String, _ params: [String: Any] = [:]) -> Refused? {
        do {
            let result = try call(method, params)
            Issue.record("\(method) should have been refused, and gave \(result)")
            return nil
        } catch let refused as Refused {
            return refused
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    func logInRefusal(_ username: String, _ password: String) -> Refused? {
        refusal("login", ["provider": "password", "username": username, "password": password])
    }

    var sessionIds: [String] {
        get throws { (try call("sessions")["sessions"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String } }
    }
}
