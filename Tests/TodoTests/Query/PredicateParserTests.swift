import TestSupport
import Testing
import Todo

/// A predicate that is refused, and where.
struct Refused: CustomTestStringConvertible, Sendable {
    let text: String
    let position: Int
    let expected: String
    let reason: String
    let className: ClassName
    let args: [Argument]
    let path: String

    init(
        _ text: String, at position: Int, _ expected: String, _ reason: String = "filterSyntax", of className: ClassName = .item,
        args: [Argument] = [], path: String = "filter"
    ) {
        (self.text, self.position, self.expected, self.reason) = (text, position, expected, reason)
        (self.className, self.args, self.path) = (className, args, path)
    }

    var testDescription: String { text }
}

@Suite("Reading predicates")
struct PredicateParserTests {
    private func refusalOf(_ text: String, of className: ClassName = .item, args: [Argument] = []) -> Refusal? {
        do throws(Refusal) {
            _ = try Predicate.parse(text, of: className, args: args, user: "u1")
            return nil
        } catch { return error }
    }

    private static let faulty: [Refused] = [
        // The grammar.
        Refused("", at: 0, "a field of Item, NOT or ("),
        Refused("   ", at: 3, "a field of Item, NOT or ("),
        Refused("priority", at: 8, "one of == != < <= > >= IN BETWEEN"),
        Refused("priority ==", at: 11, "a number, a place or NULL"),
        Refused("priority == 1 AND", at: 17, "a field of Item, NOT or ("),
        Refused("priority == 1 && ", at: 17, "a field of Item, NOT or ("),
        Refused("priority == 1 OR OR priority == 2", at: 17, "a field of Item, NOT or ("),
        Refused("priority == 1 priority == 2", at: 14, "AND, OR or the end"),
        Refused("priority == 1)", at: 13, "AND, OR or the end"),
        Refused("(priority == 1", at: 14, "AND, OR or )"),
        Refused("()", at: 1, "a field of Item, NOT or ("),
        Refused("NOT", at: 3, "a field of Item, NOT or ("),
        Refused("!", at: 1, "a field of Item, NOT or ("),
        Refused("== 5", at: 0, "a field of Item, NOT or ("),
        Refused("5 == priority", at: 0, "a field of Item, NOT or ("),
        Refused("TRUE", at: 0, "a field of Item, NOT or ("),
        Refused("isDone", at: 6, "one of == != IN"),
        Refused("priority NOT IN {1}", at: 9, "one of == != < <= > >= IN BETWEEN"),
        Refused("priority == priority", at: 12, "a number, a place or NULL"),
        Refused("TRUEPREDICATE TRUEPREDICATE", at: 14, "AND, OR or the end"),
        // Words and marks.
        Refused("priority & 1", at: 9, "&&"),
        Refused("priority == 1 | isDone == TRUE", at: 14, "||"),
        Refused("priority # 1", at: 9, "a field, a value, an operator or a parenthesis"),
        Refused("é == 1", at: 0, "a field, a value, an operator or a parenthesis"),
        Refused("body == 'é' & 1", at: 13, "&&"),
        Refused("project. == 1", at: 8, "a field"),
        Refused("project.1", at: 8, "a field"),
        Refused("priority == 1x", at: 13, "the end of the number"),
        Refused("priority == 1.2.3", at: 15, "the end of the number"),
        Refused("priority == -", at: 13, "a digit"),
        Refused("priority == .", at: 13, "a digit"),
        Refused("priority == 1e", at: 14, "a digit"),
        Refused("priority == 1e999", at: 12, "a smaller number"),
        Refused("priority == $", at: 12, "$user or $ and a number"),
        Refused("priority == $x", at: 12, "$user or $ and a number"),
        Refused("priority == %d", at: 12, "%@"),
        // What is not well formed further on, where nothing of its kind can stand: the first byte is the first fault.
        Refused("body == 'x' -- c", at: 12, "AND, OR or the end"),
        Refused("body == 'x' 1x", at: 12, "AND, OR or the end"),
        Refused("body == 'x' 'abc", at: 12, "AND, OR or the end"),
        Refused("body == 'x' project. == 1", at: 12, "AND, OR or the end"),
        Refused("body == 'x' %d", at: 12, "AND, OR or the end"),
        Refused("(body == 'x' $y", at: 13, "AND, OR or )"),
        Refused("body 'abc", at: 5, "one of == != < <= > >= IN BETWEEN BEGINSWITH ENDSWITH CONTAINS LIKE"),
        Refused("-- == 1", at: 0, "a field of Item, NOT or ("),
        Refused("body == project. AND", at: 8, "a quoted text, a place or NULL"),
        Refused("priority IN {1 2x}", at: 15, ", or }"),
        Refused("priority IN {1, 2x}", at: 17, "the end of the number"),
        Refused("NOT body. == 'x'", at: 9, "a field"),
        // Texts.
        Refused("body == 'abc", at: 12, "a closing '"),
        Refused("body == \"é", at: 11, "a closing \""),
        Refused(#"body == 'a\x'"#, at: 10, #"one of \' \" \\ \/ \b \f \n \r \t \uXXXX"#),
        Refused(#"body == 'a\"#, at: 11, "an escaped character"),
        Refused(#"body == '\u12'"#, at: 13, "four hexadecimal digits"),
        Refused(#"body == '\ud800'"#, at: 9, "a pair of surrogates"),
        Refused(#"body == '\udc00'"#, at: 9, "a pair of surrogates"),
        Refused(#"body == '\ud800\u0041'"#, at: 9, "a pair of surrogates"),
        Refused(#"body == '\u0000'"#, at: 9, "a text without NUL"),
        Refused("body == '\0'", at: 9, "a text without NUL"),
        // Modifiers.
        Refused("body ==[x] 'a'", at: 8, "c, d or cd"),
        Refused("body ==[] 'a'", at: 8, "c, d or cd"),
        Refused("body ==[c 'a'", at: 10, "]"),
        Refused("priority ==[c] 1", at: 11, "a number, a place or NULL", "wrongType"),
        // Lists.
        Refused("priority IN", at: 11, "{ or a place that an array argument fills"),
        Refused("priority IN (1)", at: 12, "{ or a place that an array argument fills"),
        Refused("priority IN 1", at: 12, "{ or a place that an array argument fills", "wrongType"),
        Refused("body IN 'x'", at: 8, "{ or a place that an array argument fills", "wrongType"),
        Refused("assignee IN $user", at: 12, "{ or a place that an array argument fills", "wrongType"),
        Refused("priority BETWEEN 1 AND 2", at: 17, "{ or a place that an array argument fills", "wrongType"),
        Refused("priority IN {1 2}", at: 15, ", or }"),
        Refused("priority IN {1,", at: 15, "a value"),
        Refused("priority IN {1,}", at: 15, "a value"),
        Refused("priority IN {", at: 13, "a value or }"),
        Refused("priority IN {,}", at: 13, "a value or }"),
        Refused("priority BETWEEN {1}", at: 17, "two values", "wrongType"),
        Refused("priority BETWEEN {1, 2, 3}", at: 17, "two values", "wrongType"),
        Refused("priority BETWEEN {}", at: 17, "two values", "wrongType"),
        // Fields.
        Refused("priorty == 1", at: 0, "a field of Item", "unknownField"),
        Refused("isDone == TRUE AND nme == 'x'", at: 19, "a field of Item", "unknownField"),
        Refused("PRIORITY == 1", at: 0, "a field of Item", "unknownField"),
        Refused("creator == 'u1'", at: 0, "a field of Project", "unknownField", of: .project),
        Refused("project.nam == 'x'", at: 8, "a field of Project", "unknownField"),
        Refused("project.creator == 'u1'", at: 8, "a field of Project", "unknownField"),
        Refused("owner.name == 'x'", at: 0, "a field of Project", "unknownField", of: .project),
        Refused("project.owner.name == 'x'", at: 13, "an operator"),
        Refused("attachments == 'x'", at: 0, "a field that is no array", "wrongType"),
        Refused("items.body == 'x'", at: 0, "ANY, ALL or NONE before items.body, or items.@count", of: .project),
        Refused("ANY items == 1", at: 4, "items.FIELD", of: .project),
        Refused("ANY name == 'x'", at: 4, "items.FIELD", of: .project),
        Refused("ANY items.@count == 1", at: 10, "a field of Item", "unknownField", of: .project),
        Refused("ALL items.bdy == 'x'", at: 10, "a field of Item", "unknownField", of: .project),
        Refused("ANY == 1", at: 4, "items.FIELD", of: .project),
        Refused("ANY body == 'x'", at: 0, "a field of Item"),
        Refused("items.@count == 1", at: 0, "a field of Item", "unknownField"),
        Refused("project.name == 'x'", at: 0, "a field of Permission", "unknownField", of: .permission),
        // Types.
        Refused("priority == 'high'", at: 12, "a number, a place or NULL", "wrongType"),
        Refused("priority == TRUE", at: 12, "a number, a place or NULL", "wrongType"),
        Refused("isDone == 1", at: 10, "TRUE, FALSE, a place or NULL", "wrongType"),
        Refused("body == 5", at: 8, "a quoted text, a place or NULL", "wrongType"),
        Refused("body IN {'a', 5}", at: 14, "a quoted text, a place or NULL", "wrongType"),
        Refused("dueDate < 5", at: 10, "a quoted RFC 3339 date, a place or NULL", "wrongType"),
        Refused("dueDate < '2026-02-30T00:00:00Z'", at: 10, "a date such as '2026-11-30T01:02:03Z'", "wrongType"),
        Refused("dueDate == $user", at: 11, "a date such as '2026-11-30T01:02:03Z'", "wrongType"),
        Refused("isDone < TRUE", at: 7, "one of == != IN", "wrongType"),
        Refused("isDone BETWEEN {FALSE, TRUE}", at: 7, "one of == != IN", "wrongType"),
        Refused("priority CONTAINS 1", at: 9, "one of == != < <= > >= IN BETWEEN", "wrongType"),
        Refused("dueDate LIKE '2026*'", at: 8, "one of == != < <= > >= IN BETWEEN", "wrongType"),
        Refused("items.@count == 'x'", at: 16, "a number, a place or NULL", "wrongType", of: .project),
        Refused("project.name == 1", at: 16, "a quoted text, a place or NULL", "wrongType"),
        // Arguments.
        Refused("priority == $0", at: 12, "an argument", "missingArgument", path: "args[0]"),
        Refused("priority == $2", at: 12, "an argument", "missingArgument", args: [.value(.null)], path: "args[2]"),
        Refused(
            "priority == %@ OR priority == %@", at: 30, "an argument", "missingArgument", args: [.value(.integer(1))], path: "args[1]"),
        Refused("priority == $0 OR priority == %@", at: 30, "$0", args: [.value(.integer(1)), .value(.integer(1))]),
        Refused("priority == %@ OR priority == $0", at: 30, "%@", args: [.value(.integer(1))]),
        Refused(
            "priority == $0", at: 12, "a number, a place or NULL", "wrongType", args: [.value(.string("x"))], path: "args[0]"),
        Refused("priority == $0", at: 12, "a number, a place or NULL", "wrongType", args: [.array([])], path: "args[0]"),
        Refused("priority IN $0", at: 12, "an array", "wrongType", args: [.value(.integer(1))], path: "args[0]"),
        Refused("priority IN {$0}", at: 13, "a number, a place or NULL", "wrongType", args: [.array([])], path: "args[0]"),
        Refused(
            "priority IN $0", at: 12, "a number, a place or NULL", "wrongType", args: [.array([.integer(1), .string("x")])],
            path: "args[0][1]"),
        Refused(
            "priority BETWEEN $1", at: 17, "a number, a place or NULL", "wrongType",
            args: [.value(.null), .array([.string("x"), .integer(1)])], path: "args[1][0]"),
        Refused("priority == $99999999999999999999", at: 12, "an argument", "missingArgument", path: "args[99999999999999999999]"),
        Refused(
            "isDone == TRUE AND priority BETWEEN $1", at: 36, "two values", "wrongType", args: [.value(.null), .array([.integer(1)])],
            path: "args[1]"),
        Refused(
            "dueDate > $0", at: 10, "a date such as '2026-11-30T01:02:03Z'", "wrongType", args: [.value(.string("now"))],
            path: "args[0]"),
        Refused(
            "priority == $0", at: 12, "a number, a place or NULL", "wrongType", args: [.value(.double(.infinity))], path: "args[0]"),
    ]

    @Test("A fault is reported at its byte, with what was expected there", arguments: faulty)
    func faults(_ refused: Refused) throws {
        let refusal = try #require(refusalOf(refused.text, of: refused.className, args: refused.args), "it was accepted")
        #expect(refusal.position == refused.position)
        #expect(refusal.expected == refused.expected)
        #expect(refusal.reason == refused.reason)
        #expect(refusal.path == refused.path)
        #expect(refusal.kind == .invalid)
        #expect(refusal.message.hasSuffix("."), "a message is a sentence: \(refusal.message)")
    }

    /// Texts that are wrong at a place where the message names what stands there.
    private static let long: [String] = [
        "priority == " + String(repeating: "9", count: 4_000), "priority == $" + String(repeating: "9", count: 4_000),
        "priority == $x" + String(repeating: "x", count: 4_000), String(repeating: "x", count: 4_000) + " == 1",
        "project." + String(repeating: "x", count: 4_000) + " == 1", "project.owner." + String(repeating: "x", count: 4_000) + " == 1",
        "items." + String(repeating: "x", count: 4_000) + " == 1", "ANY items." + String(repeating: "x", count: 4_000) + " == 1",
        // One character, as a person would count, of 4,001 code points.
        "dueDate == 'e" + String(repeating: "\u{301}", count: 4_000) + "'",
    ]

    @Test("A message repeats what was sent, but not at any length", arguments: long.indices)
    func quotations(_ index: Int) throws {
        let text = Self.long[index]
        for className in [ClassName.item, .project] {
            let refusal = try #require(refusalOf(text, of: className))
            #expect(refusal.message.utf8.count < 700)
            #expect([refusal.path, refusal.expected].allSatisfy { ($0 ?? "").utf8.count < 200 })
        }
    }

    @Test("A place is named as it was written")
    func places() throws {
        #expect(try #require(refusalOf("priority == $99999999999999999999")).message.contains("$99999999999999999999:"))
    }

    private static let wellFormed: [String] = [
        "TRUEPREDICATE", "falsepredicate", "priority=1", "priority==1 and isDone=false", "(((priority == 1)))",
        "!(priority == 1)", "NOT NOT !priority == 1", "priority <> +1", "priority == -9223372036854775808", "priority < 1.5e3",
        "priority == .5", "priority == 5.", "priority < 123456789012345678901234567890", "priority IN {}", "priority in { 1 , 2 }",
        "body ==[C] 'a'", "body == [dc] \"a\"", "body\n\tCONTAINS[cd]\r\n'a'", #"body == '\u00e9\ud83d\ude00\'\"\\\/\b\f\n\r\t'"#,
        "body == \"it's\"", "isDone == YES || isDone == no", "assignee == NIL", "assignee != null", "priority < NULL",
        "body BEGINSWITH NULL", "dueDate BETWEEN {NULL, '2026-01-01T00:00:00+02:00'}", "createdBy == $USER",
        "project.name LIKE '*'", "project.itemCount > 2", "isDone IN {TRUE, FALSE, NULL}", "body == ''",
    ]

    @Test("These are predicates on items", arguments: wellFormed)
    func accepted(_ text: String) throws {
        #expect(refusalOf(text)?.message == nil)
    }

    @Test("A message names the field that was probably meant, and the fields that there are")
    func suggestions() throws {
        #expect(try #require(refusalOf("priorty == 1")).message.contains("Did you mean priority?"))
        #expect(try #require(refusalOf("DUEDATE == NULL")).message.contains("Did you mean dueDate?"))
        let far = try #require(refusalOf("colour == 1")).message
        #expect(!far.contains("Did you mean"))
        #expect(far.contains("itemId, projectId, body"))
        #expect(!(try #require(refusalOf("colour == 1", of: .project)).message.contains("creator")), "a hidden field is not named")
    }

    @Test("NOT binds before AND, AND before OR, parentheses before all")
    func precedence() throws {
        func same(_ left: String, _ right: String) throws -> Bool {
            try Predicate.parse(left, of: .item, user: "u1") == Predicate.parse(right, of: .item, user: "u1")
        }
        let (a, b, c) = ("priority == 1", "isDone == TRUE", "body == 'x'")
        #expect(try same("\(a) OR \(b) AND \(c)", "\(a) OR (\(b) AND \(c))"))
        #expect(try same("\(a) AND \(b) OR \(c)", "(\(a) AND \(b)) OR \(c)"))
        #expect(try same("NOT \(a) AND \(b)", "(NOT \(a)) AND \(b)"))
        #expect(try same("!\(a) || \(b)", "(NOT \(a)) OR \(b)"))
        #expect(try !same("(\(a) OR \(b)) AND \(c)", "\(a) OR \(b) AND \(c)"))
        #expect(try !same("NOT (\(a) AND \(b))", "NOT \(a) AND \(b)"))
    }

    @Test("$user is the caller, and a predicate says whether it looks at it")
    func user() throws {
        let mine = try Predicate.parse("createdBy == $user", of: .item, user: "u1")
        #expect(mine.usesUser)
        #expect(mine.matches(item("i1", ["createdBy": .string("u1")]), related: NoRelatedObjects()))
        #expect(!mine.matches(item("i1", ["createdBy": .string("u2")]), related: NoRelatedObjects()))
        #expect(try Predicate.parse("createdBy IN {'x', $user}", of: .item, user: "u1").usesUser)
        #expect(try !Predicate.parse("createdBy == 'u1'", of: .item, user: "u1").usesUser)
        #expect(!Predicate.all.usesUser)
    }

    @Test("A predicate says which related objects it looks at")
    func relations() throws {
        func relations(_ text: String, _ className: ClassName) throws -> Predicate.Relations {
            try Predicate.parse(text, of: className, user: "u1").relations
        }
        #expect(try relations("priority == 1 OR NOT project.name == 'x'", .item) == .project)
        #expect(try relations("priority == 1 AND isDone == TRUE", .item) == [])
        #expect(try relations("name == 'x' OR (ANY items.isDone == TRUE)", .project) == .items)
        #expect(try relations("NONE items.isDone == TRUE", .project) == .items)
        #expect(try relations("items.@count > 2", .project) == [], "the count is the project's own")
    }
}

@Suite("Bounds of predicates")
struct PredicateLimitsTests {
    private func limit(_ text: String, args: [Argument] = []) -> Refusal.Kind? {
        do throws(Refusal) {
            _ = try Predicate.parse(text, of: .item, args: args, user: "u1")
            return nil
        } catch { return error.kind }
    }

    @Test("A text is bounded in bytes")
    func bytes() {
        let comparison = "body == ''"
        #expect(limit(comparison + String(repeating: " ", count: 8192 - comparison.utf8.count)) == nil)
        #expect(
            limit(comparison + String(repeating: " ", count: 8193 - comparison.utf8.count)) == .limit(name: "filterBytes", maximum: 8192))
    }

    @Test("Parentheses and negations are bounded in depth")
    func depth() {
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            String(repeating: open, count: depth) + "priority == 1" + String(repeating: close, count: depth)
        }
        #expect(limit(nested("(", ")", 32)) == nil)
        #expect(limit(nested("(", ")", 33)) == .limit(name: "filterDepth", maximum: 32))
        #expect(limit(nested("NOT ", "", 32)) == nil)
        #expect(limit(nested("!", "", 33)) == .limit(name: "filterDepth", maximum: 32))
        #expect(limit(nested("!", "", 8000)) == .limit(name: "filterDepth", maximum: 32))
        #expect(limit(String(repeating: "(", count: 8192)) == .limit(name: "filterDepth", maximum: 32))
        // Beside one another they are no depth.
        #expect(limit(Array(repeating: "(isDone == NO)", count: 100).joined(separator: " AND ")) == nil)
    }

    @Test("Comparisons are bounded in number")
    func terms() {
        func many(_ count: Int) -> String { Array(repeating: "isDone == NO", count: count).joined(separator: " OR ") }
        #expect(limit(many(256)) == nil)
        #expect(limit(many(257)) == .limit(name: "filterTerms", maximum: 256))
    }

    @Test("Lists and patterns are bounded")
    func lists() {
        func array(_ count: Int) -> [Argument] { [.array(Array(repeating: .integer(1), count: count))] }
        #expect(limit("priority IN $0", args: array(10_000)) == nil)
        #expect(limit("priority IN $0", args: array(10_001)) == .limit(name: "filterElements", maximum: 10_000))
        func pattern(_ count: Int) -> [Argument] { [.value(.string(String(repeating: "é", count: count)))] }
        #expect(limit("body LIKE $0", args: pattern(1024)) == nil)
        #expect(limit("body LIKE[c] $0", args: pattern(1025)) == .limit(name: "filterPatternLength", maximum: 1024))
        #expect(limit("body LIKE $0 OR notes LIKE $0", args: pattern(512)) == nil)
        #expect(limit("body LIKE $0 OR notes LIKE $0", args: pattern(513)) == .limit(name: "filterPatternLength", maximum: 1024))
    }

    @Test("The host may set other bounds")
    func configured() throws {
        var limits = PredicateLimits()
        limits.terms = 1
        #expect(throws: Refusal.self) { try Predicate.parse("isDone == NO AND isDone == YES", of: .item, user: "u1", limits: limits) }
        _ = try Predicate.parse("isDone == NO", of: .item, user: "u1", limits: limits)
    }

    @Test("No text crashes the reader")
    func noise() {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("predicate noise: seed \(seed)")
        var generator = SplitMix(seed: seed)
        let pieces = [
            "priority", "body", "project.name", "items", ".", "@count", "==", "!=", "<", ">=", "IN", "BETWEEN", "{", "}", "(", ")", "[c]",
            "[",
            "'", "\"", "\\", "\\u", "d800", "$", "$0", "$user", "%@", "NOT", "!", "AND", "&&", "|", "NULL", "1", "-", "1e5", " ", "é",
            "\u{0}",
            "ANY", "LIKE", "*", "\u{1F600}", ",",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            let joined = text.joined(separator: Bool.random(using: &generator) ? " " : "")
            do throws(Refusal) {
                _ = try Predicate.parse(joined, of: .item, args: [.value(.integer(1))], user: "u1")
            } catch {
                let position = error.position ?? -1
                if position < 0 || position > joined.utf8.count { Issue.record("\(joined): position \(position)") }
            }
        }
    }
}
