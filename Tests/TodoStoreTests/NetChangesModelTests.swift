import TestSupport
import Testing
import Todo
import TodoStore

/// A store whose every state is kept beside it in memory.
struct StoreModel {
    typealias State = [ObjectID: Object]

    let store: any Store
    /// The state at each version, from version 0 on.
    private(set) var states: [State] = [[:]]
    private(set) var writers: [String?] = [nil]
    /// The objects that each version touched.
    private(set) var touched: [Set<ObjectID>] = [[]]
    private var random: SplitMix

    init(_ store: any Store, seed: UInt64) {
        self.store = store
        random = SplitMix(seed: seed)
    }

    /// Some transactions in one group, of which some are dropped; now and then the whole group.
    mutating func group() throws {
        let (keptStates, keptWriters, keptTouched) = (states, writers, touched)
        try store.begin()
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var state = states[states.count - 1]
            var changes: [Change] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                guard let change = change(in: state, besides: changes) else { continue }
                changes.append(change)
                state[ObjectID(change.className, change.key)] = change.after
            }
            guard !changes.isEmpty else { continue }
            let writer = Bool.random(using: &random) ? "u\(Int.random(in: 0..<14, using: &random))" : nil
            try store.beginNested()
            try store.apply(changes, by: writer)
            if Int.random(in: 0..<4, using: &random) == 0 {
                try store.rollbackNested()
            } else {
                try store.commitNested()
                states.append(state)
                writers.append(writer)
                touched.append(Set(changes.map { ObjectID($0.className, $0.key) }))
            }
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            store.rollback()
            (states, writers, touched) = (keptStates, keptWriters, keptTouched)
        } else {
            try store.commit()
        }
    }

    private mutating func change(in state: State, besides others: [Change]) -> Change? {
        let number = Int.random(in: 0..<8, using: &random)
        let id: ObjectID =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: ObjectID(.project, "p\(number)")
            case 1: ObjectID(.permission, "p1:u\(number)")
            default: ObjectID(.item, "i\(number)")
            }
        guard !others.contains(where: { $0.className == id.className && $0.key == id.key }) else { return nil }
        guard let old = state[id] else { return .creation(fresh(id)) }
        if Int.random(in: 0..<4, using: &random) == 0 { return .deletion(old) }
        return .update(old, altered(old))
    }

    private mutating func fresh(_ id: ObjectID) -> Object {
        switch id.className {
        case .project: Sample.project(id.key)
        case .permission: Sample.permission("p1", String(id.key.dropFirst(3)))
        case .item: Sample.item(id.key, project: "p\(Int.random(in: 0..<3, using: &random))")
        case .user, .presence: Sample.user(id.key, name: id.key)
        }
    }

    private mutating func altered(_ object: Object) -> Object {
        let number = Int.random(in: 0..<3, using: &random)
        switch object.className {
        case .project: return object.with("name", .string("n\(number)"))
        case .permission: return object.with("role", .string(Role.allCases[number].name))
        case .user, .presence: return object.with("name", .string("n\(number)"))
        case .item:
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return object.with("dueDate", number == 0 ? .null : .date(Timestamp(milliseconds: Int64(number))))
            case 1: return object.with("projectId", .string("p\(number)"))
            case 2: return object.with("attachments", .strings([String](repeating: "a", count: number)))
            default: return object.with("isDone", .boolean(number == 0)).with("notes", .string("é\(number)"))
            }
        }
    }

    /// What `changes(since:)` has to answer, as a set.
    func expected(since version: Int) -> (changes: Set<Change>, by: [ObjectID: [String]]) {
        let (old, new) = (states[version], states[states.count - 1])
        var changes: Set<Change> = []
        for id in Set(old.keys).union(new.keys) where old[id] != new[id] {
            changes.insert(Change(id.className, key: id.key, before: old[id], after: new[id]))
        }
        return (changes, by(of: Set(changes.map { ObjectID($0.className, $0.key) }), since: version))
    }

    /// Who is to be named for each: all who wrote it, the first ten; of an object that was in several projects only who brought it from where it
    /// was to where it is, for they may not be known to those who see it now.
    private func by(of ids: Set<ObjectID>, since version: Int) -> [ObjectID: [String]] {
        func project(_ id: ObjectID, _ version: Int) -> String? { states[version][id]?.projectId }
        var found: [ObjectID: [String]] = [:]
        for later in (version + 1)..<max(states.count, version + 1) {
            guard let writer = writers[later] else { continue }
            for id in touched[later].intersection(ids) where found[id]?.contains(writer) != true {
                let isSettled = Set(states[version...].compactMap { $0[id]?.projectId }).count <= 1
                let isWhole = project(id, later - 1) == project(id, version) && project(id, later) == project(id, states.count - 1)
                if isSettled || isWhole { found[id, default: []].append(writer) }
            }
        }
        return found.mapValues { Array($0.prefix(10)) }
    }
}

@Suite struct NetChangesModelTests {
    /// With the first seed, an object is written by more than ten users while it goes from one project to another.
    @Test(arguments: [12_389_291_485_498_222_910, UInt64.random(in: 0...UInt64.max)])
    func `Merged changes take every kept state to the present one`(_ seed: UInt64) throws {
        print("NetChangesModelTests seed: \(seed)")
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        var model = StoreModel(store, seed: seed)
        for _ in 0..<150 {
            try model.group()
            let now = model.states.count - 1
            try #require(store.version == Int64(now), "seed \(seed)")
            for version in Set([0, now / 2, max(0, now - 3), max(0, now - 1), now]) {
                guard case .net(let present, let changes, let by) = try store.changes(since: Int64(version), rowsMax: 100_000) else {
                    Issue.record("seed \(seed): the log reaches back to \(version)")
                    return
                }
                let expected = model.expected(since: version)
                try #require(present == Int64(now), "seed \(seed)")
                try #require(changes.count == expected.changes.count, "seed \(seed), version \(version)")
                try #require(Set(changes) == expected.changes, "seed \(seed), version \(version)")
                for (change, writers) in zip(changes, by) {
                    let id = ObjectID(change.className, change.key)
                    try #require(writers == expected.by[id] ?? [], "seed \(seed), version \(version)")
                }
            }
        }
        #expect(model.states.count > 100)
    }
}
