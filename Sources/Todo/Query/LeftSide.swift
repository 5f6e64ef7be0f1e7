/// The left side of a comparison, found in the schema.
struct LeftSide {
    let subject: Subject
    /// As it was written, for messages.
    let name: String
    private let kind: Kind

    /// What a value on the right side must be.
    private enum Kind {
        case text, number, boolean, date
        /// Any JSON, of which a filter asks only whether it is there.
        case json
    }

    /// Finds a path: a field of the class, `project.FIELD` of an item, `items.@count` and, behind a quantifier, `items.FIELD` of a project.
    init(_ path: String, at position: Int, of className: ClassName, quantifier: Quantifier?) throws(Refusal) {
        name = path
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let behind = position + parts[0].utf8.count + 1
        if parts.count > 2 {
            throw .syntax(
                "\(Quotation.shortened(path)) goes over more than one relation", at: behind + parts[1].utf8.count, expected: "an operator")
        }
        if let quantifier {
            guard parts.count == 2, parts[0] == "items" else {
                throw .syntax("ANY, ALL and NONE are about items.FIELD", at: position, expected: "items.FIELD")
            }
            let place = try LeftSide.place(of: parts[1], in: .item, at: behind)
            (subject, kind) = (.itemsField(quantifier, place), try LeftSide.kind(of: place, in: .item, path: path, at: position))
        } else if parts.count == 1 {
            let place = try LeftSide.place(of: path, in: className, at: position)
            (subject, kind) = (.field(place), try LeftSide.kind(of: place, in: className, path: path, at: position))
        } else if className == .item, parts[0] == "project" {
            let place = try LeftSide.place(of: parts[1], in: .project, at: behind)
            (subject, kind) = (.projectField(place), try LeftSide.kind(of: place, in: .project, path: path, at: position))
        } else if className == .project, parts[0] == "items" {
            guard parts[1] == "@count" else {
                throw .syntax(
                    "A project has many items", at: position,
                    expected: "ANY, ALL or NONE before \(Quotation.shortened(path)), or items.@count")
            }
            // The server keeps the count on the project itself, in the transaction that changes it.
            (subject, kind) = (.field(ProjectField.itemCount), .number)
        } else {
            throw LeftSide.unknown(path, in: className, at: position)
        }
    }

    private static func place(of name: String, in className: ClassName, at position: Int) throws(Refusal) -> Int {
        guard let place = className.schema.place(of: name) else { throw unknown(name, in: className, at: position) }
        return place
    }

    private static func kind(of place: Int, in className: ClassName, path: String, at position: Int) throws(Refusal) -> Kind {
        switch className.schema.fields[place].type {
        case .string, .id, .permissionId, .word: return .text
        case .integer: return .number
        case .boolean: return .boolean
        case .date: return .date
        case .json: return .json
        case .strings:
            throw Refusal(
                .invalid, "wrongType", "\(path) is an array, which a filter can't compare.", path: "filter", position: position,
                expected: "a field that is no array")
        }
    }

    private static func unknown(_ name: String, in className: ClassName, at position: Int) -> Refusal {
        .unknownField(name, in: className, path: "filter", position: position)
    }
}

extension LeftSide {
    var isText: Bool { kind == .text }

    var typeName: String {
        switch kind {
        case .text: "a text"
        case .number: "a whole number"
        case .boolean: "true or false"
        case .date: "a date"
        case .json: "any JSON"
        }
    }

    var operatorsExpected: String {
        switch kind {
        case .text: "one of == != < <= > >= IN BETWEEN BEGINSWITH ENDSWITH CONTAINS LIKE"
        case .number, .date: "one of == != < <= > >= IN BETWEEN"
        case .boolean: "one of == != IN"
        case .json: "== NULL or != NULL"
        }
    }

    var valueExpected: String {
        switch kind {
        case .text: "a quoted text, a place or NULL"
        case .number: "a number, a place or NULL"
        case .boolean: "TRUE, FALSE, a place or NULL"
        case .date: "a quoted RFC 3339 date, a place or NULL"
        case .json: "NULL"
        }
    }

    func allows(_ operation: ComparisonOperator) -> Bool {
        switch operation {
        case .equal, .notEqual: true
        case .among: kind != .json
        case .order, .between: kind != .boolean && kind != .json
        case .beginsWith, .endsWith, .contains, .like: kind == .text
        }
    }

    /// The operand's value as one of the field's own type, or null.
    func value(_ operand: Operand) throws(Refusal) -> Value {
        guard case .value(let value) = operand.argument else {
            throw operand.wrong("\(name) is \(typeName) and can't be compared with an array.", expected: valueExpected)
        }
        switch (kind, value) {
        case (_, .null), (.text, .string), (.number, .integer), (.boolean, .boolean), (.date, .date): return value
        case (.number, .double(let number)):
            guard number.isFinite else { break }
            return Int64(exactly: number).map(Value.integer) ?? value
        case (.date, .string(let text)):
            guard let moment = Timestamp(rfc3339: text) else {
                throw operand.wrong(
                    "\(name) is a date, and “\(Quotation.shortened(text))” is not one as RFC 3339 writes it.",
                    expected: "a date such as '2026-11-30T01:02:03Z'")
            }
            return .date(moment)
        default: break
        }
        throw operand.wrong("\(name) is \(typeName) and can't be compared with \(value.described).", expected: valueExpected)
    }
}

extension Value {
    fileprivate var described: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "the number \(value)"
        case .double(let value): "the number \(value)"
        case .string: "a text"
        case .date: "a date"
        case .strings: "an array"
        case .json: "JSON"
        }
    }
}
