package import Todo

/// The steps that bring a database file from any earlier form to the present one.
///
/// `PRAGMA user_version` says how many of them a file has behind it. A step that has shipped is never changed; a new one goes to the end.
/// For a new field of the schema the step is `addMissingColumns`.
package enum SQLiteMigrations {
    /// A step. It runs within the transaction of all steps that a file lacks.
    package typealias Migration = @Sendable (SQLiteConnection) throws(StoreFailure) -> Void

    /// The steps, in the order in which they came.
    package static let all: [Migration] = [createTables, addSharing, keepLastSeen, addHistoryMark]

    /// The first form that knows of marks.
    static let formWithMarks: Int64 = 4

    /// Marks a file as a TodoSync store: "TDSY".
    static let applicationId: Int64 = 0x5444_5359

    /// Applies the steps that the file lacks, all or none.
    package static func apply(_ migrations: [Migration] = all, to connection: SQLiteConnection) throws(StoreFailure) {
        let applied = try connection.integer("PRAGMA user_version") ?? 0
        try refuseForeign(connection, applied: applied)
        guard applied <= migrations.count else {
            throw StoreFailure(
                "\(connection.path) was written by a newer version of the server (form \(applied), this one knows \(migrations.count)): "
                    + "start that version, or restore a backup that was made with this one.")
        }
        guard applied < migrations.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            for migration in migrations[Int(applied)...] { try migration(connection) }
            try connection.execute("PRAGMA user_version = \(migrations.count)")
            try connection.execute("PRAGMA application_id = \(applicationId)")
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func refuseForeign(_ connection: SQLiteConnection, applied: Int64) throws(StoreFailure) {
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        if isEmpty && applied == 0 { return }
        guard try connection.integer("PRAGMA application_id") == applicationId else {
            throw StoreFailure("\(connection.path) is the database of another program: choose another --data folder.")
        }
    }

    /// The first form of the store.
    ///
    /// The tables of the classes have a rowid, `sequence`: permissions are listed by it, the oldest first; and rows with random keys are
    /// appended at the end of the table instead of written all over it.
    private static let createTables: Migration = { connection throws(StoreFailure) in
        for className in ClassName.stored {
            let table = ClassTable.of(className)
            let columns = className.schema.fields.indices.map { column(table, $0) }
            try connection.execute("CREATE TABLE \(table.name) (sequence INTEGER PRIMARY KEY, \(columns.joined(separator: ", "))) STRICT")
        }
        try connection.execute(
            """
            CREATE INDEX projects_owner ON projects ("owner", "access");
            CREATE INDEX projects_access ON projects ("access");
            CREATE INDEX items_place ON items ("projectId", "position");
            CREATE INDEX items_assignee ON items ("assignee") WHERE "assignee" IS NOT NULL;
            CREATE INDEX permissions_project ON permissions ("projectId");
            CREATE INDEX permissions_user ON permissions ("userId");
            CREATE INDEX users_name ON users ("name");

            CREATE TABLE store (epoch TEXT NOT NULL) STRICT;
            CREATE TABLE log_fields (
                number INTEGER PRIMARY KEY, class_name TEXT NOT NULL, field_name TEXT NOT NULL, UNIQUE (class_name, field_name)) STRICT;
            CREATE TABLE log (
                version INTEGER NOT NULL, ordinal INTEGER NOT NULL,
                class_id INTEGER NOT NULL, object_key TEXT NOT NULL, kind INTEGER NOT NULL, project_id TEXT, earlier_project_id TEXT,
                written_at INTEGER NOT NULL, written_by TEXT, log_bytes INTEGER NOT NULL, before_fields BLOB, after_fields BLOB,
                PRIMARY KEY (version, ordinal)) STRICT, WITHOUT ROWID;
            CREATE INDEX log_project ON log (project_id, version) WHERE project_id IS NOT NULL;
            CREATE INDEX log_earlier_project ON log (earlier_project_id, version) WHERE earlier_project_id IS NOT NULL;
            CREATE TABLE remembered (
                sequence INTEGER PRIMARY KEY, user_id TEXT NOT NULL, txn TEXT NOT NULL, version INTEGER NOT NULL, ids BLOB NOT NULL,
                applied_at INTEGER NOT NULL, UNIQUE (user_id, txn)) STRICT;

            CREATE TABLE accounts (
                user_id TEXT NOT NULL, provider TEXT NOT NULL, subject TEXT NOT NULL, password_hash TEXT, is_suspended INTEGER NOT NULL,
                created_at INTEGER NOT NULL, PRIMARY KEY (provider, subject)) STRICT, WITHOUT ROWID;
            CREATE INDEX accounts_user ON accounts (user_id);
            CREATE TABLE user_names (name TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX user_names_user ON user_names (user_id);
            CREATE TABLE tokens (
                hash BLOB NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
                last_seen_at INTEGER NOT NULL, user_agent TEXT) STRICT, WITHOUT ROWID;
            CREATE INDEX tokens_user ON tokens (user_id, created_at);
            CREATE INDEX tokens_expiry ON tokens (expires_at);
            """)
        let epoch = try SQLiteStatement(connection, "INSERT INTO store (epoch) VALUES ($1)")
        try epoch.bind(Epoch.random(), at: 1)
        try epoch.run()
    }

    /// Invitations, by the hash of their code; and indexes that find what names a user in a project.
    private static let addSharing: Migration = { connection throws(StoreFailure) in
        try connection.execute(
            """
            CREATE TABLE invitations (
                id TEXT NOT NULL PRIMARY KEY, code_hash BLOB NOT NULL UNIQUE, project_id TEXT NOT NULL, role TEXT NOT NULL,
                created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, uses_left INTEGER NOT NULL)
                STRICT, WITHOUT ROWID;
            CREATE INDEX invitations_project ON invitations (project_id, created_at);
            CREATE INDEX invitations_expiry ON invitations (expires_at);
            CREATE INDEX items_creator ON items ("createdBy", "projectId");
            CREATE INDEX items_assignee_project ON items ("assignee", "projectId") WHERE "assignee" IS NOT NULL;
            """)
    }

    /// Of a token that goes, whatever takes it, it is kept when its user was seen.
    private static let keepLastSeen: Migration = { connection throws(StoreFailure) in
        try connection.execute(
            """
            ALTER TABLE accounts ADD COLUMN last_seen_at INTEGER;
            CREATE TRIGGER tokens_last_seen BEFORE DELETE ON tokens BEGIN
                UPDATE accounts SET last_seen_at = max(coalesce(last_seen_at, 0), OLD.last_seen_at) WHERE user_id = OLD.user_id;
            END;
            """)
    }

    /// The mark by which a database knows its own folder: one row, once there is one.
    private static let addHistoryMark: Migration = { connection throws(StoreFailure) in
        try connection.execute(
            """
            CREATE TABLE history_mark (
                only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL, inode INTEGER NOT NULL, born_at INTEGER, changed_at INTEGER,
                database_inode INTEGER NOT NULL, database_born_at INTEGER) STRICT;
            """)
    }

    /// Adds the columns of those fields that the schema has and the file has not, each holding the field's initial value.
    package static func addMissingColumns(of className: ClassName, _ connection: SQLiteConnection) throws(StoreFailure) {
        let table = ClassTable.of(className)
        for place in className.schema.fields.indices {
            let name = className.schema.fields[place].name
            let statement = try SQLiteStatement(connection, "SELECT 1 FROM pragma_table_info('\(table.name)') WHERE name = $1")
            try statement.bind(name, at: 1)
            if try !statement.step() { try connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(column(table, place))") }
        }
    }

    private static func column(_ table: ClassTable, _ place: Int) -> String {
        let field = table.className.schema.fields[place]
        let type =
            switch table.kinds[place] {
            case .text: "TEXT"
            case .boolean, .integer, .date: "INTEGER"
            case .texts: "BLOB"
            }
        let name = ClassTable.quoted(field.name)
        if place == 0 { return "\(name) \(type) NOT NULL UNIQUE" }
        if field.isOptional { return "\(name) \(type)" }
        return "\(name) \(type) NOT NULL\(defaultClause(field.initial))"
    }

    /// SQLite adds a column that must not be null only with what the rows that exist shall hold.
    private static func defaultClause(_ initial: Value?) -> String {
        switch initial {
        case .boolean(let value): " DEFAULT \(value ? 1 : 0)"
        case .integer(let value): " DEFAULT \(value)"
        case .date(let value): " DEFAULT \(value.milliseconds)"
        case .string(let value): " DEFAULT '\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
        case .strings: " DEFAULT x''"
        case .json: preconditionFailure("a field of any JSON belongs to a volatile class, which has no table")
        case .null, .double, nil: ""
        }
    }
}
