internal import Bytes
internal import Todo

extension JSONWriter {
    /// Writes a whole object: every field that clients see, in the order of the schema; null is written as null.
    mutating func object(_ object: Object) {
        let schema = object.className.schema
        beginObject()
        for place in 0..<schema.shownCount {
            field(schema.fields[place].name, object.values[place])
        }
        endObject()
    }

    /// Writes an object that holds only the fields in which `new` differs from `old`.
    mutating func changedFields(from old: Object, to new: Object) {
        let schema = new.className.schema
        beginObject()
        for place in 0..<schema.shownCount where new.values[place] != old.values[place] {
            field(schema.fields[place].name, new.values[place])
        }
        endObject()
    }

    /// Writes an array of whole objects.
    mutating func objects(_ objects: some Sequence<Object>) {
        beginArray()
        for object in objects { self.object(object) }
        endArray()
    }

    /// Writes one member whose name needs no escaping more than any other text.
    private mutating func field(_ name: String, _ value: Value) {
        key(escaping: name)
        self.value(value)
    }

    /// Writes a value as the wire has it.
    mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .boolean(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .double(let number): self.value(number)
        case .string(let text): self.value(text)
        case .date(let moment): self.value(moment.rfc3339)
        case .strings(let texts):
            beginArray()
            for text in texts { self.value(text) }
            endArray()
        }
    }
}
