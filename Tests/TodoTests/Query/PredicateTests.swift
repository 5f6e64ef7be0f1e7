import TestSupport
import Testing
import Todo

private let due = Timestamp(rfc3339: "2026-11-30T12:00:00Z")

/// An item with a value in every field, and one with nulls wherever they may be.
private let full = item(
    "i1",
    [
        "body": .string("Buy Milk"), "priority": .integer(2), "isDone": .boolean(true), "assignee": .string("u2"),
        "dueDate": due.map(Value.date) ?? .null,
    ])
private let bare = item("i2")

private func matches(_ text: String, _ object: Object, _ args: [Argument] = [], related: Memory = Memory()) throws -> Bool {
    try Predicate.parse(text, of: object.className, args: args, user: "u1").matches(object, related: related)
}

@Suite("What predicates match")
struct PredicateTests {
    private static let comparisons: [(String, Bool, Bool)] = [
        // text, holds for the full item, holds for the bare one
        ("priority == 2", true, false), ("priority = 2.0", true, false), ("priority == 2.5", false, false),
        ("priority != 2", false, true), ("priority <> 2", false, true), ("priority != 2.5", true, true),
        ("priority < 2", false, true), ("priority <= 2", true, true), ("priority > 1.5", true, false), ("priority >= 2", true, false),
        ("priority < 1e30", true, true), ("priority > -1e30", true, true), ("priority == 123456789012345678901234567890", false, false),
        ("isDone == TRUE", true, false), ("isDone != YES", false, true), ("isDone == FALSE", false, true),
        ("isDone IN {NO}", false, true),
        ("assignee == NULL", false, true), ("assignee != NULL", true, false), ("assignee == 'u2'", true, false),
        ("assignee != 'u2'", false, true), ("assignee != 'u3'", true, true), ("assignee < 'z'", true, false),
        ("assignee > ''", true, false), ("assignee >= NULL", false, false), ("assignee < NULL", false, false),
        ("NOT (assignee < 'z')", false, true), ("NOT (assignee < NULL)", true, true), ("NOT assignee == NULL", true, false),
        ("assignee IN {NULL}", false, true), ("assignee IN {NULL, 'u2'}", true, true), ("assignee IN {'u2', 'u3'}", true, false),
        ("assignee IN {}", false, false), ("NOT assignee IN {}", true, true),
        ("assignee BETWEEN {'u1', 'u3'}", true, false), ("assignee BETWEEN {'u3', 'u1'}", false, false),
        ("assignee BETWEEN {NULL, 'z'}", false, false), ("NOT assignee BETWEEN {'a', 'z'}", false, true),
        ("priority BETWEEN {0, 1}", false, true), ("priority BETWEEN {2, 2}", true, false),
        ("priority BETWEEN {1.5, 2.5}", true, false),
        ("dueDate == '2026-11-30T12:00:00Z'", true, false), ("dueDate == '2026-11-30T14:00:00.0009+02:00'", true, false),
        ("dueDate < '2026-11-30T12:00:00.001Z'", true, false), ("dueDate <= '2026-11-30T11:59:59.999Z'", false, false),
        ("dueDate != '2026-11-30T12:00:00Z'", false, true), ("dueDate == NULL", false, true),
        ("dueDate BETWEEN {'2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'}", true, false),
        ("dueDate IN {NULL, '2026-11-30T12:00:00Z'}", true, true),
        ("assignee CONTAINS ''", true, false), ("assignee BEGINSWITH NULL", false, false), ("NOT assignee CONTAINS 'u'", false, true),
        ("assignee LIKE '*'", true, false), ("assignee ==[c] 'U2'", true, false), ("assignee !=[c] 'U2'", false, true),
        ("assignee !=[c] NULL", true, false), ("assignee IN[c] {'U2', NULL}", true, true), ("assignee IN[c] {'U2'}", true, false),
        ("TRUEPREDICATE", true, true), ("FALSEPREDICATE", false, false), ("NOT FALSEPREDICATE", true, true),
        ("priority == 2 AND isDone == TRUE", true, false), ("priority == 2 OR isDone == FALSE", true, true),
        ("NOT (priority == 2 OR assignee == 'u2')", false, true), ("priority == 0 OR (priority == 2 AND isDone == FALSE)", false, true),
    ]

