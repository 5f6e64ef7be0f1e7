import Foundation
import Testing

/// A self-signed certificate in a temporary folder, made by the `openssl` command.
final class TestCertificate {
    let folder: URL
    let certificateFile: String
    let keyFile: String

    /// - Parameter passphrase: locks the key.
    init(for name: String = "IP:127.0.0.1,DNS:localhost", passphrase: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "todosync-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appending(path: "server.crt").path
        keyFile = folder.appending(path: "server.key").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", keyFile, "-out", certificateFile]
            + ["-days", "30", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)"]
            + (passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"])
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
