import Foundation
import Synchronization
import TestSupport

/// The real server, on a free port, with its data in a folder of its own.
final class LiveServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: URL
    private let certificate: TestCertificate?
    private let process = Mutex<Process?>(nil)
    private let place = Mutex("")

    /// Starts it, over TLS where it is given a certificate.
    init(_ certificate: TestCertificate? = nil) throws {
        self.certificate = certificate
        folder = FileManager.default.temporaryDirectory.appending(path: "todo-client-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try start(port: "0")
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Its WebSocket address.
    var url: String { place.withLock { $0 } }

    /// Ends it with `kill -9`.
    func kill() {
        process.withLock { process in
            guard let running = process else { return }
            Foundation.kill(running.processIdentifier, SIGKILL)
            running.waitUntilExit()
            process = nil
        }
    }

    /// Starts it again on the same port, with the same data.
    func restart() throws {
        let port = url.dropLast("/sync".count).split(separator: ":").last.map(String.init) ?? "0"
        try start(port: port)
    }

    private func start(port: String) throws {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "todo-server")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(description: "There is no todo-server at \(program.path): build it first.")
        }
        let server = Process()
        server.executableURL = program
        server.arguments = [
            "--port", port, "--data", folder.appending(path: "data").path, "--providers", "password,nickname", "--log-level", "error",
        ]
        if let certificate {
            server.arguments? += ["--tls-cert", certificate.certificateFile, "--tls-key", certificate.keyFile]
        }
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        var text = ""
        while !text.contains("/sync") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "todo-server did not start: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let url = text.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("ws://") || $0.hasPrefix("wss://") }) else {
            throw Failure(description: "todo-server told no address: \(text)")
        }
        // What it writes later must not fill the pipe.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        place.withLock { $0 = String(url) }
        process.withLock { $0 = server }
    }
}
