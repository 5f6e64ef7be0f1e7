internal import Bytes
internal import Crypto

/// Checks JSON Web Tokens (RFC 7519) that identity providers signed (RFC 7515), as RFC 8725 advises: the keys say which algorithms there
/// are, never the token.
public struct TokenVerifier: Sendable {
    /// The keys that are trusted.
    public let keys: [WebTokenKey]
    /// What `iss` must be, where that is asked for.
    public let issuer: String?
    /// What `aud` must be or hold, where that is asked for.
    public let audience: String?

    /// How far apart clocks may be: what has just expired, or is just about to come, is taken.
    public static let leewaySeconds: Double = 60
    /// The longest token that is looked at.
    static let tokenBytesMax = 16_384

    /// A verifier that trusts those keys.
    public init(keys: [WebTokenKey], issuer: String? = nil, audience: String? = nil) {
        self.keys = keys
        self.issuer = issuer
        self.audience = audience
    }

    /// What the token says, where it was signed by a trusted key and its time is now.
    ///
    /// - Parameter nowSeconds: since 1970.
    public func verify(_ token: String, nowSeconds: Double) throws(WebTokenFault) -> WebTokenClaims {
        guard token.utf8.count <= Self.tokenBytesMax else { throw .malformed }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !token.utf8.contains(UInt8(ascii: "=")),
            let header = Base64.decodeURL(String(parts[0])), let payload = Base64.decodeURL(String(parts[1])),
            let signature = Base64.decodeURL(String(parts[2]))
        else { throw .malformed }
        let (algorithm, name) = try Self.read(header, else: .badHeader, Self.header)
        try check(signature, over: Array("\(parts[0]).\(parts[1])".utf8), algorithm, name)
        let (claims, issuer, audiences, startsAt) = try Self.read(payload, else: .badClaims, Self.claims)
        if let ends = claims.expiresAtSeconds, ends + Self.leewaySeconds <= nowSeconds { throw .expired }
        if let startsAt, startsAt - Self.leewaySeconds > nowSeconds { throw .notYet }
        if let wanted = self.issuer, !Self.isSame(issuer, wanted) { throw .issuer }
        if let wanted = audience, !audiences.contains(where: { Self.isSame($0, wanted) }) { throw .audience }
        return claims
    }

    private func check(
        _ signature: [UInt8], over message: [UInt8], _ algorithm: SignatureKey.Algorithm, _ name: String?
    ) throws(WebTokenFault) {
        let fitting = keys.filter { $0.key.algorithm == algorithm && ($0.name == nil || name == nil || Self.isSame($0.name, name)) }
        guard !fitting.isEmpty else { throw .unknownKey }
        for candidate in fitting {
            // What OpenSSL can't do is no reason to let anybody in.
            if (try? candidate.key.verify(signature, over: message)) == true { return }
        }
        throw .badSignature
    }

    /// Byte for byte (RFC 7515 §5.3), where Swift takes texts as equal that only look the same.
    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return false }
        return one.utf8.elementsEqual(other.utf8)
    }

    // MARK: Reading

    private static func read<Content>(
        _ text: [UInt8], else fault: WebTokenFault, _ body: (JSONValue) throws(WebTokenFault) -> Content
    ) throws(WebTokenFault) -> Content {
        var parser = JSONParser()
        let outcome: Result<Content, WebTokenFault> = text.withUnsafeBytes { bytes in
            parser.parse(bytes) { outcome in
                guard case .success(let root) = outcome, root.members != nil, !root.containsNUL else { return .failure(fault) }
                return Result { () throws(WebTokenFault) in try body(root) }
            }
        }
        return try outcome.get()
    }

    private static func header(_ json: JSONValue) throws(WebTokenFault) -> (SignatureKey.Algorithm, name: String?) {
        // What must be understood and is not (RFC 7515 §4.1.11).
        guard json["crit"] == nil else { throw .badHeader }
        if let type = json["typ"] {
            guard let word = type.string?.lowercased(), ["jwt", "at+jwt", "application/jwt", "application/at+jwt"].contains(word) else {
                throw .badHeader
            }
        }
        guard let word = json["alg"]?.string else { throw .badHeader }
        guard let algorithm = SignatureKey.Algorithm(rawValue: word) else { throw .algorithm }
        guard let name = json["kid"] else { return (algorithm, nil) }
        guard let text = name.string else { throw .badHeader }
        return (algorithm, text)
    }

    private static func claims(
        _ json: JSONValue
    ) throws(WebTokenFault) -> (WebTokenClaims, issuer: String?, audiences: [String], startsAt: Double?) {
        guard let subject = json["sub"]?.string, (1...255).contains(subject.utf8.count) else { throw .badClaims }
        let claims = WebTokenClaims(
            subject: subject, name: try text("name", json), isAdmin: try flag("admin", json), expiresAtSeconds: try seconds("exp", json))
        var audiences: [String] = []
        if let audience = json["aud"] {
            for value in audience.elements.map(Array.init) ?? [audience] {
                guard let text = value.string else { throw .badClaims }
                audiences.append(text)
            }
        }
        return (claims, try text("iss", json), audiences, try seconds("nbf", json))
    }

    private static func text(_ name: StaticString, _ json: JSONValue) throws(WebTokenFault) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .badClaims }
        return text
    }

    private static func flag(_ name: StaticString, _ json: JSONValue) throws(WebTokenFault) -> Bool? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let flag = value.bool else { throw .badClaims }
        return flag
    }

    private static func seconds(_ name: StaticString, _ json: JSONValue) throws(WebTokenFault) -> Double? {
        guard let value = json[name] else { return nil }
        guard let seconds = value.double else { throw .badClaims }
        return seconds
    }
}
