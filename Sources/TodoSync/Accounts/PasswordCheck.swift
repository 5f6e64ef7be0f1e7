package import Crypto

/// What checking a password came to, and what it took: the same for a wrong password and for a name that nobody has.
package struct PasswordCheck: Sendable {
    /// Whether the password is the one.
    package let isRight: Bool
    /// A new hash of the right password, where the stored one was made at another cost than is asked for today.
    package let renewed: String?
    /// The costs of the hashes that were computed.
    package let computed: [PasswordHash.Cost]

    /// Checks the password against a stored hash. Without one a hash is made all the same, so that the time tells nothing.
    ///
    /// - Parameter cost: what hashes are made at today.
    package static func run(_ password: String, against hash: String?, cost: PasswordHash.Cost) throws(CryptoError) -> PasswordCheck {
        guard let hash, let known = PasswordHash(text: hash) else {
            _ = try PasswordHash.make(password, cost: cost)
            return PasswordCheck(isRight: false, renewed: nil, computed: [cost])
        }
        guard try known.verify(password) else { return PasswordCheck(isRight: false, renewed: nil, computed: [known.cost]) }
        guard known.cost != cost else { return PasswordCheck(isRight: true, renewed: nil, computed: [cost]) }
        let renewed = try PasswordHash.make(password, cost: cost).text
        return PasswordCheck(isRight: true, renewed: renewed, computed: [known.cost, cost])
    }

    /// Checks the old password and hashes the new one, where the old one is right.
    package static func exchange(
        _ old: String, for new: String, against hash: String, cost: PasswordHash.Cost
    ) throws(CryptoError) -> PasswordCheck {
        guard let known = PasswordHash(text: hash), try known.verify(old) else {
            return PasswordCheck(isRight: false, renewed: nil, computed: [cost])
        }
        return PasswordCheck(isRight: true, renewed: try PasswordHash.make(new, cost: cost).text, computed: [known.cost, cost])
    }
}
