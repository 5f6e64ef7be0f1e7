internal import Bytes
internal import Todo

/// What field values are given for, which decides which fields may be among them.
enum FieldUse {
    /// The `object` of `create` and `upsert`.
    case object
    /// The `set` of `update`.
    case set
    /// The `if` of `update` and `delete`.
    case condition
}

extension Parameters {
    /// The values of a member that is an object of fields.
    ///
    /// - Parameter other: a member that is no field, which the caller reads.
    func fieldValues(
        _ name: StaticString, of className: ClassName, as use: FieldUse, besides other: StaticString? = nil
    ) throws(ErrorResponse) -> FieldValues {
        try required(name) { value throws(ErrorResponse) in try value.fieldValues(of: className, as: use, besides: other) }
    }

    /// The values of `if`; none where it is absent.
    func condition(of className: ClassName) throws(ErrorResponse) -> FieldValues {
        try optional("if") { value throws(ErrorResponse) in try value.fieldValues(of: className, as: .condition) } ?? []
    }
}

extension JSONValue {
    fileprivate func fieldValues(
        of className: ClassName, as use: FieldUse, besides other: StaticString? = nil
    ) throws(ErrorResponse) -> FieldValues {
        guard let members else { throw wrongType("an object with fields of \(className.schema.nameInSentence)") }
        let schema = className.schema
        let table = FieldTable[className]
        var values: FieldValues = []
        values.reserveCapacity(members.count)
        var expected = 0
        for (key, value) in members {
            if let other, key.isString(other) { continue }
            guard let place = table.place(of: key, in: className, expected: &expected) else { throw key.unknownField(of: schema) }
            let field = schema.fields[place]
            do throws(ErrorResponse) {
                try field.checkUse(use)
                values.append((place, try value.value(of: field, as: use)))
            } catch {
                throw error.under(field.name)
            }
        }
        return values
    }

    private func unknownField(of schema: ClassSchema) -> ErrorResponse {
        let name = shortenedText
        let names = schema.fields.prefix(schema.shownCount).map(\.name)
        let near = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        let hint = near ?? "it has \(names.joined(separator: ", "))."
        return .invalid(.unknownField, "There is no field '\(name)' in \(schema.nameInSentence): \(hint)", path: name)
    }

    private func value(of field: Field, as use: FieldUse) throws(ErrorResponse) -> Value {
        let value = try value(of: field)
        let refusal = use == .condition ? field.checkKind(value) : field.check(value)
        if let refusal { throw ErrorResponse(refusal) }
        return value
    }

    private func value(of field: Field) throws(ErrorResponse) -> Value {
        switch (field.type, kind) {
        case (.date, .string):
            guard !containsNUL else { throw .nul }
            guard let utf8, let moment = Timestamp(rfc3339: utf8) else {
                throw .invalid(.invalidDate, "\(field.name) takes \(field.type.expectation).")
            }
            return .date(moment)
        case (.strings, .array): return .strings(try array { element throws(ErrorResponse) in try element.text(bytes: 0...Int.max) })
        case (.json, .null): return .null
        case (.json, _):
            guard !containsNUL else { throw .nul }
            return .json(String(decoding: rawJSON, as: UTF8.self))
        case (_, .array), (_, .object): throw wrongType(field.type.expectation)
        default: return try scalar()
        }
    }
}

extension Field {
    /// Whether a client may give the field in that place.
    fileprivate func checkUse(_ use: FieldUse) throws(ErrorResponse) {
        switch (use, keeper) {
        case (.condition, _), (_, .client), (.object, .creator): return
        case (.set, .creator): throw .invalid(.immutable, "\(name) is given when the object is created and never changes.")
        case (_, .server), (_, .hidden): throw .invalid(.keptByServer, "\(name) is kept by the server and can't be written.")
        }
    }
}
