import Testing
import Todo
import TodoStore

extension ConformanceCase {
    static let log = [
        ConformanceCase("Changes since a version are merged an object, without those that came to nothing") { store in
            let (p1, p2, p3) = (Sample.project("p1"), Sample.project("p2"), Sample.project("p3"))
            try store.write(.creation(p1), .creation(p2), by: "u1")
            let renamed = p1.with("name", .string("Work"))
            try store.write(.update(p1, renamed), .creation(p3), by: "u2")
            try store.write(.update(renamed, p1), .deletion(p3), by: "u3")
            let counted = p2.with("itemCount", .integer(1))
            try store.write(.update(p2, counted), by: nil)
            try store.write(.deletion(counted), by: "u2")
            #expect(try store.changes(since: 1, rowsMax: 100) == .net(version: 5, changes: [.deletion(p2)], by: [["u2"]]))
            #expect(try store.changes(since: 3, rowsMax: 100) == .net(version: 5, changes: [.deletion(p2)], by: [["u2"]]))
            #expect(try store.changes(since: 4, rowsMax: 100) == .net(version: 5, changes: [.deletion(counted)], by: [["u2"]]))
            #expect(try store.changes(since: 0, rowsMax: 100) == .net(version: 5, changes: [.creation(p1)], by: [["u1", "u2", "u3"]]))
        },
        ConformanceCase("A key deleted and created again is one update") { store in
            let (old, new) = (Sample.item("i1", body: "old"), Sample.item("i1", project: "p2", body: "new"))
            try store.write(.creation(old))
            try store.write(.deletion(old))
            try store.write(.creation(new))
            // It was in two projects: who sees the one need not know who wrote in the other.
            #expect(try store.changes(since: 1, rowsMax: 9) == .net(version: 3, changes: [.update(old, new)], by: [[]]))
        },
        ConformanceCase("A version that has not come, or is negative, is unknown") { store in
            try store.write(.creation(Sample.project("p1")))
            #expect(try store.changes(since: 2, rowsMax: 9) == .unknown)
            #expect(try store.changes(since: -1, rowsMax: 9) == .unknown)
            #expect(try store.changes(since: Int64.max, rowsMax: 9) == .unknown)
            #expect(try store.changes(since: Int64.min, rowsMax: 9) == .unknown)
        },
        ConformanceCase("No more rows of the log are read than allowed") { store in
            try store.write(.creation(Sample.project("p1")), .creation(Sample.project("p2")), .creation(Sample.project("p3")))
            try store.write(.creation(Sample.project("p4")))
            #expect(try store.changes(since: 0, rowsMax: 3) == .tooMany)
            #expect(try store.changes(since: 0, rowsMax: 1) == .tooMany)
            guard case .net(2, let changes, _) = try store.changes(since: 0, rowsMax: 4) else {
                Issue.record("four rows are allowed")
                return
            }
            #expect(changes.count == 4)
        },
        ConformanceCase("At most ten users are named for an object, those who wrote it first") { store in
            var project = Sample.project("p1")
            try store.write(.creation(project), .creation(Sample.project("p2")), by: "u20")
            for number in 1..<12 {
                let renamed = project.with("name", .string("\(number)"))
                try store.write(.update(project, renamed), by: "u\(20 - number)")
                project = renamed
            }
            guard case .net(_, _, let by) = try store.changes(since: 0, rowsMax: 100) else {
                Issue.record("the log reaches back")
                return
            }
            #expect(by.map(\.count).sorted() == [1, 10])
            #expect(by.contains((0..<10).map { "u\(20 - $0)" }))
        },
        ConformanceCase("Upkeep removes old entries in steps, never the last one, and positions before them become unknown") { store in
            for number in 1...10 {
                try store.write(
                    .creation(Sample.project("p\(number)")), .creation(Sample.item("i\(number)")),
                    at: Timestamp(milliseconds: Int64(number)))
            }
            var limits = UpkeepLimits()
            limits.rowsMax = 3
            limits.logAgeMilliseconds = 4
            // Versions 1–5 are older than 10 - 4 = 6: ten rows, three a step.
            var steps = 1
            while try store.upkeep(now: Timestamp(milliseconds: 10), limits: limits) { steps += 1 }
            #expect(steps == 4)
            #expect(try store.changes(since: 4, rowsMax: 100) == .unknown)
            guard case .net(10, let changes, _) = try store.changes(since: 5, rowsMax: 100) else {
                Issue.record("version 6 is still there")
                return
            }
            #expect(changes.count == 10)
            while try store.upkeep(now: Timestamp(milliseconds: 1000), limits: limits) {}
            #expect(try store.changes(since: 8, rowsMax: 100) == .unknown)
            #expect(try store.changes(since: 9, rowsMax: 100) != .unknown)
            #expect(store.version == 10)
            try store.write(.creation(Sample.project("p11")))
            #expect(store.version == 11)
        },
        ConformanceCase("An entry that upkeep has removed in part is not whole") { store in
            try store.write(.creation(Sample.project("p1")), .creation(Sample.project("p2")), at: Timestamp(milliseconds: 1))
            try store.write(.creation(Sample.project("p3")), at: Timestamp(milliseconds: 1))
            var limits = UpkeepLimits()
            limits.rowsMax = 1
            #expect(try store.upkeep(now: .latest, limits: limits))
            #expect(try store.changes(since: 0, rowsMax: 100) == .unknown)
            #expect(try store.changes(since: 1, rowsMax: 100) != .unknown)
            // The rest of it goes even where the limits would keep the entry now.
            limits.rowsMax = 100
            #expect(try !store.upkeep(now: Timestamp(milliseconds: 2), limits: limits))
            #expect(try store.changes(since: 1, rowsMax: 100) != .unknown)
        },
        ConformanceCase("Upkeep holds the log to its size") { store in
            let empty = Sample.item("i1", notes: "")
            try store.write(.creation(empty))
            var last = empty
            for number in 0..<50 {
                let next = last.with("notes", .string(String(repeating: "\(number % 10)", count: 1000)))
                try store.write(.update(last, next))
                last = next
            }
            var limits = UpkeepLimits()
            limits.logBytesMax = 10_000
            while try store.upkeep(now: Sample.moment, limits: limits) {}
            // An update logs about 2 KB, the old notes and the new ones.
            #expect(try store.changes(since: 51 - 4, rowsMax: 100) != .unknown)
            #expect(try store.changes(since: 51 - 6, rowsMax: 100) == .unknown)
        },
        ConformanceCase("A transaction is remembered for its user, with its ids, until upkeep forgets it") { store in
            let first = RememberedTransaction(
                userId: "u1", txn: "t1", version: 5, ids: ["a", nil, "", "é"], at: Timestamp(milliseconds: 1000))
            try store.transaction { try store.remember(first) }
            #expect(try store.rememberedTransaction(user: "u1", txn: "t1") == first)
            #expect(try store.rememberedTransaction(user: "u2", txn: "t1") == nil)
            let second = RememberedTransaction(userId: "u1", txn: "t1", version: 6, ids: [], at: Timestamp(milliseconds: 2000))
            try store.transaction { try store.remember(second) }
            #expect(try store.rememberedTransaction(user: "u1", txn: "t1") == second)
            var limits = UpkeepLimits()
            limits.rememberedAgeMilliseconds = 500
            _ = try store.upkeep(now: Timestamp(milliseconds: 2500), limits: limits)
            #expect(try store.rememberedTransaction(user: "u1", txn: "t1") == second)
            _ = try store.upkeep(now: Timestamp(milliseconds: 2501), limits: limits)
            #expect(try store.rememberedTransaction(user: "u1", txn: "t1") == nil)
        },
    ]

