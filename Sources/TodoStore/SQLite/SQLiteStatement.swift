import CSQLite
import Todo

/// A prepared statement, owned: bind its values (places count from 1), step through its rows, reset.
struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer
    let connection: SQLiteConnection

    init(_ connection: SQLiteConnection, _ sql: String) throws(StoreFailure) {
        var prepared: OpaquePointer?
        // Persistent: SQLite then does not take the memory from a small pool that is meant for short-lived statements.
        let code = sqlite3_prepare_v3(connection.open, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.note(connection.failure(code)) }
        self.connection = connection
        handle = prepared
    }

    deinit {
        // A closed connection has ended its statements already.
        if connection.isOpen { sqlite3_finalize(handle) }
    }

    /// Moves to the next row; `false` behind the last one, and the statement is reset then and on failure.
    func step() throws(StoreFailure) -> Bool {
        precondition(connection.isOpen, "a statement is used after its connection was closed")
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        defer { reset() }
        guard code == SQLITE_DONE else { throw connection.note(connection.failure(code)) }
        return false
    }

    /// Runs a statement that gives no rows.
    func run() throws(StoreFailure) {
        while try step() {}
    }

    /// Ends the reading of rows and lets go of the bound values.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}

extension SQLiteStatement {
    func bind(_ value: Int64, at place: Int32) throws(StoreFailure) {
        try check(sqlite3_bind_int64(handle, place, value))
    }

    func bind(_ value: Double, at place: Int32) throws(StoreFailure) {
        try check(sqlite3_bind_double(handle, place, value))
    }

    func bind(_ value: String, at place: Int32) throws(StoreFailure) {
        var text = value
        // With its length: a text may hold any byte.
        let code = text.withUTF8 { bytes in
            // An empty text may have no address, which SQLite would take for NULL.
            guard let start = bytes.baseAddress else { return sqlite3_bind_text_copy(handle, place, "", 0) }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                sqlite3_bind_text_copy(handle, place, $0, Int32(bytes.count))
            }
        }
        try check(code)
    }

    func bind(_ value: String?, at place: Int32) throws(StoreFailure) {
        if let value { try bind(value, at: place) } else { try bindNull(at: place) }
    }

    func bind(_ value: [UInt8], at place: Int32) throws(StoreFailure) {
        let code = value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, place, 0) }
            return sqlite3_bind_blob_copy(handle, place, start, Int32(bytes.count))
        }
        try check(code)
    }

    func bindNull(at place: Int32) throws(StoreFailure) {
        try check(sqlite3_bind_null(handle, place))
    }

    /// Binds a field's value as its column holds it.
    func bind(_ value: Value, at place: Int32) throws(StoreFailure) {
        switch value {
        case .null: try bindNull(at: place)
        case .boolean(let content): try bind(content ? 1 : 0 as Int64, at: place)
        case .integer(let content): try bind(content, at: place)
        case .double(let content): try bind(content, at: place)
        case .string(let content), .json(let content): try bind(content, at: place)
        case .date(let content): try bind(content.milliseconds, at: place)
        case .strings(let content):
            var writer = RecordWriter()
            if !content.isEmpty { writer.texts(content) }
            try bind(writer.bytes, at: place)
        }
    }

    private func check(_ code: Int32) throws(StoreFailure) {
        guard code == SQLITE_OK else { throw connection.note(connection.failure(code)) }
    }
}

extension SQLiteStatement {
    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func timestamp(_ column: Int32) -> Timestamp {
        Timestamp(milliseconds: integer(column))
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// The object of the present row, whose columns are the fields of the table.
    func object(_ table: ClassTable) throws(StoreFailure) -> Object {
        var values: [Value] = []
        values.reserveCapacity(table.kinds.count)
        for (place, kind) in table.kinds.enumerated() {
            let column = Int32(place)
            if isNull(column) {
                guard table.className.schema.fields[place].isOptional else {
                    throw SQLiteFailure.damaged(
                        connection.path, "\(table.name) has a row without \(table.className.schema.fields[place].name)")
                }
                values.append(.null)
                continue
            }
            switch kind {
            case .text: values.append(.string(text(column)))
            case .boolean: values.append(.boolean(integer(column) != 0))
            case .integer: values.append(.integer(integer(column)))
            case .date: values.append(.date(timestamp(column)))
            case .texts: values.append(.strings(try texts(column)))
            }
        }
        return Object(table.className, values)
    }

    private func texts(_ column: Int32) throws(StoreFailure) -> [String] {
        let bytes = bytes(column)
        guard !bytes.isEmpty else { return [] }
        var reader = RecordReader(bytes)
        do { return try reader.texts() } catch { throw SQLiteFailure.damaged(connection.path, "a list of texts cannot be read") }
    }
}
