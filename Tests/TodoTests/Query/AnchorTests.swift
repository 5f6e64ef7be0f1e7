import TestSupport
import Testing
import Todo

@Suite("Anchors by which live queries are filed")
struct AnchorTests {
    private static func described(_ anchors: Set<Anchor>?, of className: ClassName) -> [String]? {
        anchors?.map { anchor in
            let isProject = anchor.column.holder == .project
            let name = (isProject ? Schema.project : className.schema).fields[anchor.column.place].name
            return "\(isProject ? "project." : "")\(name) \(anchor.value)"
        }.sorted()
    }

    private func anchors(
        _ filter: String, _ className: ClassName = .item, args: [Argument] = [], leavingOut place: Int? = nil
    ) throws -> [String]? {
        let query = try Query(className, filter: filter, args: args, user: "u1")
        return Self.described(query.anchors(leavingOut: place), of: className)
    }

    private static let anchored: [(String, [String])] = [
        ("body == 'z'", [#"body string("z")"#]),
        ("body ==[c] 'Straße'", [#"body string("strasse")"#]),
        ("body ==[d] 'é'", [#"body string("e")"#]),
        ("assignee == NULL", ["assignee null"]),
        ("NOT assignee != 'u2'", [#"assignee string("u2")"#]),
        ("NOT assignee != NULL", ["assignee null"]),
        ("NOT body !=[c] 'A'", [#"body string("a")"#]),
        ("createdBy == $user", [#"createdBy string("u1")"#]),
        ("priority == 1.0", ["priority integer(1)"]),
        ("priority == 2.5", []),
        ("priority >= 2", ["priority integer(2)", "priority integer(3)"]),
        ("priority != 1", ["priority integer(0)", "priority integer(2)", "priority integer(3)"]),
        ("priority BETWEEN {0.5, 1.5}", ["priority integer(1)"]),
        ("isDone != TRUE", ["isDone boolean(false)"]),
        ("NOT isDone == FALSE", ["isDone boolean(true)"]),
        ("dueDate == '1970-01-01T00:00:00.005Z'", ["dueDate \(Value.date(Timestamp(milliseconds: 5)))"]),
        ("projectId IN {'p1', 'p2'}", [#"projectId string("p1")"#, #"projectId string("p2")"#]),
        ("assignee IN {NULL, 'u1'}", ["assignee null", #"assignee string("u1")"#]),
        ("body IN[c] {'A', 'a', 'B'}", [#"body string("a")"#, #"body string("b")"#]),
        ("assignee IN[c] {'A', NULL}", ["assignee null", #"assignee string("a")"#]),
        ("projectId == 'z' OR projectId == 'y'", [#"projectId string("y")"#, #"projectId string("z")"#]),
        ("projectId == 'z' OR body == 'y'", [#"body string("y")"#, #"projectId string("z")"#]),
        ("NOT (body != 'y' AND isDone != TRUE)", [#"body string("y")"#, "isDone boolean(true)"]),
        ("NOT (body != 'y' OR isDone != TRUE)", [#"body string("y")"#]),
        ("project.projectId == 'p1'", [#"projectId string("p1")"#]),
        ("project.owner == 'u1'", [#"project.owner string("u1")"#]),
        ("project.access != 'private'", [#"project.access string("everyone-read")"#, #"project.access string("everyone-write")"#]),
        ("body < NULL", []), ("FALSEPREDICATE", []), ("body == 'a' OR FALSEPREDICATE", [#"body string("a")"#]),
    ]

    @Test("They are the values that a matching object must have, whichever way the filter says so", arguments: anchored)
    func taken(_ filter: String, _ expected: [String]) throws {
        #expect(try anchors(filter) == expected)
    }

    private static let narrowest: [(String, String)] = [
        ("isDone == FALSE AND body == 'z'", "body"), ("isDone == FALSE AND priority == 3", "priority"),
        ("priority == 3 AND dueDate == '1970-01-01T00:00:00Z'", "dueDate"), ("body == 'z' AND assignee == 'u2'", "assignee"),
        ("assignee == 'u2' AND itemId == 'i1'", "itemId"), ("assignee == NULL AND priority == 1", "priority"),
        ("projectId IN {'p1', 'p2'} AND assignee == 'u2'", "assignee"), ("project.owner == 'u1' AND body == 'z'", "body"),
        ("project.owner == 'u1' AND isDone == FALSE", "project.owner"), ("(body == 'z' OR isDone == TRUE) AND priority < 3", "priority"),
    ]

    @Test("Of several the most selective kind is taken", arguments: narrowest)
    func chosen(_ filter: String, _ field: String) throws {
        let found = try #require(try anchors(filter))
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix(field + " ") }, "\(found)")
    }

    private static let unanchored: [String] = [
        "TRUEPREDICATE", "body != 'z'", "NOT body == 'z'", "body BEGINSWITH 'z'", "body ==[c] 'z' OR priority >= 0", "assignee != NULL",
        "NOT projectId IN {'p1'}", "body > 'z'", "dueDate < '1970-01-01T00:00:00Z'",
        "projectId == 'z' OR body CONTAINS 'y'", "priority >= 0", "project.name != 'x'", "NOT FALSEPREDICATE",
    ]

    @Test("A filter that an object may match with any value has none", arguments: unanchored)
    func none(_ filter: String) throws {
        #expect(try anchors(filter) == nil)
    }

    @Test("A list of values is an anchor as long as it is short")
    func bounded() throws {
        let short = (0..<64).map { Value.string("p\($0)") }
        #expect(try anchors("projectId IN $0", args: [.array(short)])?.count == 64)
        #expect(try anchors("projectId IN $0", args: [.array(short + [.string("more")])]) == nil)
        let halves = [Argument.array(Array(short[..<40])), .array(short[24...].map { .string(($0.string ?? "") + "x") })]
        #expect(try anchors("projectId IN $0 OR projectId IN $1", args: halves) == nil)
    }

    @Test("What all objects that are asked about share is no anchor")
    func leftOut() throws {
        #expect(try anchors("projectId == 'p1' AND isDone == TRUE", leavingOut: ItemField.projectId) == ["isDone boolean(true)"])
        #expect(try anchors("projectId == 'p1'", leavingOut: ItemField.projectId) == nil)
        #expect(try anchors("project.projectId == 'p1'", leavingOut: ItemField.projectId) == nil)
    }

    @Test("What others are shown of a user's isAdmin is not what is stored")
    func masked() throws {
        #expect(try anchors("isAdmin == FALSE", .user) == nil)
        #expect(try anchors("isAdmin == FALSE AND name == 'Ann'", .user) == [#"name string("Ann")"#])
    }

    private static let related: [(String, ClassName, projects: [String]?, items: [String]?)] = [
        ("project.owner == 'u1' AND body == 'z'", .item, [#"owner string("u1")"#], []),
        ("project.owner == 'u1' OR body == 'z'", .item, nil, []),
        ("ANY items.body == 'z'", .project, nil, [#"body string("z")"#]),
        ("NOT ANY items.body == 'z' OR name == 'n'", .project, nil, [#"body string("z")"#]),
        ("NONE items.isDone == TRUE", .project, nil, ["isDone boolean(true)"]),
        ("ALL items.isDone == TRUE", .project, nil, ["isDone boolean(false)"]),
        ("ALL items.body != 'z'", .project, nil, [#"body string("z")"#]),
        ("ALL items.body == 'z'", .project, nil, nil),
        ("ANY items.body == 'z' AND ANY items.body BEGINSWITH 'y'", .project, nil, nil),
        ("name == 'n'", .project, nil, []),
    ]

    @Test("Changes of related objects are narrowed by what these must hold", arguments: related)
    func relatedObjects(_ filter: String, _ className: ClassName, _ projects: [String]?, _ items: [String]?) throws {
        let query = try Query(className, filter: filter, user: "u1")
        #expect(Self.described(query.projectAnchors, of: .project) == projects)
        #expect(Self.described(query.itemAnchors, of: .item) == items)
    }

    @Test("A filter reads these fields and no others")
    func places() throws {
        func places(_ filter: String, _ className: ClassName = .item) throws -> [String] {
            let places = try Predicate.parse(filter, of: className, user: "u1").places
            return className.schema.fields.enumerated().filter { places >> UInt64($0.offset) & 1 == 1 }.map(\.element.name)
        }
        #expect(try places("TRUEPREDICATE") == [])
        #expect(try places("NOT (body == 'a' OR notes CONTAINS 'b') AND priority > 1") == ["body", "notes", "priority"])
        #expect(try places("project.name == 'a'") == ["projectId"])
        #expect(try places("ANY items.body == 'a' AND items.@count > 1", .project) == ["itemCount"])
    }

    @Test("A text that is too long for what is looked for is mostly not folded, and one that is not always is")
    func longTexts() throws {
        func value(_ filter: String, _ text: String, bytesMax: Int) throws -> Value? {
            let anchors = try #require(try Query(.item, filter: filter, user: "u1").anchors())
            return try #require(anchors.first).column.value(in: TodoTests.item("i", ["body": .string(text)]), bytesMax: bytesMax)
        }
        #expect(try value("body == 'a'", "aa", bytesMax: 1) == nil)
        #expect(try value("body ==[c] 'a'", "aaaaaa", bytesMax: 1) == nil)
        #expect(try value("body ==[cd] 'a'", "aaaaaa", bytesMax: 1) == nil)
        #expect(try value("body ==[d] 'a'", "a" + String(repeating: "\u{301}", count: 9), bytesMax: 1) == .string("a"))
        for scalar in (1...0x1_FFFF).lazy.compactMap(Unicode.Scalar.init) where scalar.properties.changesWhenCaseFolded {
            let text = String(scalar)
            let folded = TextFolding.case.fold(text)
            #expect(text.utf8.count <= 3 * folded.count, "\(scalar)")
        }
    }

    @Test("Every object that matches has one of them")
    func sound() throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("anchors: seed \(seed)")
        var random = SplitMix(seed: seed)
        var (matching, narrowed) = (0, 0)
        for _ in 0..<600 {
            let text = Self.filter(3, &random)
            let query = try Query(.item, filter: text, user: "u1")
            guard let anchors = query.anchors() else { continue }
            narrowed += 1
            for number in 0..<25 {
                let object = Self.item(number, &random)
                let owner = project("p1", ["owner": .string("u1")])
                guard query.predicate.matches(object, related: Memory(projects: [owner, project("p2")])) else { continue }
                matching += 1
                let holder = object.projectId == "p1" ? owner : project("p2")
                let isFound = anchors.contains { $0.value == $0.column.value(in: $0.column.holder == .object ? object : holder) }
                if !isFound { Issue.record("\(text): \(object.values) matches and has none of \(anchors)") }
            }
        }
        #expect(matching > 100 && narrowed > 50, "the test has something to test")
    }

    private static let comparisons = [
        "priority == 1.0", "priority != 2", "priority < 1.5", "priority IN {0, 2.0}", "assignee == 'u1'", "assignee == NULL",
        "assignee != 'u1'",
        "assignee IN {NULL, 'u2'}", "isDone == TRUE", "isDone != TRUE", "body ==[c] 'É'", "body IN[cd] {'e', 'x'}", "body !=[d] 'e'",
        "body CONTAINS 'e'", "dueDate == '1970-01-01T00:00:00.002Z'", "dueDate != NULL", "project.owner == 'u1'",
        "project.access != 'private'",
        "project.projectId == 'p1'", "projectId IN {'p2', 'p3'}", "FALSEPREDICATE", "body < NULL",
    ]

    private static func filter(_ depth: Int, _ random: inout SplitMix) -> String {
        let leaf = comparisons[random.next(upTo: comparisons.count)]
        guard depth > 0 else { return leaf }
        switch random.next(upTo: 4) {
        case 0: return "NOT (\(filter(depth - 1, &random)))"
        case 1: return "(\(filter(depth - 1, &random)) OR \(filter(depth - 1, &random)))"
        case 2: return "(\(filter(depth - 1, &random)) AND \(filter(depth - 1, &random)))"
        default: return leaf
        }
    }

    private static func item(_ number: Int, _ random: inout SplitMix) -> Object {
        func one(_ values: [Value]) -> Value { values[random.next(upTo: values.count)] }
        return TodoTests.item(
            "i\(number)",
            [
                "priority": .integer(Int64(random.next(upTo: 4))), "isDone": .boolean(Bool.random(using: &random)),
                "assignee": one([.null, .string("u1"), .string("u2")]),
                "body": one(["é", "É", "e\u{301}", "E", "x", "y"].map(Value.string)),
                "dueDate": one([.null, .date(Timestamp(milliseconds: 2)), .date(Timestamp(milliseconds: 3))]),
                "projectId": one([.string("p1"), .string("p2")]),
            ])
    }
}
