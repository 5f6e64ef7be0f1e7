internal import Crypto
internal import Synchronization

/// Whom clients trust to vouch for a server.
enum Trust {
    /// What all clients share that trust the authorities of the system, which take a while to read.
    private static let system = Mutex<TLSContext?>(nil)

    /// What a connection to the endpoint is encrypted with; `nil` where it is not.
    ///
    /// - Parameter authorityFile: PEM: the authorities to trust instead of those of the system; read anew each time.
    static func context(for endpoint: Endpoint, authorityFile: String?) throws(ClientError) -> TLSContext? {
        guard endpoint.isSecure else { return nil }
        do {
            if let authorityFile { return try TLSContext(trusting: authorityFile) }
            return try system.withLock { shared throws(TLSConfigurationError) in
                if let shared { return shared }
                let context = try TLSContext(trusting: nil)
                shared = context
                return context
            }
        } catch {
            throw .insecure(error.description)
        }
    }
}
