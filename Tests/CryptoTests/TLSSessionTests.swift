import Crypto
import TestSupport
import Testing

/// One end of a conversation, with a wire of its own.
private struct End: ~Copyable {
    var session: TLSSession
    let wire = TLSWire()
    var heard: [UInt8] = []
    /// How it came to its end.
    var last: TLSSession.Reading?

    init(_ session: consuming TLSSession) {
        self.session = session
    }

    mutating func start() {
        _ = session.start(wire)
    }

    mutating func write(_ bytes: [UInt8]) -> TLSSession.Writing {
        bytes.withUnsafeBytes { session.write($0, wire) }
    }

    mutating func end() {
        session.end(wire)
    }

    mutating func updateKeys() -> TLSSession.Writing {
        session.updateKeys(wire)
    }

    mutating func read(_ bytes: [UInt8]) {
        var room = [UInt8](repeating: 0, count: bytes.count + TLSSession.readRoomBytes)
        let reading = bytes.withUnsafeBytes { input in room.withUnsafeMutableBytes { session.read(input, into: $0, wire) } }
        switch reading {
        case .open(let count): heard += room[0..<count]
        case .ended(let count), .failed(let count, _):
            heard += room[0..<count]
            last = last ?? reading
        }
    }

    func takeOutput() -> [UInt8] {
        wire.takeOutput { Array($0) }
    }
}

/// Both ends of a connection in one thread: what one writes the other reads, in pieces of a size that the test chooses.
private struct Conversation: ~Copyable {
    var client: End
    var server: End
    let pieceBytes: Int

    init(_ server: TLSContext, _ client: TLSContext, host: String = "localhost", pieceBytes: Int = .max) throws {
        // Both before either is kept: a value that can't be copied is not made by halves.
        let clientSession = try TLSSession(client: client, host: host)
        let serverSession = try TLSSession(server: server)
        self.client = End(clientSession)
        self.server = End(serverSession)
        self.pieceBytes = pieceBytes
        self.client.start()
        exchange()
    }

    /// Carries bytes to and fro until nobody has anything more to say.
    mutating func exchange() {
        while true {
            let fromClient = client.takeOutput()
            for piece in pieces(of: fromClient) { server.read(piece) }
            let fromServer = server.takeOutput()
            for piece in pieces(of: fromServer) { client.read(piece) }
            if fromClient.isEmpty, fromServer.isEmpty { return }
        }
    }

    private func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        if bytes.count <= pieceBytes { return bytes.isEmpty ? [] : [bytes] }
        return stride(from: 0, to: bytes.count, by: pieceBytes).map { Array(bytes[$0..<min(bytes.count, $0 + pieceBytes)]) }
    }

    mutating func sendFromClient(_ bytes: [UInt8]) -> TLSSession.Writing {
        let writing = client.write(bytes)
        exchange()
        return writing
    }

    mutating func sendFromServer(_ bytes: [UInt8]) -> TLSSession.Writing {
        let writing = server.write(bytes)
        exchange()
        return writing
    }
}

@Suite struct TLSSessionTests {
    private let certificate: TestCertificate
    private let serverContext: TLSContext
    private let clientContext: TLSContext

