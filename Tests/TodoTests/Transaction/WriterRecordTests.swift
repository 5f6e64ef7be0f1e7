import Testing
import Todo

@Suite("Who is named as a writer")
struct WriterRecordTests {
    private func item(in project: String?) -> Object? {
        project.map { project in
            var values = ItemSamples.values
            values[ItemField.projectId] = .string(project)
            return Object(.item, values)
        }
    }

    @Test func `whoever changed an object that stayed in its project is named, each once`() {
        var record = WriterRecord()
        for writer in ["ann", "ben", "ann", nil] { record.note(by: writer, before: item(in: "p"), after: item(in: "p")) }
        #expect(record.writers(before: item(in: "p"), after: item(in: "p")) == ["ann", "ben"])
    }

    @Test(
        arguments: [
            // Moved by Ann, changed where it went by Ben: those who saw it leave don't hear of Ben.
            ([("ann", "p", "q"), ("ben", "q", "q")], ["ann"]),
            ([("ann", "p", "q"), ("ben", "q", nil)], []),
            ([("ben", nil, "q"), ("ann", "q", "p")], []),
            ([("ann", "p", "q"), ("ben", "q", "r")], []),
            ([("ann", "p", "q"), ("ben", "q", "p")], []),
            ([("ann", nil, "p"), ("ben", "p", "p")], ["ann", "ben"]),
            ([("ann", "p", "p"), ("ben", "p", nil)], ["ann", "ben"]),
        ] as [([(String, String?, String?)], [String])])
    func `of an object that was in several projects only those are named who brought it the whole way`(
        _ steps: [(String, String?, String?)], _ named: [String]
    ) {
        var record = WriterRecord()
        for (writer, from, to) in steps { record.note(by: writer, before: item(in: from), after: item(in: to)) }
        #expect(record.writers(before: item(in: steps.first?.1), after: item(in: steps.last?.2)) == named)
    }
}

private enum ItemSamples {
    static let values: [Value] = ClassName.item.schema.fields.map { $0.initial ?? .string("i") }
}
