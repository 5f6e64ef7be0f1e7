/// What a transaction needs to know besides the store.
public struct TransactionSettings: Sendable {
    /// Who writes.
    public var caller: Caller
    /// The date of everything that the transaction sets.
    public var now: Timestamp
    /// The access of projects that are created without one.
    public var accessOfNewProjects: Access
    /// How many objects one filter form may touch.
    public var objectsMax: Int
    /// How much text its filters may search in all, see `SearchBudget`.
    public var searchBytesMax: Int
    /// The session that writes, for what belongs to a session alone; `nil` where none does.
    public var session: String?
    /// How many presences one session may have.
    public var presencesMax = 0

    /// The settings of one transaction.
    public init(caller: Caller, now: Timestamp, accessOfNewProjects: Access, objectsMax: Int, searchBytesMax: Int) {
        self.caller = caller
        self.now = now
        self.accessOfNewProjects = accessOfNewProjects
        self.objectsMax = objectsMax
        self.searchBytesMax = searchBytesMax
    }
}

/// Applies the entries of one transaction to a store, one after the other; each sees what those before it did.
///
/// It holds the rules of the data: rights, sight, preconditions, and what the server keeps (counts, dates, positions, owners).
/// A `Refusal`, `StoreFailure` or `GaveWay` that comes out leaves the store half changed: the caller rolls back.
public struct TransactionRun<Store: ObjectStore> {
    let store: Store
    let settings: TransactionSettings
    let meter: WorkMeter
    let makeId: () -> String
    private(set) var record = ChangeRecord()
    private var searches: SearchBudget
    /// How many objects its filter forms have touched.
    private var touched = 0
    private var countsToAdd: [String: (items: Int64, open: Int64)] = [:]

    /// A run over the store, which must have a transaction open; `makeId` gives fresh ids.
    public init(store: Store, settings: TransactionSettings, meter: WorkMeter = WorkMeter(), makeId: @escaping () -> String) {
        self.store = store
        self.settings = settings
        self.meter = meter
        self.makeId = makeId
        searches = SearchBudget(settings.searchBytesMax)
    }

    /// What the transaction did in all, one change an object, in the order in which each was first touched.
    public var changes: [Change] { record.netChanges }

    /// Applies all entries and answers one id each: the object's for `create` and `upsert`, else `nil`.
    public mutating func apply(_ entries: [Entry]) throws -> [String?] {
        var ids: [String?] = []
        ids.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            do {
                ids.append(try apply(entry))
                try settleCounts()
            } catch let refusal as Refusal {
                throw refusal.under("changes[\(index)]")
            }
        }
        return ids
    }

    private mutating func apply(_ entry: Entry) throws -> String? {
        switch entry {
        case .create(let className, let values):
            return try create(className, values)
        case .upsert(let className, let values):
            return try upsert(className, values)
        case .grant(let userName, let values, let isUpsert):
            return try grant(userName: userName, values, isUpsert: isUpsert)
        case .update(let className, let key, let set, let condition):
            let object = try visible(className, key)
            try requireSight(ofTarget: set, className)
            try requireRight(toSet: set, of: object)
            try require(condition, of: object)
            try update(object, set)
            return nil
        case .delete(let className, let key, let condition):
            let object = try visible(className, key)
            try requireRightToDelete(object)
            try require(condition, of: object)
            try delete(object)
            return nil
        case .move(let key, let place):
            try move(key, to: place)
            return nil
        case .updateMatching(let className, let predicate, let set):
            // A form changes each object once and no other of its class, so what was found is what there is.
            let needed = roleNeeded(toSet: set, ofClass: className)
            let isOwn = isOfOwnSession(_:)
            for object in try matching(className, predicate, may: { role, object in role >= needed && isOwn(object) }) {
                try update(object, set)
            }
            return nil
        case .deleteMatching(let className, let predicate):
            for object in try matching(className, predicate, may: mayDelete(_:_:)) { try delete(object) }
            return nil
        }
    }

    // MARK: Writing, with a record of it

    mutating func insert(_ object: Object) throws {
        try meter.spend()
        try store.insert(object)
        record.note(object.className, object.key, before: nil, after: object)
    }

    mutating func replace(_ old: Object, with new: Object) throws {
        try meter.spend()
        guard old != new else { return }
        try store.update(new, from: old)
        record.note(old.className, old.key, before: old, after: new)
    }

    mutating func remove(_ object: Object) throws {
        try meter.spend()
        try store.delete(object)
        record.note(object.className, object.key, before: object, after: nil)
    }

    mutating func count(items: Int64, open: Int64, in projectId: String) {
        let sum = countsToAdd[projectId] ?? (0, 0)
        countsToAdd[projectId] = (sum.items + items, sum.open + open)
    }

    /// Writes the counts once an entry, so that a filter form over many items writes its project's row once.
    private mutating func settleCounts() throws {
        guard !countsToAdd.isEmpty else { return }
        for (projectId, sum) in countsToAdd where sum != (0, 0) {
            guard let project = try store.object(.project, projectId) else { continue }
            var counted = project
            counted[ProjectField.itemCount] = .integer((project[ProjectField.itemCount].integer ?? 0) + sum.items)
            counted[ProjectField.openCount] = .integer((project[ProjectField.openCount].integer ?? 0) + sum.open)
            try replace(project, with: counted)
        }
        countsToAdd.removeAll(keepingCapacity: true)
    }

    // MARK: Finding

    /// The object, if the caller may see it: else it does not exist for the caller.
    func visible(_ className: ClassName, _ key: String, path: String = "id") throws -> Object {
        guard let object = try store.object(className, key), try sees(object) else {
            throw Refusal(.notFound, "noSuchObject", "There is no \(className.name) with the id '\(key)' that you may see.", path: path)
        }
        return object
    }

    private func require(_ condition: FieldValues, of object: Object) throws {
        for (place, value) in condition where object[place] != value {
            let field = object.className.schema.fields[place].name
            throw Refusal(
                .conflict, "conditionFailed", "'\(field)' is not what 'if' asks for; read the object again and decide anew.",
                path: "if.\(field)")
        }
    }

    /// The objects that match and that the caller may change, settled before the first of them is touched.
    private mutating func matching(_ className: ClassName, _ predicate: Predicate, may: (Role, Object) -> Bool) throws -> [Object] {
        var found: [Object] = []
        // Nothing is written meanwhile: what the caller may do in a project is found out once.
        var roles: [String: Role?] = [:]
        var searches = searches
        var touched = touched
        let related = StoreRelations(store)
        try store.forEach(className, where: predicate.terms) { object in
            try meter.spend()
            guard let projectId = object.projectId else { return true }
            let role: Role?
            if let known = roles[projectId] {
                role = known
            } else {
                role = try self.role(inProject: projectId)
                roles[projectId] = .some(role)
            }
            guard let role, may(role, object) else { return true }
            try searches.charge(predicate, object, related)
            guard predicate.matches(object, related: related) else { return true }
            touched += 1
            guard touched <= settings.objectsMax else {
                throw Refusal(
                    .limit(name: "objects", maximum: settings.objectsMax), "tooManyObjects",
                    "The filters of the transaction touch more than \(settings.objectsMax) objects; narrow them and write in parts.",
                    path: "filter")
            }
            found.append(object)
            return true
        }
        try related.rethrow()
        self.searches = searches
        self.touched = touched
        return found
    }
}
