import Todo

/// All objects of the world at one version, and what follows from them by the plainest reading of the rules.
struct NaiveState: Sendable {
    private var objects: [ClassName: [String: Object]] = [:]

    init() {}

    /// All that a store holds.
    init(_ reader: some ObjectReader) throws {
        for className in ClassName.stored {
            try reader.forEach(className, where: []) { object in
                objects[className, default: [:]][object.key] = object
                return true
            }
        }
    }

    mutating func apply(_ changes: [Change]) {
        for change in changes { objects[change.className, default: [:]][change.key] = change.after }
    }

    func object(_ className: ClassName, _ key: String) -> Object? { objects[className]?[key] }

    func all(_ className: ClassName) -> [Object] { objects[className].map { Array($0.values) } ?? [] }

    func items(ofProject id: String) -> [Object] { all(.item).filter { $0.projectId == id } }

    // MARK: Rights

    /// Whether the user sees the project: an admin, whoever holds a permission, and everybody where it is open.
    func sees(_ user: String, project id: String) -> Bool {
        guard let project = object(.project, id) else { return false }
        if isAdmin(user) || project[ProjectField.access] != .string("private") { return true }
        return all(.permission).contains { $0[PermissionField.projectId] == .string(id) && $0[PermissionField.userId] == .string(user) }
    }

    private func isAdmin(_ user: String) -> Bool { object(.user, user)?[UserField.isAdmin] == .boolean(true) }

    /// The object as the user sees it, `nil` where it does not.
    func shown(_ object: Object, to user: String) -> Object? {
        guard object.className == .user else {
            guard let id = object.projectId, sees(user, project: id) else { return nil }
            return object
        }
        if object.key == user || isAdmin(user) { return object }
        let isMet = all(.permission).contains {
            $0[PermissionField.userId] == .string(object.key) && sees(user, project: $0.text(PermissionField.projectId))
        }
        guard isMet else { return nil }
        var masked = object
        masked[UserField.isAdmin] = .boolean(false)
        return masked
    }

    // MARK: Lists

    /// The rows that the query answers for the user: a look at every object, then a sort, then a cut.
    func list(_ query: RandomQuery, for user: String) -> [Object] {
        let matching = all(query.className).compactMap { shown($0, to: user) }.filter { query.formula?.holds(for: $0, in: self) ?? true }
        let sorted = matching.sorted { query.order($0, $1) < 0 }
        return query.limit.map { Array(sorted.prefix($0)) } ?? sorted
    }

    /// Where it differs from another state, in words; `nil` where it does not.
    func difference(from other: NaiveState) -> String? {
        for className in ClassName.stored {
            let (left, right) = (objects[className] ?? [:], other.objects[className] ?? [:])
            for key in Set(left.keys).union(right.keys) where left[key] != right[key] {
                return
                    "\(className.name) \(key): \(left[key].map { "\($0.values)" } ?? "none") ≠ \(right[key].map { "\($0.values)" } ?? "none")"
            }
        }
        return nil
    }
}
