import Testing
import Todo
import TodoStore

@Suite struct FieldNumbersTests {
    private let assigned = FieldNumbers.missing(from: [])

    @Test func `Every field has a number of its own`() {
        #expect(assigned.count == ClassName.stored.map(\.schema.fields.count).reduce(0, +))
        #expect(Set(assigned.map(\.number)).count == assigned.count)
        #expect(FieldNumbers.missing(from: assigned).isEmpty)
    }

    @Test func `A new field is numbered behind the others, whose numbers stay`() {
        let older = assigned.filter { $0.fieldName != "notes" }
        let missing = FieldNumbers.missing(from: older)
        #expect(missing.map(\.fieldName) == ["notes"])
        #expect(missing[0].number > older.map(\.number).max() ?? 0)
    }

    @Test func `What was logged before a field existed is read with its initial value, and a field that has gone is skipped`() throws {
        let item = Sample.item("i1", notes: "with notes").with("dueDate", .date(Sample.moment))
        // As a program wrote it that knew "colour" in place of "notes".
        let older = assigned.map {
            FieldNumbers.Assignment(className: $0.className, fieldName: $0.fieldName, number: $0.number * 3)
        }
        let bytes = FieldNumbers(older).encode(item)
        let renamed = older.map {
            FieldNumbers.Assignment(
                className: $0.className, fieldName: $0.fieldName == "notes" ? "colour" : $0.fieldName, number: $0.number)
        }
        let present = FieldNumbers(renamed + FieldNumbers.missing(from: renamed))
        let fields = try present.decode(bytes, of: .item)
        #expect(try FieldNumbers.object(.item, key: "i1", fields) == item.with("notes", .string("")))
    }

    @Test func `Only fields that differ are encoded, also those that become null`() throws {
        let numbers = FieldNumbers(assigned)
        let old = Sample.item("i1").with("dueDate", .date(Sample.moment))
        let new = old.with("dueDate", .null).with("isDone", .boolean(true))
        let fields = try numbers.decode(numbers.encode(new, differingFrom: old), of: .item)
        #expect(fields.map(\.place) == [ItemField.isDone, Schema.item.place(of: "dueDate")])
        #expect(fields.map(\.value) == [.boolean(true), .null])
    }

    @Test func `An object without a value that it needs is damage`() {
        #expect(throws: RecordReader.Damage.self) { try FieldNumbers.object(.item, key: "i1", []) }
    }
}
