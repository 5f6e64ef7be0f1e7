/// The SQL of accounts, user names and tokens, the same for every store.
enum AccountTable {
    private static let columns = "user_id, provider, subject, password_hash, is_suspended, created_at"

    /// `$1` …: the columns.
    static let insert = "INSERT INTO accounts (\(columns)) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (provider, subject) DO NOTHING"
    /// `$1`: provider, `$2`: subject.
    static let select = "SELECT \(columns) FROM accounts WHERE provider = $1 AND subject = $2"
    /// `$1`: user.
    static let selectOfUser = "SELECT \(columns) FROM accounts WHERE user_id = $1 ORDER BY provider, subject"
    /// `$1`: hash, `$2`: provider, `$3`: subject.
    static let setPasswordHash = "UPDATE accounts SET password_hash = $1 WHERE provider = $2 AND subject = $3"
    /// `$1`: 0 or 1, `$2`: user.
    static let setSuspended = "UPDATE accounts SET is_suspended = $1 WHERE user_id = $2"
    /// `$1`: user. What its accounts keep of tokens that are gone, and what its tokens say.
    static let selectLastSeen = """
        SELECT last_seen_at FROM accounts WHERE user_id = $1 AND last_seen_at IS NOT NULL
        UNION ALL SELECT last_seen_at FROM tokens WHERE user_id = $1
        """
    /// `$1`: user.
    static let deleteOfUser = "DELETE FROM accounts WHERE user_id = $1"
}

/// The SQL of the names by which users are found.
enum UserNameTable {
    /// `$1`: name, `$2`: user. Does nothing where the name is taken.
    static let insert = "INSERT INTO user_names (name, user_id) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
    /// `$1`: name.
    static let select = "SELECT user_id FROM user_names WHERE name = $1"
    /// `$1`: user, `$2`: the name to keep.
    static let deleteOthers = "DELETE FROM user_names WHERE user_id = $1 AND name <> $2"
    /// `$1`: user.
    static let deleteOfUser = "DELETE FROM user_names WHERE user_id = $1"
}

/// The SQL of the tokens.
enum TokenTable {
    private static let columns = "hash, user_id, created_at, expires_at, last_seen_at, user_agent"

    /// `$1` …: the columns.
    static let insert = "INSERT INTO tokens (\(columns)) VALUES ($1, $2, $3, $4, $5, $6)"
    /// `$1`: hash.
    static let select = "SELECT \(columns) FROM tokens WHERE hash = $1"
    /// `$1`: user.
    static let selectOfUser = "SELECT \(columns) FROM tokens WHERE user_id = $1 ORDER BY created_at, hash"
    /// `$1`: last seen, `$2`: expiry, `$3`: hash.
    static let touch = "UPDATE tokens SET last_seen_at = $1, expires_at = $2 WHERE hash = $3"
    /// `$1`: hash.
    static let delete = "DELETE FROM tokens WHERE hash = $1"
    /// `$1`: user.
    static let deleteOfUser = "DELETE FROM tokens WHERE user_id = $1"
    /// `$1`: the latest expiry, `$2`: how many.
    static let deleteExpired = "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT $2)"
}