    @Test("Comparisons with values and nulls", arguments: comparisons)
    func nullsAndValues(_ text: String, _ holdsForFull: Bool, _ holdsForBare: Bool) throws {
        #expect(try matches(text, full) == holdsForFull)
        #expect(try matches(text, bare) == holdsForBare)
    }

    private static let textComparisons: [(String, String, Bool)] = [
        // value, comparison, whether it holds
        ("Buy Milk", "== 'Buy Milk'", true), ("Buy Milk", "== 'buy milk'", false), ("Buy Milk", "==[c] 'bUY mILK'", true),
        ("Buy Milk", "BEGINSWITH 'Buy'", true), ("Buy Milk", "BEGINSWITH 'buy'", false), ("Buy Milk", "BEGINSWITH[c] 'bUY '", true),
        ("Buy Milk", "ENDSWITH 'Milk'", true), ("Buy Milk", "ENDSWITH 'Buy Milk!'", false), ("Buy Milk", "ENDSWITH[c] 'mILK'", true),
        ("Buy Milk", "CONTAINS 'y M'", true), ("Buy Milk", "CONTAINS 'Y m'", false), ("Buy Milk", "CONTAINS[c] 'Y m'", true),
        ("", "CONTAINS ''", true), ("", "BEGINSWITH ''", true), ("", "ENDSWITH ''", true), ("", "LIKE ''", true),
        ("", "CONTAINS 'a'", false),
        ("aaab", "CONTAINS 'aab'", true), ("abababac", "CONTAINS 'ababac'", true), ("ababab", "CONTAINS 'abac'", false),
        // Order by code point: capitals before small letters, U+FF5A before U+1F600 (UTF-16 has it the other way).
        ("Z", "< 'a'", true), ("é", "> 'z'", true), ("\u{FF5A}", "< '\u{1F600}'", true), ("ab", "> 'a'", true), ("a", ">= 'a'", true),
        ("Z", "<[c] 'a'", false), ("B", "BETWEEN[c] {'a', 'c'}", true), ("B", "BETWEEN {'a', 'c'}", false),
        // Composed and decomposed forms differ, unless [d] says otherwise.
        ("\u{E9}", "== 'e\u{301}'", false), ("\u{E9}", "==[c] 'e\u{301}'", false), ("\u{E9}", "==[d] 'e\u{301}'", true),
        ("e\u{301}", "CONTAINS 'e'", true), ("\u{E9}", "CONTAINS 'e'", false), ("\u{E9}", "CONTAINS[d] 'e'", true),
        ("e\u{301}", "BEGINSWITH 'e'", true), ("Crème Brûlée", "==[cd] 'CREME brulee'", true), ("Crème", "==[d] 'creme'", false),
        ("Ångström", "LIKE[cd] 'angstr?m'", true), ("naïve", "IN[cd] {'x', 'NAIVE'}", true), ("naïve", "IN[c] {'NAIVE'}", false),
        // Case of every script, in no locale.
        ("Straße", "==[c] 'STRASSE'", true), ("Straße", "==[c] 'STRA\u{1E9E}E'", true), ("straße", "CONTAINS[c] 'SS'", true),
        ("Straße", "==[d] 'Strasse'", false), ("ΟΔΟΣ", "==[c] 'οδος'", true), ("ΟΔΟΣ", "==[c] 'οδοσ'", true), ("ς", "==[c] 'Σ'", true),
        ("МОЛОКО", "CONTAINS[c] 'локо'", true), ("Ёлка", "==[cd] 'елка'", true), ("й", "==[d] 'и'", true),
        ("I", "==[c] 'i'", true), ("I", "==[c] 'ı'", false), ("İ", "==[c] 'i\u{307}'", true), ("İ", "==[c] 'i'", false),
        ("İ", "==[cd] 'i'", true), ("ı", "==[cd] 'i'", false), ("Ꭰ", "==[c] 'ꭰ'", true), ("ᏸ", "==[c] 'Ᏸ'", true),
        ("ﬁn", "==[c] 'FIN'", true), ("ŉ", "==[c] 'ʼN'", true), ("K", "==[c] 'k'", true), ("ﬅ", "==[c] 'st'", true),
        ("𐐀", "==[c] '𐐨'", true), ("ǅ", "==[c] 'ǆ'", true), ("ᾳ", "==[c] 'ΑΙ'", true), ("ა", "==[c] 'Ა'", true),
        ("Ω", "==[c] 'ω'", true), ("ſ", "==[c] 'S'", true),
        // Emoji with joiners are code points like others.
        ("👩‍👩‍👧", "CONTAINS '👧'", true), ("👩‍👩‍👧", "CONTAINS '👩'", true), ("👩‍👩‍👧", "LIKE '?????'", true), ("👍🏽", "BEGINSWITH '👍'", true),
        ("🇩🇪", "LIKE '??'", true), ("日本語", "CONTAINS[cd] '本'", true), ("が", "==[d] 'か'", true),
        ("한", "==[d] '\u{1112}\u{1161}\u{11AB}'", true),
        // Patterns.
        ("Buy Milk", "LIKE '*'", true), ("Buy Milk", "LIKE 'Buy*'", true), ("Buy Milk", "LIKE '*Milk'", true),
        ("Buy Milk", "LIKE '*uy*il*'", true),
        ("Buy Milk", "LIKE 'Buy'", false), ("Buy Milk", "LIKE 'B?? M???'", true), ("Buy Milk", "LIKE 'B?? M??'", false),
        ("Buy Milk", "LIKE[c] 'b*K'", true), ("Buy Milk", "LIKE '**B**k**'", true), ("", "LIKE '*'", true), ("", "LIKE '?'", false),
        ("a", "LIKE '?'", true), ("é", "LIKE '?'", true), ("é", "LIKE '??'", false), ("e\u{301}", "LIKE '??'", true),
        ("😀", "LIKE '?'", true),
        ("aab", "LIKE '*ab'", true), ("aXbXc", "LIKE 'a*b*c'", true), ("abcabc", "LIKE '*abc'", true),
        ("mississippi", "LIKE 'm*iss*p?i'", true),
        ("mississippi", "LIKE 'm*iss*p?p?i'", false), ("a*b", "LIKE 'a*b'", true), ("a\nb", "LIKE 'a?b'", true),
        ("[a]", "LIKE '[a]'", true),
        ("Maße", "LIKE[c] 'ma??e'", true), ("Maße", "LIKE 'Ma?e'", true),
    ]

