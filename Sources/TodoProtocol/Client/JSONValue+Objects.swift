internal import Bytes
internal import Todo

/// Reading of what the server wrote: it is trusted to mean well, not to be right.
extension JSONValue {
    /// The member of that name, which must be there.
    func needed(_ name: StaticString) throws(ServerMessageFault) -> JSONValue {
        guard let value = self[name] else { throw ServerMessageFault(message: "'\(name)' is missing in a message of the server.") }
        return value
    }

    /// A text.
    func neededText() throws(ServerMessageFault) -> String {
        guard let string else { throw fault("a string") }
        return string
    }

    /// A whole number.
    func neededInteger() throws(ServerMessageFault) -> Int64 {
        guard let int64 else { throw fault("a whole number") }
        return int64
    }

    /// A place in a list.
    func neededIndex() throws(ServerMessageFault) -> Int {
        guard let int64, int64 >= 0 else { throw fault("a place in a list") }
        return Int(int64)
    }

    /// A date.
    func neededDate() throws(ServerMessageFault) -> Timestamp {
        guard let utf8, let moment = Timestamp(rfc3339: utf8) else { throw fault("a date") }
        return moment
    }

    /// An array's elements.
    func neededElements() throws(ServerMessageFault) -> JSONElements {
        guard let elements else { throw fault("an array") }
        return elements
    }

    /// An object's members.
    func neededMembers() throws(ServerMessageFault) -> JSONMembers {
        guard let members else { throw fault("an object") }
        return members
    }

    /// An array of texts and nulls.
    func optionalTexts() throws(ServerMessageFault) -> [String?] {
        let elements = try neededElements()
        var texts: [String?] = []
        texts.reserveCapacity(elements.count)
        for element in elements { texts.append(element.isNull ? nil : try element.neededText()) }
        return texts
    }

    /// An array of whole objects.
    func objects(of className: ClassName) throws(ServerMessageFault) -> [Object] {
        let elements = try neededElements()
        var objects: [Object] = []
        objects.reserveCapacity(elements.count)
        for element in elements { objects.append(try element.object(of: className)) }
        return objects
    }

    /// A whole object. Fields that the server hides, or does not know, are null or have their default.
    func object(of className: ClassName) throws(ServerMessageFault) -> Object {
        let schema = className.schema
        let table = FieldTable[className]
        var values = table.initial
        var expected = 0
        for (key, json) in try neededMembers() {
            guard let place = table.place(of: key, in: className, expected: &expected) else { continue }
            values[place] = try json.value(of: schema.fields[place])
        }
        for place in table.neededPlaces where values[place].isNull {
            throw ServerMessageFault(message: "The server sent \(schema.nameInSentence) without '\(schema.fields[place].name)'.")
        }
        return Object(className, values)
    }

    /// Some fields of an object.
    func values(of className: ClassName) throws(ServerMessageFault) -> FieldValues {
        let schema = className.schema
        let members = try neededMembers()
        var values: FieldValues = []
        values.reserveCapacity(members.count)
        let table = FieldTable[className]
        var expected = 0
        for (key, json) in members {
            guard let place = table.place(of: key, in: className, expected: &expected) else { continue }
            values.append((place, try json.value(of: schema.fields[place])))
        }
        return values
    }

    private func value(of field: Field) throws(ServerMessageFault) -> Value {
        switch (kind, field.type) {
        case (.null, _) where field.isOptional: .null
        case (_, .json): .json(String(decoding: rawJSON, as: UTF8.self))
        case (.bool, .boolean): .boolean(bool == true)
        case (.number, .integer): .integer(try neededInteger())
        case (.string, .date): .date(try neededDate())
        case (.string, .string), (.string, .id), (.string, .permissionId), (.string, .word): .string(try neededText())
        case (.array, .strings): .strings(try optionalTexts().compactMap { $0 })
        default: throw fault(field.type.expectation)
        }
    }

    private func fault(_ expected: String) -> ServerMessageFault {
        let raw = rawJSON
        let shown = String(decoding: raw.prefix(80), as: UTF8.self)
        return ServerMessageFault(message: "Instead of \(expected) a message of the server has \(shown)\(raw.count > 80 ? "…" : "").")
    }
}
