import Crypto
import Synchronization

/// The server's certificate and key, which may be exchanged while it runs: connections that are there keep what they began with.
final class TLSIdentity: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let current: Mutex<TLSContext>

    /// Reads both files.
    init(certificateFile: String, keyFile: String) throws(TLSConfigurationError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        current = Mutex(try TLSContext(certificateFile: certificateFile, keyFile: keyFile))
    }

    /// What the next connection is encrypted with.
    var context: TLSContext { current.withLock { $0 } }

    /// Reads both files again. Where that fails, everything stays as it is.
    func reload() throws(TLSConfigurationError) {
        let context = try TLSContext(certificateFile: certificateFile, keyFile: keyFile)
        current.withLock { $0 = context }
    }
}