    init() throws {
        certificate = try TestCertificate()
        serverContext = try TLSContext(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
        clientContext = try TLSContext(trusting: certificate.certificateFile)
    }

    @Test(arguments: [1, 2, 7, 100, 1_000, .max])
    func `a conversation is the same in pieces of any size`(pieceBytes: Int) throws {
        var talk = try Conversation(serverContext, clientContext, pieceBytes: pieceBytes)
        let isEstablished = (talk.client.session.isEstablished, talk.server.session.isEstablished)
        #expect(isEstablished == (true, true))
        let version = talk.server.session.version
        #expect(version == "TLSv1.3")
        let question = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        let answer = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let asked = talk.sendFromClient(question)
        let answered = talk.sendFromServer(answer)
        #expect(asked == .done)
        #expect(answered == .done)
        talk.client.end()
        talk.exchange()
        let (heardByServer, endOfServer) = (talk.server.heard, talk.server.last)
        #expect(heardByServer == question)
        #expect(endOfServer == .ended(0))
        // The other side may go on.
        let further = talk.sendFromServer([1, 2, 3])
        #expect(further == .done)
        talk.server.end()
        talk.exchange()
        let (heardByClient, endOfClient) = (talk.client.heard, talk.client.last)
        #expect(heardByClient == answer + [1, 2, 3])
        #expect(endOfClient == .ended(0))
    }

    @Test func `several records at once come out whole, with the end behind them`() throws {
        var talk = try Conversation(serverContext, clientContext)
        for _ in 0..<3 { _ = talk.client.write([UInt8](repeating: 7, count: 30_000)) }
        talk.client.end()
        talk.exchange()
        let (heard, last) = (talk.server.heard, talk.server.last)
        #expect(heard == [UInt8](repeating: 7, count: 90_000))
        #expect(last == .ended(90_000))
    }

    @Test func `new keys in the middle change nothing`() throws {
        var talk = try Conversation(serverContext, clientContext)
        for number in 0..<20 {
            let updated = talk.client.updateKeys()
            #expect(updated == .done)
            talk.exchange()
            _ = talk.sendFromClient([UInt8(number)])
            _ = talk.sendFromServer([UInt8(number)])
        }
        let heard = (talk.server.heard, talk.client.heard)
        #expect(heard.0 == Array(0..<20))
        #expect(heard.1 == Array(0..<20))
    }

    @Test func `nothing can be written before the peer was heard`() throws {
        var server = try End(TLSSession(server: serverContext))
        let writing = server.write([1])
        #expect(writing == .needsInput)
    }

    @Test func `a certificate of somebody else or for another name is not trusted, and the server is told`() throws {
        func endings(_ client: TLSContext, host: String) throws -> (client: String, server: String) {
            let talk = try Conversation(serverContext, client, host: host)
            guard case .failed(0, let atClient) = talk.client.last, case .failed(0, let atServer) = talk.server.last else {
                return ("", "")
            }
            return (atClient, atServer)
        }
        let other = try TestCertificate()
        let stranger = try endings(TLSContext(trusting: other.certificateFile), host: "localhost")
        #expect(stranger.client.contains("not trusted"))
        #expect(stranger.server.contains("alert"))
        let misnamed = try endings(clientContext, host: "todo.example")
        #expect(misnamed.client.contains("not trusted"))
        #expect(misnamed.client.lowercased().contains("hostname mismatch"))
        #expect(throws: CryptoError.self) { _ = try TLSSession(client: clientContext, host: "") }
        let byAddress = try endings(clientContext, host: "127.0.0.1")
        #expect(byAddress == ("", ""))
    }

    @Test(arguments: [0, 5, 20]) func `damaged bytes break the session and nothing of them comes out`(place: Int) throws {
        var talk = try Conversation(serverContext, clientContext)
        _ = talk.client.write([UInt8](repeating: 1, count: 100))
        var bytes = talk.client.takeOutput()
        bytes[place] ^= 0x41
        talk.server.read(bytes)
        let (heard, last) = (talk.server.heard, talk.server.last)
        #expect(heard.isEmpty)
        guard case .failed(0, let sentence) = last else {
            Issue.record("the damage went unnoticed")
            return
        }
        #expect(!sentence.isEmpty)
    }

    @Test func `files that can't be used are named with the way out`() throws {
        func complaint(_ certificateFile: String, _ keyFile: String) -> String {
            do {
                _ = try TLSContext(certificateFile: certificateFile, keyFile: keyFile)
                return "none"
            } catch {
                return error.description
            }
        }
        let other = try TestCertificate()
        let locked = try TestCertificate(passphrase: "secret")
        #expect(complaint("/missing.crt", certificate.keyFile).contains("/missing.crt can't be read: No such file"))
        #expect(complaint(certificate.certificateFile, "/missing.key").contains("/missing.key can't be read: No such file"))
        #expect(complaint(certificate.keyFile, certificate.keyFile).contains("holds no certificate"))
        #expect(complaint(certificate.certificateFile, certificate.certificateFile).contains("holds no private key"))
        #expect(complaint(certificate.certificateFile, other.keyFile).contains("not that of the first certificate"))
        #expect(complaint(locked.certificateFile, locked.keyFile).contains("openssl pkey"))
        #expect(serverContext.warning == nil)
        #expect(throws: TLSConfigurationError.self) { _ = try TLSContext(trusting: "/missing.crt") }
    }
}
