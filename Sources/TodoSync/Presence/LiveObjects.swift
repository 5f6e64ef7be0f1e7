import Todo
import TodoStore

/// The store's objects and, beside them, the volatile ones that live in memory: what live lists and presence transactions read.
///
/// Through one interface for both, everything that works on stored objects works on presences: rights, predicates, lists, diffs.
/// What was done to the volatile ones is kept until it is published, merged for each object.
final class LiveObjects: ObjectStore {
    private let store: any Store
    private var table = PresenceTable()
    private var record = ChangeRecord()
    private var writers: [String: String] = [:]
    /// What the open group did, so that it can be taken back with it.
    private var undo: [Change] = []

    init(_ store: any Store) {
        self.store = store
    }

    // MARK: Volatile changes

    var count: Int { table.count }
    private(set) var hasChanges = false
    /// A place in what the open group did, for `rollback(to:)`.
    var mark: Int { undo.count }

    /// What was done since the last time, and who wrote each; nobody where the server did.
    func takeChanges() -> [(change: Change, writer: String?)] {
        guard hasChanges else { return [] }
        let taken = record.netChanges.map { ($0, writers[$0.key]) }
        record = ChangeRecord()
        writers.removeAll()
        hasChanges = false
        return taken
    }

    func note(writer: String, of changes: [Change]) {
        for change in changes { writers[change.key] = writer }
    }

    /// What the group did is settled.
    func settle() { undo.removeAll(keepingCapacity: true) }

    /// Takes back what the group did behind that mark.
    func rollback(to mark: Int) {
        while undo.count > mark {
            let change = undo.removeLast()
            // A row that vanished with its session meanwhile stays away.
            guard change.after == nil || table.object(change.key) != nil else { continue }
            set(change.key, to: change.before)
        }
    }

    func removePresences(ofSession session: String) {
        for key in table.keys(ofSession: session) { set(key, to: nil) }
    }

    /// Removes the presences in a project whose users it does not hold for any more.
    func removePresences(inProject projectId: String, unless holds: (_ user: String) -> Bool) {
        for key in table.keys(ofProject: projectId) {
            guard let row = table.object(key), !holds(row.text(PresenceField.userId)) else { continue }
            set(key, to: nil)
        }
    }

    private func set(_ key: String, to row: Object?) {
        record.note(.presence, key, before: table.object(key), after: row)
        hasChanges = true
        if let row { table.put(row) } else { table.remove(key) }
    }

    private func write(_ key: String, _ row: Object?) {
        undo.append(Change(.presence, key: key, before: table.object(key), after: row))
        set(key, to: row)
    }

    // MARK: Objects

    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
        className.isVolatile ? table.object(key) : try store.object(className, key)
    }

    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        if className.isVolatile { return try table.forEach(where: terms, body) }
        try store.forEach(className, where: terms, body)
    }

    func insert(_ object: Object) throws(StoreFailure) {
        if object.className.isVolatile { return write(object.key, object) }
        try store.insert(object)
    }

    func update(_ object: Object, from old: Object) throws(StoreFailure) {
        if object.className.isVolatile { return write(object.key, object) }
        try store.update(object, from: old)
    }

    func delete(_ object: Object) throws(StoreFailure) {
        if object.className.isVolatile { return write(object.key, nil) }
        try store.delete(object)
    }

    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] { try store.permissions(ofProject: projectId) }

    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] { try store.permissions(ofUser: userId) }

    func userNamed(normalisedName: String) throws(StoreFailure) -> Object? { try store.userNamed(normalisedName: normalisedName) }

    func firstPosition(inProject projectId: String) throws(StoreFailure) -> String? { try store.firstPosition(inProject: projectId) }

    func lastPosition(inProject projectId: String) throws(StoreFailure) -> String? { try store.lastPosition(inProject: projectId) }

    func position(before position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try store.position(before: position, inProject: projectId, except: key)
    }

    func position(after position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try store.position(after: position, inProject: projectId, except: key)
    }
}