    @Test("Comparisons of texts", arguments: textComparisons)
    func texts(_ value: String, _ comparison: String, _ holds: Bool) throws {
        #expect(try matches("body \(comparison)", item("i1", ["body": .string(value)])) == holds)
    }

    @Test("Arguments fill places in any order, more than once, with spare ones")
    func arguments() throws {
        #expect(
            try matches(
                "priority == $1 AND body BEGINSWITH $0 AND priority >= $1", full, [.value(.string("Buy")), .value(.integer(2)), .array([])])
        )
        #expect(try matches("priority == %@ AND body ENDSWITH %@", full, [.value(.double(2)), .value(.string("Milk")), .value(.null)]))
        #expect(try matches("priority IN $0", full, [.array([.integer(7), .double(2)])]))
        #expect(try !matches("priority IN $0", full, [.array([])]))
        #expect(try matches("priority IN {$0, %@}".replacing("%@", with: "$0"), full, [.value(.integer(2))]))
        #expect(try matches("priority BETWEEN $0", full, [.array([.integer(0), .double(2.5)])]))
        #expect(try matches("dueDate < $0", full, [.value(.string("2026-12-01T00:00:00Z"))]))
        #expect(try matches("dueDate < $0", full, [.value(.date(.latest))]))
        #expect(try matches("assignee == $0", bare, [.value(.null)]))
        #expect(try matches("assignee IN $0", bare, [.array([.null])]))
        #expect(try matches("body == $0", item("i1", ["body": .string("' OR 1 == 1")]), [.value(.string("' OR 1 == 1"))]))
    }

    @Test("Escapes in quoted texts")
    func escapes() throws {
        let value = "é😀'\"\\/\u{8}\u{C}\n\r\t"
        #expect(try matches(#"body == '\u00E9\uD83D\uDE00\'\"\\\/\b\f\n\r\t'"#, item("i1", ["body": .string(value)])))
        #expect(try matches(#"body == "it's""#, item("i1", ["body": .string("it's")])))
    }

    @Test("An item's predicate looks at its project")
    func projectFields() throws {
        let related = Memory(projects: [project("p1", ["name": .string("Home"), "openCount": .integer(3)])])
        let lost = item("i1", ["projectId": .string("p9")])
        #expect(try matches("project.name == 'Home'", full, related: related))
        #expect(try matches("project.name CONTAINS[c] 'HOM' AND project.openCount > 2", full, related: related))
        #expect(try !matches("project.name != 'Home'", full, related: related))
        // A project that can't be found has no values.
        #expect(try matches("project.name == NULL", lost, related: related))
        #expect(try matches("project.name != 'Home'", lost, related: related))
        #expect(try !matches("project.openCount >= 0", lost, related: related))
    }

    @Test("A project's predicate looks at its items, also where it has none")
    func items() throws {
        let related = Memory(items: [
            item("a", ["priority": .integer(1), "isDone": .boolean(true)]), item("b", ["priority": .integer(3)]),
            item("c", ["projectId": .string("p2"), "assignee": .string("u5")]),
        ])
        let (two, one, empty) = (project("p1", ["itemCount": .integer(2)]), project("p2", ["itemCount": .integer(1)]), project("p3"))
        #expect(try matches("ANY items.isDone == TRUE", two, related: related))
        #expect(try !matches("ALL items.isDone == TRUE", two, related: related))
        #expect(try !matches("NONE items.isDone == TRUE", two, related: related))
        #expect(try matches("ALL items.priority BETWEEN {1, 3}", two, related: related))
        #expect(try matches("NOT ANY items.priority > 3", two, related: related))
        #expect(try matches("NONE items.assignee != NULL", two, related: related))
        #expect(try matches("ANY items.assignee == 'u5' AND NONE items.isDone == TRUE", one, related: related))
        #expect(try !matches("ANY items.isDone IN {TRUE, FALSE}", empty, related: related))
        #expect(try matches("ALL items.isDone == TRUE", empty, related: related))
        #expect(try matches("NONE items.isDone == TRUE", empty, related: related))
        #expect(try matches("items.@count == 2", two) && matches("items.@count < 2", one) && matches("items.@count IN {0}", empty))
    }

    @Test("Related objects are read once for an object, and only when they are needed")
    func readsOnce() throws {
        final class Counting: RelatedObjects {
            var reads = 0
            func project(_ projectId: String) -> Object? {
                reads += 1
                return nil
            }
            func items(ofProject projectId: String) -> [Object] {
                reads += 1
                return []
            }
        }
        let related = Counting()
        let text = "priority == 9 AND (project.name == 'x' OR project.name == 'y' OR project.owner == 'z')"
        let predicate = try Predicate.parse(text, of: .item, user: "u1")
        #expect(!predicate.matches(full, related: related))
        #expect(related.reads == 0)
        #expect(!predicate.matches(item("i1", ["priority": .integer(9)]), related: related))
        #expect(related.reads == 1)
        let ofItems = try Predicate.parse("ANY items.body == 'x' OR NOT NONE items.body == 'y'", of: .project, user: "u1")
        #expect(!ofItems.matches(project("p1"), related: related))
        #expect(related.reads == 2)
    }
}

