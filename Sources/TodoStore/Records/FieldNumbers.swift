package import Todo

/// The numbers under which the change log names the fields of the classes.
///
/// They are assigned by the store when it first meets a field and never change, so entries of the log stay readable whatever happens to
/// the order of the schema: a field that has gone is skipped, a field that came later holds its initial value.
package struct FieldNumbers: Sendable {
    /// Which field has which number; the names are those of the schema.
    package struct Assignment: Sendable, Hashable {
        /// The class's name.
        package let className: String
        /// The field's name.
        package let fieldName: String
        /// The number, from 1 on.
        package let number: Int64

        /// The field of that class under that number.
        package init(className: String, fieldName: String, number: Int64) {
            self.className = className
            self.fieldName = fieldName
            self.number = number
        }
    }

    private var numbers: [[UInt64]]
    private var places: [[UInt64: Int]]

    /// The numbers as the store has them; those of fields that the schema does not have are left out.
    package init(_ assignments: [Assignment]) {
        numbers = ClassName.stored.map { [UInt64](repeating: 0, count: $0.schema.fields.count) }
        places = ClassName.stored.map { _ in [:] }
        for assignment in assignments where assignment.number > 0 {
            // Hidden fields too: the log has all that an object is made of.
            guard let className = ClassName(name: assignment.className),
                let place = className.schema.fields.firstIndex(where: { $0.name == assignment.fieldName })
            else { continue }
            numbers[Int(className.rawValue)][place] = UInt64(assignment.number)
            places[Int(className.rawValue)][UInt64(assignment.number)] = place
        }
    }

    /// The assignments that are still missing for the present schema, numbered behind the given ones.
    package static func missing(from assignments: [Assignment]) -> [Assignment] {
        let known = Set(assignments.map { [$0.className, $0.fieldName] })
        var last = assignments.map(\.number).max() ?? 0
        var missing: [Assignment] = []
        for className in ClassName.stored {
            for field in className.schema.fields where !known.contains([className.name, field.name]) {
                last += 1
                missing.append(Assignment(className: className.name, fieldName: field.name, number: last))
            }
        }
        return missing
    }

    /// All fields of an object but its key, which stands beside them, and those that are null.
    package func encode(_ object: Object) -> [UInt8] {
        var writer = RecordWriter()
        let numbers = numbers[Int(object.className.rawValue)]
        for place in 1..<object.values.count where !object.values[place].isNull {
            writer.unsigned(numbers[place])
            writer.value(object.values[place])
        }
        return writer.bytes
    }

    /// The fields of `object` in which it differs from `other`.
    package func encode(_ object: Object, differingFrom other: Object) -> [UInt8] {
        var writer = RecordWriter()
        let numbers = numbers[Int(object.className.rawValue)]
        for place in 1..<object.values.count where object.values[place] != other.values[place] {
            writer.unsigned(numbers[place])
            writer.value(object.values[place])
        }
        return writer.bytes
    }

    /// The fields that were encoded, without those that the schema does not have any more.
    package func decode(_ bytes: [UInt8], of className: ClassName) throws(RecordReader.Damage) -> FieldValues {
        var reader = RecordReader(bytes)
        var fields: FieldValues = []
        while !reader.isAtEnd {
            let number = try reader.unsigned()
            let value = try reader.value()
            if let place = places[Int(className.rawValue)][number] { fields.append((place, value)) }
        }
        return fields
    }

    /// The object whose fields were encoded as a whole.
    package static func object(_ className: ClassName, key: String, _ fields: FieldValues) throws(RecordReader.Damage) -> Object {
        var values: [Value] = className.schema.fields.map { $0.initial ?? .null }
        values[0] = .string(key)
        for (place, value) in fields { values[place] = value }
        let isWhole = className.schema.fields.indices.allSatisfy { !values[$0].isNull || className.schema.fields[$0].isOptional }
        guard isWhole else { throw RecordReader.Damage() }
        return Object(className, values)
    }
}
