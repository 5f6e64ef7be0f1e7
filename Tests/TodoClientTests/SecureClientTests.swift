import TestSupport
import Testing
import Todo
import TodoClient
import TodoProtocol

@Suite("The client over TLS against the real server", .timeLimit(.minutes(2)))
struct SecureClientTests {
    private func options(_ authorityFile: String?) -> ClientOptions {
        var options = ClientOptions()
        options.isStrict = true
        options.backoff = Backoff(firstMilliseconds: 20, mostMilliseconds: 200)
        options.authorityFile = authorityFile
        return options
    }

    /// What the encryption failed of.
    private func complaint(of url: String, trusting authorityFile: String?) async throws -> String {
        let error = await #expect(throws: ClientError.self) {
            try await TodoClient.connect(url, options: options(authorityFile))
        }
        guard case .insecure(let sentence) = error else { return "something else: \(String(describing: error))" }
        return sentence
    }

    @Test("A client writes and reads over wss, by address and by name, and after the server was gone")
    func works() async throws {
        let certificate = try TestCertificate()
        let server = try LiveServer(certificate)
        #expect(server.url.hasPrefix("wss://127.0.0.1:"))
        let named = server.url.replacing("127.0.0.1", with: "localhost")
        let ann = try await TodoClient.connect(server.url, options: options(certificate.certificateFile))
        let bob = try await TodoClient.connect(named, options: options(certificate.certificateFile))
        for client in [ann, bob] { try await client.login(.nickname("ann")) }

        let body = String(repeating: "encrypted ", count: 10_000)
        var id = ""
        try await ann.write {
            let project = $0.create(.project, ["name": "Garden"])
            id = $0.create(.item, ["projectId": .string(project), "body": "Water", "notes": .string(body)])
        }
        let list = try await bob.subscribe("all", to: .item)
        try await list.waitUntilComplete()
        #expect(list.rows.map { $0["notes"] } == [.string(body)])

        server.kill()
        try server.restart()
        let version = try await ann.write { $0.update(.item, id, set: ["isDone": true]) }.version
        try await list.wait(untilVersion: version)
        #expect(list.rows.map { $0["isDone"] } == [true])
        await ann.close()
        await bob.close()
    }

    @Test("A server that nobody vouches for is refused, and one that is for another name")
    func distrusts() async throws {
        let certificate = try TestCertificate(for: "IP:127.0.0.1")
        let server = try LiveServer(certificate)
        #expect(try await complaint(of: server.url, trusting: nil).contains("not trusted: self-signed certificate"))
        let another = try TestCertificate()
        #expect(try await complaint(of: server.url, trusting: another.certificateFile).contains("not trusted"))
        // The files go with the object.
        withExtendedLifetime(another) {}
        let named = server.url.replacing("127.0.0.1", with: "localhost")
        #expect(try await complaint(of: named, trusting: certificate.certificateFile).contains("ostname mismatch"))
        let client = try await TodoClient.connect(server.url, options: options(certificate.certificateFile))
        await client.close()
    }

    @Test("A file of authorities that can't be read is named")
    func missingFile() async throws {
        let sentence = try await complaint(of: "wss://127.0.0.1:1/sync", trusting: "/nowhere/authority.pem")
        #expect(sentence.contains("/nowhere/authority.pem"))
    }

    @Test("A server that speaks no TLS is told apart from one that is not there")
    func plainServer() async throws {
        let server = try LiveServer()
        let url = server.url.replacing("ws://", with: "wss://")
        let sentence = try await complaint(of: url, trusting: nil)
        #expect(!sentence.contains("something else"))
        server.kill()
        let error = await #expect(throws: ClientError.self) { try await TodoClient.connect(url, options: options(nil)) }
        guard case .cannotConnect = error else { throw error ?? ClientError.ended }
    }

    @Test("A raw connection is encrypted alike")
    func raw() async throws {
        let certificate = try TestCertificate()
        let server = try LiveServer(certificate)
        let connection = try await RawConnection.connect(server.url, authorityFile: certificate.certificateFile)
        #expect(connection.subprotocol == "todosync.v1")
        try connection.send(#"{"jsonrpc":"2.0","id":1,"method":"info"}"#)
        #expect(try await connection.receive().contains("todosync.v1"))
        try connection.close()
        #expect(try await connection.waitForClose().code == 1000)
    }
}
