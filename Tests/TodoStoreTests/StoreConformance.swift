import Testing
import Todo
import TodoStore

/// What every store must do. A store's own tests run each case against a new, empty store.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let name: String
    let run: @Sendable (any Store) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (any Store) throws -> Void) {
        self.name = name
        self.run = run
    }

    var testDescription: String { name }

    static let all = transactions + objects + log + history + accounts + invitations
}

extension ConformanceCase {
    static let transactions = [
        ConformanceCase("A new store is at version 0 and has an epoch") { store in
            #expect(store.version == 0)
            #expect(store.nextVersion == 1)
            #expect(store.epoch.utf8.count >= 16)
        },
        ConformanceCase("The version moves with the commit, not with the entry") { store in
            try store.begin()
            try store.apply([.creation(Sample.project("p1"))])
            #expect(store.version == 0)
            #expect(store.nextVersion == 2)
            try store.commit()
            #expect(store.version == 1)
        },
        ConformanceCase("A rollback leaves nothing and takes the version back") { store in
            try store.write(.creation(Sample.project("p1")))
            try store.begin()
            try store.apply([.creation(Sample.project("p2"))])
            #expect(try store.object(.project, "p2") != nil)
            store.rollback()
            store.rollback()
            #expect(try store.object(.project, "p2") == nil)
            #expect(store.nextVersion == 2)
            #expect(try store.changes(since: 1, rowsMax: 10) == .net(version: 1, changes: [], by: []))
        },
        ConformanceCase("A part that is dropped leaves nothing, and those around it stay") { store in
            try store.begin()
            for (number, isKept) in [(1, true), (2, false), (3, true)] {
                try store.beginNested()
                try store.apply([.creation(Sample.project("p\(number)"))])
                let remembered = RememberedTransaction(
                    userId: "u1", txn: "t\(number)", version: store.nextVersion - 1, ids: [], at: Sample.moment)
                try store.remember(remembered)
                #expect(
                    try store.insertAccount(
                        Account(
                            userId: "u\(number)", provider: "password", subject: "n\(number)", passwordHash: nil, createdAt: Sample.moment))
                )
                if isKept { try store.commitNested() } else { try store.rollbackNested() }
            }
            try store.commit()
            #expect(store.version == 2)
            #expect(try store.keys(.project) == ["p1", "p3"])
            #expect(try store.rememberedTransaction(user: "u1", txn: "t2") == nil)
            #expect(try store.rememberedTransaction(user: "u1", txn: "t3")?.version == 2)
            #expect(try store.account(provider: "password", subject: "n2") == nil)
            let expected: [Change] = [.creation(Sample.project("p1")), .creation(Sample.project("p3"))]
            #expect(try store.changes(since: 0, rowsMax: 10) == .net(version: 2, changes: expected, by: expected.map { _ in ["u1"] }))
        },
        ConformanceCase("A key that exists is refused, and the transaction goes on") { store in
            try store.begin()
            try store.beginNested()
            try store.apply([.creation(Sample.project("p1"))])
            try store.commitNested()
            try store.beginNested()
            #expect(throws: StoreFailure.self) { try store.insert(Sample.project("p1", name: "Other")) }
            try store.rollbackNested()
            try store.commit()
            #expect(try store.object(.project, "p1") == Sample.project("p1"))
        },
        ConformanceCase("An object that is not there is neither updated nor deleted") { store in
            try store.begin()
            let item = Sample.item("i1")
            #expect(throws: StoreFailure.self) { try store.update(item.with("body", .string("x")), from: item) }
            #expect(throws: StoreFailure.self) { try store.delete(item) }
            store.rollback()
        },
        ConformanceCase("A snapshot stays as it was while the store goes on") { store in
            try store.write(.creation(Sample.project("p1")))
            let first = try store.snapshot()
            try store.begin()
            try store.apply([.creation(Sample.project("p2"))])
            let during = try store.snapshot()
            try store.commit()
            let second = try store.snapshot()
            #expect(first.version == 1)
            #expect(during.version == 1)
            #expect(second.version == 2)
            #expect(try first.keys(.project) == ["p1"])
            #expect(try during.object(.project, "p2") == nil)
            #expect(try second.keys(.project) == ["p1", "p2"])
            #expect(try first.changes(since: 1, rowsMax: 10) == .net(version: 1, changes: [], by: []))
            for snapshot in [first, during, second] { snapshot.release() }
            first.release()
            let third = try store.snapshot()
            #expect(third.version == 2)
            third.release()
        },
    ]
}