@Suite("Terms that narrow a predicate")
struct PredicateTermsTests {
    private func terms(_ text: String, of className: ClassName = .item, args: [Argument] = []) throws -> [String] {
        try Predicate.parse(text, of: className, args: args, user: "u1").terms.map { term in
            "\(className.schema.fields[term.place].name) \(term.comparison) \(term.value)"
        }
    }

    @Test("They are the equalities and ranges that the whole predicate joins by AND")
    func taken() throws {
        #expect(try terms("projectId == 'p1'") == [#"projectId equal string("p1")"#])
        #expect(try terms("projectId == 'p1' AND (isDone == FALSE AND priority > 1)").count == 3)
        #expect(try terms("createdBy == $user") == [#"createdBy equal string("u1")"#])
        #expect(try terms("projectId IN {'p1'}") == [#"projectId equal string("p1")"#])
        #expect(try terms("priority BETWEEN {1, 2}") == ["priority greaterOrEqual integer(1)", "priority lessOrEqual integer(2)"])
        #expect(try terms("items.@count > 1", of: .project) == ["itemCount greater integer(1)"])
        #expect(try terms("project.projectId == 'p1'") == [#"projectId equal string("p1")"#])
    }

    @Test("Their values are of the field's own type")
    func types() throws {
        #expect(try terms("priority == 2.0") == ["priority equal integer(2)"])
        #expect(try terms("priority < 2.5") == ["priority lessOrEqual integer(2)"])
        #expect(try terms("priority >= 2.5") == ["priority greaterOrEqual integer(3)"])
        #expect(try terms("priority == 2.5").isEmpty)
        #expect(try terms("priority < 1e30").isEmpty)
        let early = try Predicate.parse("dueDate < '1970-01-01T00:00:01Z'", of: .item, user: "u1")
        #expect(early.terms.map(\.value) == [.date(Timestamp(milliseconds: 1000))])
    }

