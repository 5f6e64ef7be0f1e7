public import Todo

extension SQLiteStore {
    /// The account of that provider and subject.
    public func account(provider: String, subject: String) throws(StoreFailure) -> Account? {
        try accounts.account(provider: provider, subject: subject)
    }

    /// The accounts of a user, ordered by provider and subject.
    public func accounts(ofUser userId: String) throws(StoreFailure) -> [Account] {
        try accounts.accounts(ofUser: userId)
    }

    /// Adds an account; `false`, with nothing written, where its provider and subject are taken.
    public func insertAccount(_ account: Account) throws(StoreFailure) -> Bool {
        try requireTransaction()
        return try accounts.insert(account)
    }

    /// Replaces the password's hash; `false` where there is no such account.
    @discardableResult
    public func setPasswordHash(_ hash: String?, provider: String, subject: String) throws(StoreFailure) -> Bool {
        try requireTransaction()
        return try accounts.setPasswordHash(hash, provider: provider, subject: subject)
    }

    /// Suspends all accounts of a user, or lifts that.
    public func setSuspended(_ isSuspended: Bool, user userId: String) throws(StoreFailure) {
        try requireTransaction()
        try accounts.setSuspended(isSuspended, user: userId)
    }

    /// Removes the accounts of a user and gives the user's name free.
    public func deleteAccounts(ofUser userId: String) throws(StoreFailure) {
        try requireTransaction()
        try accounts.deleteAccounts(ofUser: userId)
    }

    /// Makes the name that user's only one; `false`, with nothing written, where another user has it.
    public func claimName(_ normalisedName: String, user userId: String) throws(StoreFailure) -> Bool {
        try requireTransaction()
        return try accounts.claimName(normalisedName, user: userId)
    }

    /// When the user was last seen, as far as tokens tell, those that are gone among them; `nil` where it never had any.
    public func lastSeen(ofUser userId: String) throws(StoreFailure) -> Timestamp? {
        try accounts.lastSeen(ofUser: userId)
    }

    /// Adds a token.
    public func insertToken(_ token: TokenRecord) throws(StoreFailure) {
        try requireTransaction()
        try accounts.insertToken(token)
    }

    /// The token of that hash, even where it has expired.
    public func token(hash: [UInt8]) throws(StoreFailure) -> TokenRecord? {
        try accounts.token(hash: hash)
    }

    /// The tokens of a user, the oldest first.
    public func tokens(ofUser userId: String) throws(StoreFailure) -> [TokenRecord] {
        try accounts.tokens(ofUser: userId)
    }

    /// Records that a token was used, and until when it lives now.
    public func touchToken(hash: [UInt8], lastSeenAt: Timestamp, expiresAt: Timestamp) throws(StoreFailure) {
        try requireTransaction()
        try accounts.touchToken(hash: hash, lastSeenAt: lastSeenAt, expiresAt: expiresAt)
    }

    /// Removes a token; `false` where there is none.
    @discardableResult
    public func deleteToken(hash: [UInt8]) throws(StoreFailure) -> Bool {
        try requireTransaction()
        return try accounts.deleteToken(hash: hash)
    }

    /// Removes all tokens of a user and gives their hashes.
    public func deleteTokens(ofUser userId: String) throws(StoreFailure) -> [[UInt8]] {
        try requireTransaction()
        return try accounts.deleteTokens(ofUser: userId)
    }
}
