internal import Bytes
internal import Todo

extension JSONWriter {
    /// Writes a whole object: every field that clients see, in the order of the schema; null is written as null.
    mutating func object(_ object: Object) {
        let keys = FieldTable[object.className].keys
        beginObject()
        for place in keys.indices {
            key(encoded: keys[place])
            value(object.values[place])
        }
        endObject()
    }

    /// Writes an object that holds only the fields in which `new` differs from `old`.
    mutating func changedFields(from old: Object, to new: Object) {
        let keys = FieldTable[new.className].keys
        beginObject()
        for place in keys.indices where new.values[place] != old.values[place] {
            key(encoded: keys[place])
            value(new.values[place])
        }
        endObject()
    }

    /// Writes a text, or null where there is none.
    mutating func optional(_ text: String?) {
        if let text { value(text) } else { null() }
    }

    /// Writes an array of whole objects.
    mutating func objects(_ objects: some Sequence<Object>) {
        beginArray()
        for object in objects { self.object(object) }
        endArray()
    }

    /// Writes a value as the wire has it.
    mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .boolean(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .double(let number): self.value(number)
        case .string(let text): self.value(text)
        case .date(let moment):
            string(upTo: Timestamp.rfc3339Length) { buffer in
                moment.writeRFC3339(to: buffer)
                return Timestamp.rfc3339Length
            }
        case .json(let text):
            var text = text
            text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
        case .strings(let texts):
            beginArray()
            for text in texts { self.value(text) }
            endArray()
        }
    }
}
