internal import COpenSSL
internal import Glibc

/// What all TLS sessions of one role have in common: protocol versions, ciphers, and the certificate that a server shows or a client trusts.
///
/// TLS 1.2 and 1.3 only, with forward secrecy and authenticated encryption only, no compression, no renegotiation. Never changed once it is made, so it may be
/// used on every thread; a session keeps it alive.
public final class TLSContext: Sendable {
    enum Role {
        case server
        case client
    }

    /// OpenSSL counts references to it with atomics and locks what sessions change in it.
    nonisolated(unsafe) let context: OpaquePointer
    let role: Role
    /// What the operator should know about a certificate that can be used nevertheless, such as that its time is over.
    public let warning: String?

    /// The context of a server.
    ///
    /// - Parameters:
    ///   - certificateFile: PEM: the server's certificate first, then those that lead to the authority.
    ///   - keyFile: PEM: the private key of the first certificate, without a passphrase.
    public init(certificateFile: String, keyFile: String) throws(TLSConfigurationError) {
        context = try Self.make(TLS_server_method()) { context throws(TLSConfigurationError) in
            try Self.load(certificateFile, keyFile, into: context)
            // Resumption is by tickets alone (RFC 8446 §4.6.1, RFC 5077): nothing is kept for a client that is gone.
            _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
            var name = Array("todosync".utf8)
            _ = SSL_CTX_set_session_id_context(context, &name, UInt32(name.count))
            SSL_CTX_set_alpn_select_cb(context, Self.selectProtocol, nil)
        }
        role = .server
        warning = Self.warning(context, certificateFile)
    }

    /// The context of a client, which checks the server's certificate and name.
    ///
    /// - Parameter authorityFile: PEM: the authorities to trust; nil for those of the system.
    public init(trusting authorityFile: String?) throws(TLSConfigurationError) {
        context = try Self.make(TLS_client_method()) { context throws(TLSConfigurationError) in
            let isLoaded = authorityFile.map { SSL_CTX_load_verify_file(context, $0) } ?? SSL_CTX_set_default_verify_paths(context)
            guard isLoaded == 1 else {
                let place = authorityFile ?? "the system"
                throw TLSConfigurationError("no trusted authorities can be read from \(place): \(TLSConfigurationError.detail())")
            }
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            var offer = Self.protocolOffer
            _ = SSL_CTX_set_alpn_protos(context, &offer, UInt32(offer.count))
        }
        role = .client
        warning = nil
    }

    deinit {
        SSL_CTX_free(context)
    }

    // MARK: Making

    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    private static let groups = "X25519:P-256:P-384"
    /// `http/1.1` as ALPN writes it (RFC 7301 §3.1).
    private static let protocolOffer: [UInt8] = [8] + Array("http/1.1".utf8)

    /// A context with what both roles have in common, then with what `configure` adds.
    private static func make(
        _ method: OpaquePointer?, _ configure: (OpaquePointer) throws(TLSConfigurationError) -> Void
    ) throws(TLSConfigurationError) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(method) else {
            throw TLSConfigurationError("OpenSSL can't start TLS: \(TLSConfigurationError.detail())")
        }
        do {
            try restrict(context)
            try configure(context)
            return context
        } catch {
            SSL_CTX_free(context)
            throw error
        }
    }

    private static func restrict(_ context: OpaquePointer) throws(TLSConfigurationError) {
        let hasVersion = SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1
        let hasCiphers = SSL_CTX_set_cipher_list(context, ciphers) == 1
        let hasGroups = groups.withCString {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: $0)) == 1
        }
        guard hasVersion, hasCiphers, hasGroups else {
            throw TLSConfigurationError("this OpenSSL lacks TLS 1.2 or its ciphers: \(TLSConfigurationError.detail())")
        }
        SSL_CTX_set_options(context, TLS_CONTEXT_OPTIONS)
        // Idle connections give their buffers back; a write may take a part and may be repeated from another address.
        let modes = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(modes), nil)
    }

    /// Chooses HTTP/1.1 where the client names protocols; one that speaks none of ours is refused (RFC 7301 §3.2).
    private static let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenCount, offer, offerCount, _ in
        guard let chosen, let chosenCount, let offer else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        var place = 0
        while place < Int(offerCount) {
            let count = Int(offer[place])
            guard place + 1 + count <= Int(offerCount) else { break }
            if UnsafeBufferPointer(start: offer + place, count: count + 1).elementsEqual(protocolOffer) {
                chosen.pointee = offer + place + 1
                chosenCount.pointee = UInt8(count)
                return SSL_TLSEXT_ERR_OK
            }
            place += 1 + count
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }

    // MARK: Certificate and key

    private static func load(_ certificateFile: String, _ keyFile: String, into context: OpaquePointer) throws(TLSConfigurationError) {
        try checkReadable(certificateFile, "certificate")
        try checkReadable(keyFile, "key")
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw TLSConfigurationError(
                "\(certificateFile) holds no certificate that can be used; it must be PEM, the server's own first: \(TLSConfigurationError.detail())"
            )
        }
        // Without this OpenSSL would ask on the terminal.
        var wantedPassphrase = false
        let isLoaded = withUnsafeMutablePointer(to: &wantedPassphrase) { wanted in
            SSL_CTX_set_default_passwd_cb(context) { _, _, _, wanted in
                wanted?.assumingMemoryBound(to: Bool.self).pointee = true
                return -1
            }
            SSL_CTX_set_default_passwd_cb_userdata(context, wanted)
            defer { SSL_CTX_set_default_passwd_cb_userdata(context, nil) }
            return SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1
        }
        if wantedPassphrase {
            throw TLSConfigurationError(
                "the key in \(keyFile) has a passphrase, and a server that starts by itself can't be asked for one; take it off: "
                    + "openssl pkey -in \(keyFile) -out server.key")
        }
        guard isLoaded, SSL_CTX_check_private_key(context) == 1 else {
            let code = ERR_peek_error()
            if ERR_GET_LIB_OF(code) == ERR_LIB_X509,
                ERR_GET_REASON_OF(code) == X509_R_KEY_VALUES_MISMATCH || ERR_GET_REASON_OF(code) == X509_R_KEY_TYPE_MISMATCH
            {
                ERR_clear_error()
                throw TLSConfigurationError("the key in \(keyFile) is not that of the first certificate in \(certificateFile)")
            }
            throw TLSConfigurationError(
                "\(keyFile) holds no private key that can be used; it must be PEM: \(TLSConfigurationError.detail())")
        }
    }

    private static func checkReadable(_ file: String, _ what: String) throws(TLSConfigurationError) {
        guard access(file, R_OK) == 0 else {
            throw TLSConfigurationError("the \(what) file \(file) can't be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw TLSConfigurationError("\(file) is a folder; the \(what) is needed as a file in PEM, such as one in that folder")
        }
    }

    private static func warning(_ context: OpaquePointer, _ file: String) -> String? {
        guard let certificate = SSL_CTX_get0_certificate(context) else { return nil }
        if X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 { return "the certificate in \(file) has expired" }
        if X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 { return "the certificate in \(file) is not valid yet" }
        return nil
    }
}

/// A certificate, a key or a set of authorities that can't be used: a sentence for the operator.
public struct TLSConfigurationError: Error, CustomStringConvertible, Sendable {
    /// The sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// What OpenSSL says about the newest failure of this thread.
    static func detail() -> String {
        CryptoError("TLS").detail
    }
}
