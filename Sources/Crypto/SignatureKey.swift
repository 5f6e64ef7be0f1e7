internal import COpenSSL

/// A key that checks signatures of one kind only: what it is for is settled when it is made, so that nothing in a message can turn a
/// public key into a shared secret.
public final class SignatureKey: Sendable {
    /// The kinds of signatures (RFC 7518 §3.1).
    public enum Algorithm: String, CaseIterable, Sendable {
        /// HMAC with SHA-256 and a shared secret.
        case hs256 = "HS256"
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
        /// ECDSA with P-256 and SHA-256; the signature is r and s, 32 bytes each.
        case es256 = "ES256"
    }

    /// The one kind that the key checks.
    public let algorithm: Algorithm
    private let secret: [UInt8]
    /// An `EVP_PKEY`, which OpenSSL never changes once it is made.
    private nonisolated(unsafe) let key: OpaquePointer?

    /// A shared secret for HS256, of 32 bytes at least (RFC 7518 §3.2).
    ///
    /// What is a public key or a certificate is refused: everybody may know it.
    public init(secret: [UInt8]) throws(SignatureKeyError) {
        guard secret.count >= 32 else {
            throw SignatureKeyError("a secret for HS256 needs 32 bytes at least, and this one has \(secret.count)")
        }
        guard !Self.isPublic(secret) else { throw SignatureKeyError("a public key or certificate is no secret, so it can't check HS256") }
        algorithm = .hs256
        self.secret = secret
        key = nil
    }

    /// The public keys in a text with PEM blocks `PUBLIC KEY`: RSA for RS256, P-256 for ES256.
    public static func keys(pem text: [UInt8]) throws(SignatureKeyError) -> [SignatureKey] {
        ERR_clear_error()
        guard let source = BIO_new_mem_buf(text, Int32(clamping: text.count)) else {
            throw SignatureKeyError("there is no memory for the key")
        }
        defer { BIO_free(source) }
        var keys: [SignatureKey] = []
        while let key = PEM_read_bio_PUBKEY(source, nil, nil, nil) { keys.append(try SignatureKey(owning: key)) }
        ERR_clear_error()
        guard !keys.isEmpty else { throw SignatureKeyError("it holds no public key in PEM (-----BEGIN PUBLIC KEY-----)") }
        return keys
    }

    /// An RSA key by its modulus and exponent, big-endian (RFC 7518 §6.3.1).
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(SignatureKeyError) {
        guard modulus.count <= 1024, exponent.count <= 8 else { throw SignatureKeyError("the RSA key is larger than 8192 bits") }
        let key = try Self.make("RSA") { builder in
            let numbers = [modulus, exponent].map { (digits: [UInt8]) -> OpaquePointer? in BN_bin2bn(digits, Int32(digits.count), nil) }
            let isPushed =
                numbers.allSatisfy { $0 != nil }
                && OSSL_PARAM_BLD_push_BN(builder, Self.lasting("n"), numbers[0]) == 1
                && OSSL_PARAM_BLD_push_BN(builder, Self.lasting("e"), numbers[1]) == 1
            // The builder looks at the numbers until the parameters are made.
            return (isPushed, { for number in numbers { BN_free(number) } })
        }
        try self.init(owning: key)
    }