    static let history = [
        ConformanceCase("The history of a project has its objects' changes, newest first, in pages") { store in
            let item = Sample.item("i1")
            try store.write(.creation(Sample.project("p1")), .creation(item), .creation(Sample.project("p2")), by: "u1")
            let done = item.with("isDone", .boolean(true))
            try store.write(.update(item, done), by: "u2")
            try store.write(.creation(Sample.item("other", project: "p2")))
            let moved = done.with("projectId", .string("p2"))
            try store.write(.update(done, moved), by: nil)
            try store.write(.deletion(moved))
            let back = moved.with("notes", .string("again"))
            try store.write(.creation(back))
            let home = back.with("projectId", .string("p1"))
            try store.write(.update(back, home))
            let all = try store.history(of: .project("p1"), before: nil, limit: 50)
            #expect(all.map(\.version) == [7, 4, 2, 1])
            #expect(all.map(\.by) == ["u1", nil, "u2", "u1"])
            #expect(all[3].changes.map(\.key) == ["p1", "i1"])
            #expect(all[3].changes.map(\.kind) == [.create, .create])
            #expect(all[2].changes[0].before.map(\.place) == [ItemField.isDone])
            #expect(all[2].changes[0].after.map(\.value) == [.boolean(true)])
            #expect(try store.history(of: .project("p2"), before: nil, limit: 50).map(\.version) == [7, 6, 5, 4, 3, 1])
            #expect(try store.history(of: .project("p2"), before: 4, limit: 1).map(\.version) == [3])
            #expect(try store.history(of: .item("i1", project: "p1"), before: nil, limit: 50).map(\.version) == [7, 6, 5, 4, 2, 1])
            #expect(try store.history(of: .item("i1", project: "p1"), before: 6, limit: 3).map(\.version) == [5, 4, 2])
            #expect(try store.history(of: .item("i1", project: "p1"), before: nil, limit: 2).map(\.version) == [7, 6])
            #expect(try store.history(of: .item("p1", project: "p1"), before: nil, limit: 3).isEmpty)
        }
    ]
}
