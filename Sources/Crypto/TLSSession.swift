internal import COpenSSL

/// One TLS connection without a socket: encrypted bytes in and out through a `TLSWire`, plain bytes in and out through `read` and `write`.
///
/// Owns its OpenSSL session. Belongs to one thread at a time.
public struct TLSSession: ~Copyable {
    /// What reading came to.
    public enum Reading: Equatable, Sendable {
        /// So many plain bytes, 0 or more; further ones need further input.
        case open(Int)
        /// So many plain bytes, then the peer's end (`close_notify`).
        case ended(Int)
        /// So many plain bytes, then something that breaks the protocol or the trust, in words. The alert for the peer is in the output.
        case failed(Int, String)
    }

    /// What writing came to.
    public enum Writing: Equatable, Sendable {
        /// All bytes have been encrypted.
        case done
        /// Nothing was taken: the peer has to be heard first, as during the handshake.
        case needsInput
        /// The session is broken.
        case failed(String)
    }

    /// How much room `read` needs beyond the length of its input: what a record may have left behind in the session.
    public static let readRoomBytes = 32 << 10
    /// The most plain bytes that one record carries (RFC 8446 §5.1).
    public static let recordBytesMax = 16_384

    private let session: OpaquePointer
    private let bio: OpaquePointer

    /// A session of a server.
    public init(server context: TLSContext) throws(CryptoError) {
        precondition(context.role == .server, "the context is a client's")
        (session, bio) = try Self.make(context)
        SSL_set_accept_state(session)
    }

    /// A session of a client, to the server of that name or address, which its certificate must be for.
    public init(client context: TLSContext, host: String) throws(CryptoError) {
        precondition(context.role == .client, "the context is a server's")
        (session, bio) = try Self.make(context, host: host)
        SSL_set_connect_state(session)
    }

    private static func make(_ context: TLSContext, host: String? = nil) throws(CryptoError) -> (session: OpaquePointer, bio: OpaquePointer)
    {
        ERR_clear_error()
        guard let session = SSL_new(context.context) else { throw CryptoError("starting a TLS session") }
        guard host.map({ expect($0, of: session) }) ?? true, let method = TLSWireMethod.shared, let bio = BIO_new(method) else {
            SSL_free(session)
            throw CryptoError("starting a TLS session")
        }
        // One reference for both directions, which the session owns from here on.
        SSL_set_bio(session, bio, bio)
        return (session, bio)
    }

    /// Makes the session trust only a certificate for that name or address.
    ///
    /// - Returns: false if no certificate could be for it.
    private static func expect(_ host: String, of session: OpaquePointer) -> Bool {
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1 { return true }
        // OpenSSL takes an empty name for the wish to check none.
        guard !host.isEmpty, SSL_set1_host(session, host) == 1 else { return false }
        return host.withCString {
            SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0)) == 1
        }
    }

    deinit {
        SSL_free(session)
    }

    /// Whether the handshake is complete.
    public var isEstablished: Bool { SSL_is_init_finished(session) == 1 }
    /// Whether the handshake took up an earlier session.
    public var isResumed: Bool { SSL_session_reused(session) == 1 }
    /// The version that was agreed on, such as `TLSv1.3`.
    public var version: String { SSL_get_version(session).map { String(cString: $0) } ?? "" }

    /// Begins a client's handshake: its first message is in the output. A server has nothing to begin.
    public mutating func start(_ wire: borrowing TLSWire) -> Writing {
        attach(wire)
        return writing(of: SSL_do_handshake(session))
    }

    /// Takes all of `input`, which came from the socket, and decrypts what is complete. Answers of the protocol itself are in the output.
    ///
    /// - Parameter room: at least `readRoomBytes` more than `input`.
    public mutating func read(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, _ wire: borrowing TLSWire)
        -> Reading
    {
        precondition(room.count >= input.count + Self.readRoomBytes, "there must be room for everything that the input can hold")
        attach(wire)
        wire.state.pointee.input = input
        defer { wire.state.pointee.input = UnsafeRawBufferPointer(start: nil, count: 0) }
        var count = 0
        while true {
            let result = SSL_read(session, room.baseAddress.map { $0 + count }, Int32(clamping: room.count - count))
            if result > 0 {
                count += Int(result)
                continue
            }
            switch SSL_get_error(session, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .open(count)
            case SSL_ERROR_ZERO_RETURN: return .ended(count)
            default: return .failed(count, failure())
            }
        }
    }

    /// Encrypts `bytes` into the output, all of them or none.
    public mutating func write(_ bytes: UnsafeRawBufferPointer, _ wire: borrowing TLSWire) -> Writing {
        attach(wire)
        var done = 0
        while done < bytes.count {
            let result = SSL_write(session, bytes.baseAddress.map { $0 + done }, Int32(clamping: bytes.count - done))
            guard result > 0 else { return writing(of: result) }
            done += Int(result)
        }
        return .done
    }

    /// Takes new keys and asks the peer to do so too (RFC 8446 §4.6.3).
    package mutating func updateKeys(_ wire: borrowing TLSWire) -> Writing {
        attach(wire)
        guard SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 else { return .failed(failure()) }
        return writing(of: SSL_do_handshake(session))
    }

    /// Ends our side: the peer is told in the output that nothing more comes.
    public mutating func end(_ wire: borrowing TLSWire) {
        guard isEstablished else { return }
        attach(wire)
        _ = SSL_shutdown(session)
    }

    private func attach(_ wire: borrowing TLSWire) {
        // Errors that something else left behind would be taken for this session's.
        ERR_clear_error()
        BIO_set_data(bio, wire.state)
    }

    private func writing(of result: Int32) -> Writing {
        if result > 0 { return .done }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        default: return .failed(failure())
        }
    }

    private func failure() -> String {
        let code = ERR_peek_error()
        ERR_clear_error()
        let check = SSL_get_verify_result(session)
        if check != Int(X509_V_OK) { return "the certificate is not trusted: \(String(cString: X509_verify_cert_error_string(check)))" }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "the session is broken"
    }
}
