import Todo

/// The table of a class: one column a field, with the field's name. Every store speaks to it with the SQL that is made here.
///
/// Values are bound in the order of their first `$n`, so that the numbers mean the same to SQLite and PostgreSQL.
struct ClassTable {
    /// How a column holds the values of its field.
    enum ColumnKind {
        /// UTF-8, byte for byte.
        case text
        /// 0 or 1.
        case boolean
        /// A whole number.
        case integer
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case date
        /// The texts in the form of `RecordWriter.texts`.
        case texts
    }

    let className: ClassName
    let name: String
    let kinds: [ColumnKind]
    private let columns: [String]

    /// The class's table.
    static func of(_ className: ClassName) -> ClassTable { all[Int(className.rawValue)] }

    private static let all = ClassName.stored.map { ClassTable($0) }

    private init(_ className: ClassName) {
        self.className = className
        // In the plural, as `user` is a word of SQL.
        name = className.name.lowercased() + "s"
        columns = className.schema.fields.map { Self.quoted($0.name) }
        kinds = className.schema.fields.map { Self.kind(of: $0.type) }
    }

    /// Field names keep their case only in quotes.
    static func quoted(_ fieldName: String) -> String { "\"\(fieldName)\"" }

    private static func kind(of type: FieldType) -> ColumnKind {
        switch type {
        case .string, .id, .permissionId, .word: .text
        case .boolean: .boolean
        case .integer: .integer
        case .date: .date
        case .strings: .texts
        case .json: preconditionFailure("a field of any JSON belongs to a volatile class, which has no table")
        }
    }

    private var selection: String { "SELECT \(columns.joined(separator: ", ")) FROM \(name)" }

    /// `$1`: the key.
    var selectByKey: String { "\(selection) WHERE \(columns[0]) = $1" }

    /// `$1` …: all values.
    var insert: String {
        let places = (1...columns.count).map { "$\($0)" }
        return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    }

    /// `$1` …: the values of those places, then the key.
    func update(_ places: [Int]) -> String {
        let assignments = places.enumerated().map { "\(columns[$1]) = $\($0 + 1)" }
        return "UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE \(columns[0]) = $\(places.count + 1)"
    }

    /// `$1`: the key.
    var delete: String { "DELETE FROM \(name) WHERE \(columns[0]) = $1" }

    /// `$1` …: the terms' values.
    func select(where terms: [Term]) -> String {
        guard !terms.isEmpty else { return selection }
        let conditions = terms.enumerated().map { "\(columns[$1.place]) \($1.comparison.sql) $\($0 + 1)" }
        return "\(selection) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// The objects with that value in the field, in the order in which they were inserted. `$1`: the value.
    func selectInOrderOfInsertion(whereFieldAt place: Int) -> String {
        "\(selection) WHERE \(columns[place]) = $1 ORDER BY sequence"
    }

    /// Those terms that SQL decides as the predicate does; at most eight, as each combination of terms is a statement to keep.
    func usable(_ terms: [Term]) -> [Term] {
        Array(terms.lazy.filter(isUsable).prefix(8))
    }

    private func isUsable(_ term: Term) -> Bool {
        switch (kinds[term.place], term.value) {
        case (.text, .string), (.integer, .integer), (.integer, .double), (.date, .date): true
        case (.boolean, .boolean): term.comparison == .equal
        default: false
        }
    }
}

extension Term.Comparison {
    fileprivate var sql: String {
        switch self {
        case .equal: "="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
