import Crypto
import Foundation
import WebToken

/// Where the keys for JSON Web Tokens are, and what else is asked of the tokens. The files are read at the start and at SIGHUP.
struct WebTokenFiles: Sendable {
    /// Public keys in PEM, or a JSON Web Key Set.
    var keysFile: String?
    /// A shared secret for HS256.
    var secretFile: String?
    /// What `iss` must be.
    var issuer: String?
    /// What `aud` must be or hold.
    var audience: String?

    /// Whether the operator named keys.
    var isGiven: Bool { keysFile != nil || secretFile != nil }

    private static let bytesMax = 1 << 20

    /// Reads the files.
    func verifier() throws -> TokenVerifier {
        var keys: [WebTokenKey] = []
        if let keysFile { keys += try read(keysFile, "--jwt-keys") { bytes throws(SignatureKeyError) in try WebTokenKey.read(bytes) } }
        if let secretFile {
            keys += try read(secretFile, "--jwt-secret") { bytes throws(SignatureKeyError) in [try WebTokenKey.read(secret: bytes)] }
        }
        return TokenVerifier(keys: keys, issuer: issuer, audience: audience)
    }

    private func read(
        _ file: String, _ flag: String, _ keys: ([UInt8]) throws(SignatureKeyError) -> [WebTokenKey]
    ) throws -> [WebTokenKey] {
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw UsageError(message: "\(flag) '\(file)' can't be read: \(String(cString: strerror(errno)))")
        }
        let data = try handle.read(upToCount: Self.bytesMax + 1) ?? Data()
        guard data.count <= Self.bytesMax else { throw UsageError(message: "\(flag) '\(file)' is larger than \(Self.bytesMax) bytes") }
        do {
            return try keys(Array(data))
        } catch {
            throw UsageError(message: "\(flag) '\(file)': \(error)")
        }
    }
}
