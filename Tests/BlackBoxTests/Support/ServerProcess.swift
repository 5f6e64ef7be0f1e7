import Foundation
import TestSupport

/// The real `todo-server`, on a free port of the loopback, with its data in a folder that goes with it.
///
/// Made by `withServer`, which ends the process and removes the folder whatever the test comes to.
final class ServerProcess {
    /// What the server is started with.
    struct Options {
        /// The providers for log-in.
        var providers = "password,nickname"
        /// Who sees new projects.
        var access = "private"
        /// The demonstration, which brings its own providers, access and data folder.
        var isDemo = false
        /// What connections are encrypted with, if they are.
        var certificate: TestCertificate?
        /// Further flags.
        var flags: [String] = []
    }

    let options: Options
    private(set) var port = 0
    private let folder: URL
    private var process: ChildProcess?

    fileprivate init(_ options: Options, folder: URL) {
        self.options = options
        self.folder = folder
    }

    /// Where its sessions are opened.
    var url: String { "\(options.certificate == nil ? "ws" : "wss")://127.0.0.1:\(port)/sync" }
    /// Where its page is.
    var page: String { "\(options.certificate == nil ? "http" : "https")://127.0.0.1:\(port)/" }
    /// Whether it runs.
    var isRunning: Bool { process?.isRunning ?? false }
    /// All that it has printed, over all starts.
    var log: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
    private var output: URL { folder.appending(path: "server.log") }

    /// Starts it on the port that it had, at first on a free one, and returns when it has told its address.
    func start() async throws {
        try await waitForAddress(of: launch())
    }

    /// Starts it without waiting for it to be ready.
    @discardableResult
    func launch() throws -> ChildProcess {
        precondition(!isRunning, "the server runs already")
        // Where many tests share few cores, the log-in may be long in coming.
        var arguments = [
            "--port", String(port), "--public", try repositoryFolder().appending(path: "Public").path, "--login-seconds", "120",
        ]
        arguments += options.flags
        if options.isDemo {
            arguments.append("--demo")
        } else {
            arguments += ["--data", folder.appending(path: "data").path, "--providers", options.providers, "--access", options.access]
        }
        if let certificate = options.certificate {
            arguments += ["--tls-cert", certificate.certificateFile, "--tls-key", certificate.keyFile]
        }
        let started = try ChildProcess(
            try Self.program(), arguments, output: output, environment: ["TMPDIR": folder.path])
        process = started
        return started
    }

    private func waitForAddress(of process: ChildProcess) async throws {
        try await eventually("the server tells its address; it has printed: \(process.printed)", seconds: 60) {
            if let found = Self.port(in: process.printed) { port = found }
            return port != 0 && Self.port(in: process.printed) != nil || !process.isRunning
        }
        guard process.isRunning else { throw ChildProcess.Failure(description: "the server ended at once: \(process.printed)") }
    }

    /// Ends it by SIGTERM.
    ///
    /// - Returns: how it ended; `.signal` where it had to be killed.
    @discardableResult
    func stop() async throws -> ChildProcess.End? {
        process?.signal(SIGTERM)
        return try await process?.waitForEnd(seconds: 20)
    }

    /// `kill -9`; returns when it is gone.
    func kill() {
        process?.kill()
    }

    /// `todo-server user …` on its data folder, as its operator does it.
    func operate(_ arguments: String...) async throws {
        let command = try ChildProcess(
            try Self.program(), ["user"] + arguments + ["--data", folder.appending(path: "data").path],
            output: folder.appending(path: "operator.log"), environment: ["TMPDIR": folder.path])
        defer { command.kill() }
        let end = try await command.waitForEnd(seconds: 60)
        guard end == .exit(0) else { throw ChildProcess.Failure(description: "user \(arguments) did not work: \(command.printed)") }
    }

    private static func port(in printed: String) -> Int? {
        guard let match = printed.firstMatch(of: /https?:\/\/127\.0\.0\.1:(\d+)\//) else { return nil }
        return Int(match.1)
    }

    /// The server lies where the build has put the test bundle.
    private static func program() throws -> String {
        let program = try buildFolder().appending(path: "todo-server").path
        guard access(program, X_OK) == 0 else {
            throw ChildProcess.Failure(description: "there is no server at \(program): build it (swift build --product todo-server)")
        }
        return program
    }

    private static func buildFolder() throws -> URL {
        let own = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        if own.pathExtension == "xctest" { return own.deletingLastPathComponent() }
        guard let bundle = CommandLine.arguments.compactMap({ $0.firstMatch(of: /(\/.*\.xctest)(\/|$)/)?.1 }).first else {
            throw ChildProcess.Failure(description: "where the tests were built can't be told from \(own.path)")
        }
        return URL(filePath: String(bundle)).deletingLastPathComponent()
    }
}

/// The folder of these sources, wherever the build lies.
func repositoryFolder() throws -> URL {
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
        folder.deleteLastPathComponent()
        if FileManager.default.fileExists(atPath: folder.appending(path: "Public/index.html").path) { return folder }
    }
    throw ChildProcess.Failure(description: "there is no Public folder above \(#filePath)")
}

/// What a test threw, with the last words of its server.
struct FailedWithServer: Error, CustomStringConvertible {
    let error: any Error
    let log: String

    var description: String { "\(error)\nThe server's log ends with:\n\(log)" }
}

/// A running server for the body. When the body fails, the last lines of the server's log are shown.
func withServer<Result>(
    _ options: ServerProcess.Options = ServerProcess.Options(), isolation: isolated (any Actor)? = #isolation,
    _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder("server") { folder in
        let server = ServerProcess(options, folder: folder)
        defer { server.kill() }
        do {
            try await server.start()
            return try await body(server)
        } catch {
            throw FailedWithServer(error: error, log: String(server.log.suffix(3_000)))
        }
    }
}
