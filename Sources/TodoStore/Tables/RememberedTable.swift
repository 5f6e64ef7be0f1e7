/// The SQL of the remembered transactions, the same for every store.
enum RememberedTable {
    /// `$1` …: user, txn, version, ids, time.
    static let insert = """
        INSERT INTO remembered (user_id, txn, version, ids, applied_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (user_id, txn) DO UPDATE SET version = $3, ids = $4, applied_at = $5
        """

    /// `$1`: user, `$2`: txn.
    static let select = "SELECT version, ids, applied_at FROM remembered WHERE user_id = $1 AND txn = $2"

    /// `$1`: the time before which records go, `$2`: how many of the oldest to look at. The rows are in the order of time, so an index on
    /// the time, which every write would pay for, is not needed.
    static let deleteOld = """
        DELETE FROM remembered WHERE applied_at < $1 AND sequence IN (SELECT sequence FROM remembered ORDER BY sequence LIMIT $2)
        """
}