    /// A key on P-256 by its point's coordinates, 32 bytes each (RFC 7518 §6.2.1).
    public convenience init(x: [UInt8], y: [UInt8]) throws(SignatureKeyError) {
        guard x.count == 32, y.count == 32 else { throw SignatureKeyError("a point on P-256 has coordinates of 32 bytes") }
        let point = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65)
        _ = point.initialize(from: [4] + x + y)
        let key = try Self.make("EC") { builder in
            let isPushed =
                OSSL_PARAM_BLD_push_utf8_string(builder, Self.lasting("group"), Self.lasting("P-256"), 0) == 1
                && OSSL_PARAM_BLD_push_octet_string(builder, Self.lasting("pub"), point.baseAddress, point.count) == 1
            return (isPushed, { point.deallocate() })
        }
        try self.init(owning: key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether the signature is this key's over the message.
    public func verify(_ signature: [UInt8], over message: [UInt8]) throws(CryptoError) -> Bool {
        switch algorithm {
        case .hs256: return constantTimeEqual(try HMACSHA256.authenticate(message, key: secret), signature)
        case .rs256: return try check(signature, over: message)
        case .es256:
            guard signature.count == 64 else { return false }
            return try check(Self.der(r: signature[..<32], s: signature[32...]), over: message)
        }
    }

    // MARK: OpenSSL

    private init(owning key: OpaquePointer) throws(SignatureKeyError) {
        do throws(SignatureKeyError) { algorithm = try Self.algorithm(of: key) } catch {
            EVP_PKEY_free(key)
            throw error
        }
        secret = []
        self.key = key
    }

    private static func algorithm(of key: OpaquePointer) throws(SignatureKeyError) -> Algorithm {
        if EVP_PKEY_is_a(key, "RSA") == 1 {
            guard (2048...8192).contains(EVP_PKEY_get_bits(key)) else {
                throw SignatureKeyError("an RSA key needs 2048 to 8192 bits, and this one has \(EVP_PKEY_get_bits(key))")
            }
            return .rs256
        }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        if EVP_PKEY_is_a(key, "EC") == 1, EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 {
            let group = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if group == "prime256v1" || group == "P-256" { return .es256 }
        }
        throw SignatureKeyError("the key is neither RSA nor on the curve P-256")
    }

    /// A text that stays where it is: the builder keeps where names and values are, not what they are.
    private static func lasting(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func make(
        _ kind: String, _ fill: (OpaquePointer) -> (isDone: Bool, release: () -> Void)
    ) throws(SignatureKeyError) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let builder = OSSL_PARAM_BLD_new() else { throw SignatureKeyError("there is no memory for the key") }
        let (isFilled, release) = fill(builder)
        defer {
            OSSL_PARAM_BLD_free(builder)
            release()
        }
        guard isFilled, let parameters = OSSL_PARAM_BLD_to_param(builder) else {
            throw SignatureKeyError("the \(kind) key's numbers can't be read")
        }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { throw SignatureKeyError("this OpenSSL has no \(kind)") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1, EVP_PKEY_fromdata(context, &key, PUBLIC_KEY_SELECTION, parameters) == 1, let key else {
            throw SignatureKeyError("the numbers are no \(kind) key")
        }
        // A point that is not on the curve must not get further than here.
        let check = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { EVP_PKEY_CTX_free(check) }
        guard EVP_PKEY_public_check(check) == 1 else {
            EVP_PKEY_free(key)
            throw SignatureKeyError("the numbers are no \(kind) key")
        }
        return key
    }

    private func check(_ signature: [UInt8], over message: [UInt8]) throws(CryptoError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw CryptoError("checking a signature") }
        defer {
            EVP_MD_CTX_free(context)
            // A signature that is none leaves words behind.
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { throw CryptoError("checking a signature") }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// r and s as OpenSSL wants them: a DER sequence of two integers (RFC 3279 §2.2.3).
    private static func der(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) -> [UInt8] {
        let body = integer(r) + integer(s)
        return [0x30, UInt8(body.count)] + body
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        // The highest bit is the sign.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    /// Whether it is what everybody may have: a key or certificate in PEM, wherever that stands in the text, in DER or its base64, a JWKS, or a
    /// key of OpenSSH. No random secret looks like one.
    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains("-----BEGIN") || text.contains("\"kty\"") { return true }
        let line = String(text.drop { $0.isWhitespace || $0 == "\u{FEFF}" })
        if ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].contains(where: line.hasPrefix) { return true }
        if let decoded = Base64.decode(text.filter { !$0.isWhitespace && $0 != "\u{FEFF}" && $0 != "=" }), isPublicDER(decoded) {
            return true
        }
        return isPublicDER(bytes)
    }

    private static func isPublicDER(_ bytes: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        return bytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            let key = d2i_PUBKEY(nil, &start, bytes.count)
            defer { EVP_PKEY_free(key) }
            start = bytes.baseAddress
            let certificate = d2i_X509(nil, &start, bytes.count)
            defer { X509_free(certificate) }
            return key != nil || certificate != nil
        }
    }
}

/// A key that can't be used: a sentence for the operator, without any of the key.
public struct SignatureKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension SignatureKeyError {
    /// A file that holds no keys, for that cause.
    public static func unreadable(_ cause: String) -> SignatureKeyError { SignatureKeyError("the keys can't be read: \(cause)") }

    /// A file that holds too many keys.
    public static func tooMany(_ count: Int, max: Int) -> SignatureKeyError {
        SignatureKeyError("it holds \(count) keys, and at most \(max) are taken")
    }
}
