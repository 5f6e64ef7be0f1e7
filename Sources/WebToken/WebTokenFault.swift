/// Why a JSON Web Token was not accepted. The words are for the operator's log: the sender is told no more than that it was not.
public enum WebTokenFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not three parts of base64url, or too long.
    case malformed
    /// The first part is no header as RFC 7515 has it, or one that asks for something unknown.
    case badHeader
    /// Signed by a kind that is not taken, `none` among them.
    case algorithm
    /// No key of that kind and name is known.
    case unknownKey
    /// The signature is not that key's.
    case badSignature
    /// The second part is not the claims that are needed, or one of them is of another type.
    case badClaims
    /// Its time is over.
    case expired
    /// Its time has not come.
    case notYet
    /// Made by somebody else than who is trusted.
    case issuer
    /// Made for somebody else.
    case audience

    /// A few words for the log.
    public var description: String {
        switch self {
        case .malformed: "not a token of three parts"
        case .badHeader: "a header that is not understood"
        case .algorithm: "an algorithm that is not taken"
        case .unknownKey: "no key of that kind and kid"
        case .badSignature: "a wrong signature"
        case .badClaims: "claims that are missing or of the wrong type"
        case .expired: "expired"
        case .notYet: "not valid yet"
        case .issuer: "another issuer"
        case .audience: "another audience"
        }
    }
}

/// What a JSON Web Token says of its bearer, once it was checked.
public struct WebTokenClaims: Hashable, Sendable {
    /// `sub`: who it is, at the provider. 1–255 bytes.
    public let subject: String
    /// `name`: what they are called.
    public let name: String?
    /// `admin`: whether they may do everything.
    public let isAdmin: Bool?
    /// `exp`: when it ends, in seconds since 1970.
    public let expiresAtSeconds: Double?
}
