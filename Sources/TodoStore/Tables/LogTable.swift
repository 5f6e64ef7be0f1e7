/// The SQL of the change log, the same for every store.
///
/// One row an object that a transaction changed: `version`, `ordinal` (its place in the transaction), `class_id`, `object_key`, `kind`,
/// `project_id` (of the object, as it became), `earlier_project_id` (where it moved), `written_at`, `written_by`,
/// `log_bytes` (of all rows ever written up to this one), `before_fields` and `after_fields` (see `FieldNumbers`).
enum LogTable {
    static let insert = """
        INSERT INTO log (version, ordinal, class_id, object_key, kind, project_id, earlier_project_id, written_at, written_by, log_bytes, \
        before_fields, after_fields) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """

    /// The last row: version and log_bytes. The last entry of the log is never removed, so its version is the store's.
    static let last = "SELECT version, log_bytes FROM log ORDER BY version DESC, ordinal DESC LIMIT 1"

    /// The oldest row: version and ordinal. An entry whose first row is gone is not whole any more.
    static let oldest = "SELECT version, ordinal FROM log ORDER BY version, ordinal LIMIT 1"

    /// `$1`: the version behind which to begin; the newest row first.
    static let since = """
        SELECT version, class_id, object_key, kind, written_by, before_fields FROM log \
        WHERE version > $1 ORDER BY version DESC, ordinal DESC
        """

    private static let historySelection = """
        SELECT version, ordinal, class_id, object_key, kind, written_at, written_by, before_fields, after_fields, \
        earlier_project_id FROM log
        """

    /// `$1`: the project, `$2`: the version before which to begin; the newest row first.
    static let historyOfProject = """
        \(historySelection) WHERE project_id = $1 AND version < $2 \
        UNION ALL \(historySelection) WHERE earlier_project_id = $1 AND version < $2 \
        ORDER BY version DESC, ordinal DESC
        """

    /// `$1`: the project, `$2`: the version before which to begin, `$3`: the key, `$4`: the class; the newest row first.
    ///
    /// It goes through the project's rows: an index by key would double what it costs to log a small update, for the sake of a rare question.
    static let historyOfObject = """
        \(historySelection) WHERE project_id = $1 AND version < $2 AND object_key = $3 AND class_id = $4 \
        ORDER BY version DESC, ordinal DESC
        """

    /// `$1`: how many rows; the oldest first.
    static let oldestRows = "SELECT version, ordinal, written_at, log_bytes FROM log ORDER BY version, ordinal LIMIT $1"

    /// `$1`: the version up to which whole entries are removed.
    static let deleteThrough = "DELETE FROM log WHERE version <= $1"

    /// `$1`: the version, `$2`: the ordinal up to which its rows are removed.
    static let deletePart = "DELETE FROM log WHERE version = $1 AND ordinal <= $2"
}