    private static let withoutTerms: [String] = [
        "projectId == 'p1' OR isDone == TRUE", "NOT projectId == 'p1'", "assignee == NULL", "assignee != 'u1'", "assignee IN {NULL}",
        "assignee IN {NULL, 'u1'}", "priority IN {1, 2}", "projectId ==[c] 'p1'", "projectId BEGINSWITH 'p1'", "project.name == 'x'",
        "assignee < NULL",
        "TRUEPREDICATE", "(isDone == TRUE OR isDone == FALSE) AND assignee == NULL",
    ]

    @Test("Nothing else gives a term", arguments: withoutTerms)
    func none(_ text: String) throws {
        #expect(try terms(text).isEmpty)
    }

    @Test("Every object that matches satisfies them all")
    func sound() throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("terms: seed \(seed)")
        var generator = SplitMix(seed: seed)
        let comparisons = [
            "priority == 1", "priority < 1.5", "priority >= 0.5", "priority BETWEEN {1, 2}", "assignee == 'u1'", "assignee > 'u'",
            "assignee == NULL",
            "isDone == TRUE", "dueDate <= '1970-01-01T00:00:00.002Z'", "dueDate > '1970-01-01T00:00:00.001Z'", "priority IN {2}",
            "project.projectId == 'p1'",
        ]
        func random(_ depth: Int) -> String {
            let leaf = comparisons.randomElement(using: &generator) ?? ""
            guard depth > 0 else { return leaf }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: return "NOT (\(random(depth - 1)))"
            case 1: return "(\(random(depth - 1)) OR \(random(depth - 1)))"
            case 2: return "(\(random(depth - 1)) AND \(random(depth - 1)))"
            default: return leaf
            }
        }
        var (matching, narrowed) = (0, 0)
        for _ in 0..<400 {
            let text = random(3)
            let predicate = try Predicate.parse(text, of: .item, user: "u1")
            if !predicate.terms.isEmpty { narrowed += 1 }
            for number in 0..<25 {
                let object = item(
                    "i\(number)",
                    [
                        "priority": .integer(Int64.random(in: 0...3, using: &generator)),
                        "isDone": .boolean(Bool.random(using: &generator)),
                        "assignee": [.null, .string("u1"), .string("u2")].randomElement(using: &generator) ?? .null,
                        "dueDate": [.null, .date(Timestamp(milliseconds: Int64.random(in: 0...3, using: &generator)))].randomElement(
                            using: &generator)
                            ?? .null, "projectId": .string(Bool.random(using: &generator) ? "p1" : "p2"),
                    ])
                guard predicate.matches(object, related: Memory(projects: [project("p1"), project("p2")])) else { continue }
                matching += 1
                for term in predicate.terms where !holds(term, object[term.place]) { Issue.record("\(text): \(term) does not hold") }
            }
        }
        #expect(matching > 100 && narrowed > 20, "the test has something to test")
    }

    private func holds(_ term: Term, _ value: Value) -> Bool {
        let order: Int
        switch (value, term.value) {
        case (.string(let a), .string(let b)): order = a.compareBytes(with: b)
        case (.integer(let a), .integer(let b)): order = a < b ? -1 : (a == b ? 0 : 1)
        case (.date(let a), .date(let b)): order = a < b ? -1 : (a == b ? 0 : 1)
        case (.boolean(let a), .boolean(let b)): order = a == b ? 0 : 1
        default: return false
        }
        switch term.comparison {
        case .equal: return order == 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }
}
