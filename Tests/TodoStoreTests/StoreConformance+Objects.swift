import Testing
import Todo
import TodoStore

extension ConformanceCase {
    static let objects = [
        ConformanceCase("Objects of every class come back as they went in, and as they were updated") { store in
            let old: [Object] = [
                Sample.project("p1"), Sample.item("i1", attachments: ["a", "b"]), Sample.permission("p1", "u1"),
                Sample.user("u1", name: "Ann"),
            ]
            let new: [Object] = [
                old[0].with("itemCount", .integer(7)).with("access", .string("everyone-read")),
                old[1].with("isDone", .boolean(true)).with("completedAt", .date(.earliest)).with("dueDate", .date(.latest))
                    .with("assignee", .string("u2")).with("priority", .integer(3)).with("attachments", .strings([])),
                old[2].with("role", .string("owner")),
                old[3].with("isAdmin", .boolean(true)).with("name", .string("Bob")),
            ]
            try store.transaction { for object in old { try store.insert(object) } }
            for object in old { #expect(try store.object(object.className, object.key) == object) }
            try store.transaction { for (old, new) in zip(old, new) { try store.update(new, from: old) } }
            for object in new { #expect(try store.object(object.className, object.key) == object) }
            try store.transaction { for object in new { try store.delete(object) } }
            for object in new { #expect(try store.object(object.className, object.key) == nil) }
        },
        ConformanceCase("Texts are kept byte for byte") { store in
            let texts = [
                "", "e\u{301}", "é", "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "'; DROP TABLE items; --", "\u{FEFF}x",
                "\u{10FFFF}\u{1}",
                "x\u{0}y", String(repeating: "ж", count: 50_000),
            ]
            try store.begin()
            for (number, text) in texts.enumerated() {
                try store.insert(Sample.item("i\(number)", body: text, notes: text, attachments: [text, text]))
            }
            try store.commit()
            for (number, text) in texts.enumerated() {
                let found = try store.object(.item, "i\(number)")
                #expect(found == Sample.item("i\(number)", body: text, notes: text, attachments: [text, text]))
                let body = Term(place: ItemField.body, .equal, .string(text))
                #expect(try store.keys(.item, [body]) == ["i\(number)"])
            }
        },
        ConformanceCase("Terms narrow, and never give fewer objects than they allow") { store in
            try store.begin()
            for number in 0..<40 {
                var item = Sample.item("i\(number)", project: "p\(number % 3)", position: String(UnicodeScalar(UInt8(65 + number))))
                item = item.with("isDone", .boolean(number % 2 == 0)).with("priority", .integer(Int64(number % 4)))
                if number % 5 == 0 { item = item.with("dueDate", .date(Timestamp(milliseconds: Int64(number)))) }
                try store.insert(item)
            }
            try store.commit()
            let due = try #require(Schema.item.place(of: "dueDate"))
            let priority = try #require(Schema.item.place(of: "priority"))
            let attachments = try #require(Schema.item.place(of: "attachments"))
            let inProject = Term(place: ItemField.projectId, .equal, .string("p1"))
            func expect(_ terms: [Term], _ holds: (Int) -> Bool) throws {
                #expect(try store.keys(.item, terms) == (0..<40).filter(holds).map { "i\($0)" }.sorted())
            }
            try expect([]) { _ in true }
            try expect([inProject]) { $0 % 3 == 1 }
            try expect([inProject, Term(place: ItemField.isDone, .equal, .boolean(true))]) { $0 % 3 == 1 && $0 % 2 == 0 }
            try expect([inProject, Term(place: ItemField.position, .greater, .string("Z"))]) { $0 % 3 == 1 && 65 + $0 > 90 }
            try expect([Term(place: due, .less, .date(Timestamp(milliseconds: 20)))]) { $0 % 5 == 0 && $0 < 20 }
            try expect([Term(place: due, .greaterOrEqual, .date(Timestamp(milliseconds: 20)))]) { $0 % 5 == 0 && $0 >= 20 }
            try expect([Term(place: priority, .lessOrEqual, .double(1.5))]) { $0 % 4 <= 1 }
            try expect([Term(place: ItemField.itemId, .equal, .string("i7"))]) { $0 == 7 }
            // Terms that the store cannot decide must not lose anything.
            try expect([Term(place: attachments, .equal, .strings(["x"]))]) { _ in true }
            try expect([Term(place: priority, .equal, .string("1"))]) { _ in true }
            try expect([Term](repeating: inProject, count: 30)) { $0 % 3 == 1 }
        },
        ConformanceCase("Reading ends when the body says so or throws, and may nest in itself") { store in
            try store.transaction { for number in 0..<10 { try store.insert(Sample.item("i\(number)")) } }
            var count = 0
            try store.forEach(.item, where: []) { _ in
                count += 1
                return count < 3
            }
            #expect(count == 3)
            struct Stop: Error {}
            #expect(throws: Stop.self) { try store.forEach(.item, where: []) { _ in throw Stop() } }
            var pairs = 0
            try store.forEach(.item, where: []) { _ in
                try store.forEach(.item, where: []) { _ in
                    pairs += 1
                    return true
                }
                return true
            }
            #expect(pairs == 100)
        },
        ConformanceCase("Permissions come oldest first, also after an update") { store in
            let users = ["zoe", "ann", "max", "bob"]
            try store.transaction { for user in users { try store.insert(Sample.permission("p1", user)) } }
            try store.transaction { () throws in
                let old = Sample.permission("p1", "zoe")
                try store.update(old.with("role", .string("owner")), from: old)
                try store.insert(Sample.permission("p2", "ann"))
                try store.insert(Sample.permission("p0", "ann"))
            }
            #expect(try store.permissions(ofProject: "p1").map { $0.text(PermissionField.userId) } == users)
            #expect(try store.permissions(ofUser: "ann").map { $0.text(PermissionField.projectId) } == ["p1", "p2", "p0"])
            #expect(try store.permissions(ofProject: "p9").isEmpty)
        },
        ConformanceCase("Positions are found in the order of code points, within one project") { store in
            try store.transaction { () throws in
                for (key, position) in [("a", "B"), ("b", "Za"), ("c", "a"), ("d", "z"), ("e", "z")] {
                    try store.insert(Sample.item(key, position: position))
                }
                try store.insert(Sample.item("x", project: "p2", position: "A"))
            }
            #expect(try store.firstPosition(inProject: "p1") == "B")
            #expect(try store.lastPosition(inProject: "p1") == "z")
            #expect(try store.firstPosition(inProject: "p9") == nil)
            #expect(try store.lastPosition(inProject: "p9") == nil)
            #expect(try store.position(before: "a", inProject: "p1", except: "x") == "Za")
            #expect(try store.position(before: "a", inProject: "p1", except: "b") == "B")
            #expect(try store.position(before: "B", inProject: "p1", except: "x") == nil)
            #expect(try store.position(after: "a", inProject: "p1", except: "d") == "z")
            #expect(try store.position(after: "Za", inProject: "p1", except: "c") == "z")
            #expect(try store.position(after: "z", inProject: "p1", except: "x") == nil)
        },
    ]
}
