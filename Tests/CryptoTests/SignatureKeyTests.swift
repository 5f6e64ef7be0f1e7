import Crypto
import Foundation
import Testing

/// Keys and signatures that the `openssl` program makes.
private struct OpenSSL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todosync-keys-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// What the program prints.
    @discardableResult
    func run(_ arguments: String...) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments)")
        return Array(data)
    }
}

@Suite("Keys that check signatures")
struct SignatureKeyTests {
    @Test func `an RSA key from PEM checks RS256, and what it signed alone`() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "key")
        let pem = try openssl.run("pkey", "-in", "key", "-pubout")
        try Data("message".utf8).write(to: openssl.folder.appending(path: "message"))
        let signature = try openssl.run("dgst", "-sha256", "-sign", "key", "message")
        let keys = try SignatureKey.keys(pem: pem + pem)
        #expect(keys.map(\.algorithm) == [.rs256, .rs256])
        #expect(try keys[0].verify(signature, over: Array("message".utf8)))
        #expect(try !keys[0].verify(signature, over: Array("massage".utf8)))
        #expect(try !keys[0].verify([], over: Array("message".utf8)))
        #expect(try !keys[0].verify(signature.reversed(), over: Array("message".utf8)))
        #expect(throws: SignatureKeyError.self) { try SignatureKey(secret: pem) }
        // A private key is not what belongs into that file.
        #expect(throws: SignatureKeyError.self) {
            try SignatureKey.keys(pem: Array(Data(contentsOf: openssl.folder.appending(path: "key"))))
        }
    }

    @Test(arguments: [
        ["RSA", "rsa_keygen_bits:1024"], ["EC", "ec_paramgen_curve:P-384"], ["EC", "ec_paramgen_curve:secp256k1"], ["ED25519"],
    ])
    func `a key that is too short or of another kind is refused`(kind: [String]) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        if kind.count == 2 {
            try openssl.run("genpkey", "-algorithm", kind[0], "-pkeyopt", kind[1], "-out", "key")
        } else {
            try openssl.run("genpkey", "-algorithm", kind[0], "-out", "key")
        }
        let pem = try openssl.run("pkey", "-in", "key", "-pubout")
        #expect(throws: SignatureKeyError.self) { try SignatureKey.keys(pem: pem) }
    }

    @Test func `a certificate is no secret`() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key", "-out", "certificate",
            "-subj",
            "/CN=test", "-outform", "DER")
        let certificate = Array(try Data(contentsOf: openssl.folder.appending(path: "certificate")))
        #expect(throws: SignatureKeyError.self) { try SignatureKey(secret: certificate) }
        #expect(throws: Never.self) { try SignatureKey(secret: [UInt8](repeating: 7, count: 32)) }
    }
}
