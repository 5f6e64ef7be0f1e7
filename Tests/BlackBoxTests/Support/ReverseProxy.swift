import Foundation
import Network
import TestSupport

/// nginx before a server, as the operator's page recommends it: the page is under `/todo/`, by `http:` on one port and by `https:` on another.
final class ReverseProxy {
    private let process: ChildProcess
    private let ports: (plain: Int, secure: Int)

    /// Where the page is.
    var pages: [String] { ["http://127.0.0.1:\(ports.plain)/todo/", "https://127.0.0.1:\(ports.secure)/todo/"] }

    fileprivate init(before server: ServerProcess, _ certificate: TestCertificate, folder: URL) throws {
        ports = (try Self.freePort(), try Self.freePort())
        let location = try Self.documentedLocation().replacing("http://127.0.0.1:8080/", with: server.page)
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.path)/\($0);" }
        let settings = """
            daemon off; worker_processes 1; \(getuid() == 0 ? "user root;" : "")
            pid \(folder.path)/nginx.pid;
            error_log stderr;
            events { worker_connections 256; }
            http {
                access_log off; \(places.joined(separator: " "))
                map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
                server { listen 127.0.0.1:\(ports.plain); \(location) }
                server {
                    listen 127.0.0.1:\(ports.secure) ssl;
                    ssl_certificate \(certificate.certificateFile); ssl_certificate_key \(certificate.keyFile);
                    \(location)
                }
            }
            """
        let file = folder.appending(path: "nginx.conf")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", folder.path, "-c", file.path], output: folder.appending(path: "nginx.log"))
    }

    /// nginx writes its number when it listens.
    fileprivate func waitUntilReady(_ folder: URL) async throws {
        let file = folder.appending(path: "nginx.pid").path
        try await eventually("nginx listens; it has printed: \(process.printed)") {
            !process.isRunning || FileManager.default.fileExists(atPath: file)
        }
        guard process.isRunning else { throw ChildProcess.Failure(description: "nginx ended at once: \(process.printed)") }
    }

    fileprivate func kill() { process.kill() }

    private static func freePort() throws -> Int {
        let listener = try Listener(on: .loopback(port: 0))
        guard let port = listener.address.port else { throw ChildProcess.Failure(description: "the loopback gives no port") }
        return port
    }

    /// The `location` block of the operator's page.
    private static func documentedLocation() throws -> String {
        let text = try String(contentsOf: repositoryFolder().appending(path: "Sources/OPERATING.md"), encoding: .utf8)
        guard let match = text.firstMatch(of: /(?s)location \/todo\/ \{.*?\n *\}/) else {
            throw ChildProcess.Failure(description: "OPERATING.md shows no location /todo/")
        }
        return String(match.output)
    }
}

/// A proxy before that server for the body. The server has to trust 127.0.0.1 for it.
func withReverseProxy<Result>(
    before server: ServerProcess, isolation: isolated (any Actor)? = #isolation, _ body: (ReverseProxy) async throws -> Result
) async throws -> Result {
    let certificate = try TestCertificate()
    return try await withTemporaryFolder("nginx") { folder in
        let proxy = try ReverseProxy(before: server, certificate, folder: folder)
        defer { proxy.kill() }
        try await proxy.waitUntilReady(folder)
        return try await body(proxy)
    }
}
