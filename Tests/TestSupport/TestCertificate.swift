public import Foundation

/// A self-signed certificate in a temporary folder, made by the `openssl` command, and gone with this object.
public final class TestCertificate: Sendable {
    /// `openssl` made none.
    public struct Failure: Error, CustomStringConvertible {
        /// What it ended with.
        public let description: String
    }

    /// The folder that goes with it.
    public let folder: URL
    /// The certificate, PEM; it is its own authority.
    public let certificateFile: String
    /// The key, PEM.
    public let keyFile: String

    /// A certificate for those names and addresses, as OpenSSL writes them.
    ///
    /// - Parameter passphrase: locks the key.
    public init(for names: String = "IP:127.0.0.1,DNS:localhost", passphrase: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "todosync-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appending(path: "server.crt").path
        keyFile = folder.appending(path: "server.key").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", keyFile, "-out", certificateFile]
            + ["-days", "30", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)"]
            + (passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"])
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            try? FileManager.default.removeItem(at: folder)
            throw Failure(description: "openssl made no certificate for \(names): exit status \(process.terminationStatus)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
