/// The SQL of the invitations, the same for every store.
enum InvitationTable {
    private static let columns = "id, code_hash, project_id, role, created_by, created_at, expires_at, uses_left"

    /// `$1` …: the columns.
    static let insert = "INSERT INTO invitations (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    /// `$1`: the code's hash.
    static let selectByCode = "SELECT \(columns) FROM invitations WHERE code_hash = $1"
    /// `$1`: the id.
    static let select = "SELECT \(columns) FROM invitations WHERE id = $1"
    /// `$1`: the project; the oldest first.
    static let selectOfProject = "SELECT \(columns) FROM invitations WHERE project_id = $1 ORDER BY created_at, id"
    /// `$1`: how many may still take it, `$2`: the id.
    static let setUsesLeft = "UPDATE invitations SET uses_left = $1 WHERE id = $2"
    /// `$1`: the id.
    static let delete = "DELETE FROM invitations WHERE id = $1"
    /// `$1`: the project.
    static let deleteOfProject = "DELETE FROM invitations WHERE project_id = $1"
    /// `$1`: now, `$2`: how many.
    static let deleteExpired = "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= $1 LIMIT $2)"
}
