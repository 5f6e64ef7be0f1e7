import Foundation
import Testing

/// What a test waited for in vain.
struct StillNotSo: Error, CustomStringConvertible {
    let description: String
}

/// Whether the condition comes true in time. It is asked again and again, since no message announces it.
func holds(
    within seconds: Double, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(seconds))
    while try await !condition() {
        guard clock.now < deadline else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}

/// Waits until the condition is true, and fails with the sentence where it stays false.
func eventually(
    _ what: String, seconds: Double = 30, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    guard try await holds(within: seconds, condition) else { throw StillNotSo(description: "still not so after \(seconds) s: \(what)") }
}

/// A folder that goes with the body.
func withTemporaryFolder<Result>(
    _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/todosync-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
        throw ChildProcess.Failure(description: "no temporary folder can be made: \(String(cString: strerror(errno)))")
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(URL(filePath: path))
}
