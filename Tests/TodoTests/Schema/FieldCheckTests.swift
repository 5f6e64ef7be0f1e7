import Testing
import Todo

@Suite("A field's check of a value")
struct FieldCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let className: ClassName
        let field: String
        let value: Value
        /// The refusal's word, `nil` where the value is taken.
        let reason: String?

        var testDescription: String {
            "\(className.name).\(field) and \(String("\(value)".prefix(40))): \(reason ?? "taken")"
        }

        init(_ className: ClassName, _ field: String, _ value: Value, _ reason: String?) {
            self.className = className
            self.field = field
            self.value = value
            self.reason = reason
        }
    }

    static let cases: [Case] = [
        Case(.item, "body", .string(""), nil),
        Case(.item, "body", .string(String(repeating: "x", count: 10_000)), nil),
        Case(.item, "body", .string(String(repeating: "x", count: 10_001)), "tooLong"),
        Case(.item, "body", .string(String(repeating: "é", count: 5_000)), nil),
        Case(.item, "body", .string(String(repeating: "é", count: 5_001)), "tooLong"),
        Case(.item, "body", .string("a\0b"), "nul"),
        Case(.item, "body", .null, "wrongType"),
        Case(.item, "body", .integer(1), "wrongType"),
        Case(.item, "notes", .string(String(repeating: "x", count: 100_001)), "tooLong"),
        Case(.project, "name", .string(""), "tooShort"),
        Case(.project, "name", .string(String(repeating: "x", count: 500)), nil),
        Case(.project, "name", .string(String(repeating: "x", count: 501)), "tooLong"),
        Case(.item, "priority", .integer(0), nil),
        Case(.item, "priority", .integer(3), nil),
        Case(.item, "priority", .integer(4), "outOfRange"),
        Case(.item, "priority", .integer(-1), "outOfRange"),
        Case(.item, "priority", .double(1.5), "wrongType"),
        Case(.item, "priority", .double(1e30), "outOfRange"),
        Case(.item, "priority", .double(-1e19), "outOfRange"),
        Case(.item, "body", .double(1e30), "wrongType"),
        Case(.item, "priority", .boolean(true), "wrongType"),
        Case(.item, "isDone", .boolean(false), nil),
        Case(.item, "isDone", .integer(0), "wrongType"),
        Case(.item, "isDone", .null, "wrongType"),
        Case(.item, "dueDate", .null, nil),
        Case(.item, "dueDate", .date(.latest), nil),
        Case(.item, "dueDate", .date(Timestamp(milliseconds: Timestamp.latest.milliseconds + 1)), "invalidDate"),
        Case(.item, "dueDate", .string("2026-11-30T01:02:03Z"), "wrongType"),
        Case(.item, "assignee", .null, nil),
        Case(.item, "assignee", .string("u_1-Z"), nil),
        Case(.item, "assignee", .string(""), "invalidId"),
        Case(.item, "assignee", .string("a b"), "invalidId"),
        Case(.item, "assignee", .string("é"), "invalidId"),
        Case(.item, "assignee", .string(String(repeating: "a", count: 64)), nil),
        Case(.item, "assignee", .string(String(repeating: "a", count: 65)), "invalidId"),
        Case(.item, "attachments", .strings(["a"]), nil),
        Case(.item, "attachments", .strings(["\0"]), "nul"),
        Case(.item, "attachments", .string("a"), "wrongType"),
        Case(.permission, "role", .string("editor"), nil),
        Case(.permission, "role", .string("Editor"), "unknownWord"),
        Case(.permission, "permissionId", .string("p1:u1"), nil),
        Case(.permission, "permissionId", .string("p1"), "invalidId"),
        Case(.permission, "permissionId", .string("p1:u1:x"), "invalidId"),
        Case(.permission, "permissionId", .string(":u1"), "invalidId"),
        Case(.project, "access", .string("everyone-read"), nil),
        Case(.project, "access", .string("public"), "unknownWord"),
    ]

    @Test("takes what the schema allows and names what it refuses", arguments: cases)
    func check(_ example: Case) throws {
        let schema = example.className.schema
        let field = schema.fields[try #require(schema.place(of: example.field))]
        let refusal = field.check(example.value)
        #expect(refusal?.reason == example.reason)
        if let refusal {
            #expect(refusal.kind == .invalid)
            #expect(refusal.message.contains(field.name))
        }
    }

    @Test("takes a value outside the range as a condition, but not one of another kind")
    func kindOnly() throws {
        let priority = Schema.item.fields[try #require(Schema.item.place(of: "priority"))]
        #expect(priority.checkKind(.integer(99)) == nil)
        #expect(priority.checkKind(.string("1"))?.reason == "wrongType")
        #expect(priority.checkKind(.null)?.reason == "wrongType")
    }

    @Test("leaves an initial value of every field as it is")
    func initialValues() {
        for className in ClassName.allCases {
            for field in className.schema.fields {
                if let initial = field.initial { #expect(field.check(initial) == nil, "\(className.name).\(field.name)") }
            }
        }
    }

    @Test("knows what must be given to create an object")
    func neededToCreate() {
        func names(_ className: ClassName) -> [String] { className.placesNeededToCreate.map { className.schema.fields[$0].name } }
        #expect(names(.project) == ["name"])
        #expect(names(.item) == ["projectId", "body"])
        #expect(names(.permission) == ["projectId", "userId", "role"])
        #expect(names(.user).isEmpty)
        #expect(ClassName.item.missingField(in: [(1, .string("p1"))])?.name == "body")
        #expect(ClassName.item.missingField(in: [(2, .string("b")), (1, .string("p1"))]) == nil)
    }
}
