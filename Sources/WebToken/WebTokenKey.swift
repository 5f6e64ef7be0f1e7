internal import Bytes
public import Crypto

/// A key and the name by which tokens may ask for it.
public struct WebTokenKey: Sendable {
    /// The key, which is for one algorithm only.
    public let key: SignatureKey
    /// Its `kid`; a key without one may check any token of its algorithm.
    public let name: String?

    /// A key under that name.
    public init(_ key: SignatureKey, name: String? = nil) {
        self.key = key
        self.name = name
    }

    /// How many keys are taken from one file: each one without a name costs every token a check.
    static let countMax = 64

    /// The keys of a file: a JSON Web Key Set or a single JSON Web Key (RFC 7517), or public keys in PEM.
    public static func read(_ file: [UInt8]) throws(SignatureKeyError) -> [WebTokenKey] {
        let isJSON = file.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        let keys = isJSON ? try JSONWebKeys.read(file) : try SignatureKey.keys(pem: file).map { WebTokenKey($0) }
        guard keys.count <= countMax else { throw SignatureKeyError.tooMany(keys.count, max: countMax) }
        return keys
    }

    /// The shared secret of a file: all its bytes but for line ends behind them.
    public static func read(secret file: [UInt8]) throws(SignatureKeyError) -> WebTokenKey {
        var secret = file
        while secret.last == 0x0A || secret.last == 0x0D { secret.removeLast() }
        return WebTokenKey(try SignatureKey(secret: secret))
    }
}

/// JSON Web Keys (RFC 7517): of those kinds that this server checks; others are passed over, as the RFC asks.
enum JSONWebKeys {
    static func read(_ file: [UInt8]) throws(SignatureKeyError) -> [WebTokenKey] {
        var parser = JSONParser()
        let outcome: Result<[WebTokenKey], SignatureKeyError> = file.withUnsafeBytes { bytes in
            parser.parse(bytes) { outcome in
                switch outcome {
                case .failure(let error): .failure(SignatureKeyError.unreadable("\(error)"))
                case .success(let root): Result { () throws(SignatureKeyError) in try Self.keys(root) }
                }
            }
        }
        let keys = try outcome.get()
        guard !keys.isEmpty else { throw SignatureKeyError.unreadable("it holds no key for HS256, RS256 or ES256") }
        return keys
    }

    static func keys(_ root: JSONValue) throws(SignatureKeyError) -> [WebTokenKey] {
        guard let elements = root["keys"]?.elements else { return try key(root).map { [$0] } ?? [] }
        var keys: [WebTokenKey] = []
        for element in elements {
            if let key = try key(element) { keys.append(key) }
        }
        return keys
    }

    /// `nil` for a key of another kind, or for another use.
    private static func key(_ json: JSONValue) throws(SignatureKeyError) -> WebTokenKey? {
        if let use = json["use"], !use.isString("sig") { return nil }
        if let operations = json["key_ops"]?.elements, !operations.contains(where: { $0.isString("verify") || $0.isString("sign") }) {
            return nil
        }
        let key: SignatureKey
        switch json["kty"]?.string {
        case "RSA": key = try SignatureKey(modulus: bytes("n", json), exponent: bytes("e", json))
        case "EC":
            guard json["crv"]?.isString("P-256") == true else { return nil }
            key = try SignatureKey(x: bytes("x", json), y: bytes("y", json))
        case "oct": key = try SignatureKey(secret: bytes("k", json))
        default: return nil
        }
        if let algorithm = json["alg"], algorithm.string != key.algorithm.rawValue { return nil }
        return WebTokenKey(key, name: json["kid"]?.string)
    }

    private static func bytes(_ name: StaticString, _ json: JSONValue) throws(SignatureKeyError) -> [UInt8] {
        guard let text = json[name]?.string, let bytes = Base64.decodeURL(text), !bytes.isEmpty else {
            throw SignatureKeyError.unreadable("the member \(name) of a key is missing or not base64url")
        }
        return bytes
    }
}
