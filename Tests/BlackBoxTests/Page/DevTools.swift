import Foundation
import TodoClient

/// The Chrome DevTools protocol over this project's own WebSocket client: commands and their answers, and what the pages complain about.
actor DevTools {
    /// A command that the browser refused.
    struct Refused: Error, CustomStringConvertible {
        let method: String
        let answer: JSON
        var description: String { "\(method): \(answer.text)" }
    }

    private let connection: RawConnection
    private var lastId = 0
    private var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
    private var complaints: [String: [String]] = [:]
    private var reader: Task<Void, Never>?
    private var isOver = false

    init(url: String) async throws {
        connection = try await RawConnection.connect(url, subprotocols: [], withinMilliseconds: 30_000)
    }

    /// Begins to take answers.
    func start() {
        reader = Task { await read() }
    }

    /// Ends the connection; what still waits for an answer fails.
    func stop() {
        try? connection.drop()
        reader?.cancel()
        end(.ended)
    }

    /// Sends a command, to a page where `session` names one, and waits for its answer.
    @discardableResult
    func call(_ method: String, _ parameters: JSON = [:], session: String? = nil) async throws -> JSON {
        lastId += 1
        let id = lastId
        var command: [String: JSON] = ["id": .number(Double(id)), "method": .string(method), "params": parameters]
        if let session { command["sessionId"] = .string(session) }
        let text = JSON.object(command).text
        let answer: JSON = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<JSON, any Error>) in
            guard !isOver else {
                continuation.resume(throwing: ClientError.ended)
                return
            }
            waiting[id] = continuation
            do { try connection.send(text) } catch { waiting.removeValue(forKey: id)?.resume(throwing: error) }
        }
        guard answer["error"] == .null else { throw Refused(method: method, answer: answer["error"]) }
        return answer["result"]
    }

    /// Errors that a page has shown in its console, and exceptions that nothing in it caught.
    func complaints(of session: String) -> [String] { complaints[session] ?? [] }

    private func read() async {
        while !isOver {
            do {
                take(try JSON(text: try await connection.receive(withinMilliseconds: 60_000)))
            } catch ClientError.timedOut {
                continue
            } catch {
                return end(error as? ClientError ?? .violation("\(error)"))
            }
        }
    }

    private func end(_ error: ClientError) {
        isOver = true
        for continuation in waiting.values { continuation.resume(throwing: error) }
        waiting = [:]
    }

    private func take(_ message: JSON) {
        if let id = message["id"].number {
            waiting.removeValue(forKey: Int(id))?.resume(returning: message)
            return
        }
        guard let session = message["sessionId"].string, let complaint = Self.complaint(message) else { return }
        complaints[session, default: []].append(complaint)
    }

    private static func complaint(_ message: JSON) -> String? {
        let parameters = message["params"]
        switch message["method"].string {
        case "Runtime.exceptionThrown": return "exception: \(parameters["exceptionDetails"].text)"
        case "Runtime.consoleAPICalled" where ["error", "assert"].contains(parameters["type"].string):
            return "console: \(parameters["args"].text)"
        case "Log.entryAdded" where parameters["entry"]["level"] == "error":
            return "log: \(parameters["entry"]["text"].string ?? "") \(parameters["entry"]["url"].string ?? "")"
        default: return nil
        }
    }
}
