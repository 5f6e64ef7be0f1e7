import Todo
import TodoStore

/// A committed state of the store as it was: the present one, with what has changed since put back.
final class PastReader: ObjectReader {
    private let present: any ObjectReader
    private var before: [ObjectID: Object?] = [:]
    private var itemsByProject: [String: [Object]] = [:]
    private var permissionsByProject: [String: [Object]] = [:]
    private var permissionsByUser: [String: [Object]] = [:]
    private var byClass: [ClassName: [Object]] = [:]

    /// The state before those changes, each object once.
    init(_ present: any ObjectReader, before changes: [Change]) {
        self.present = present
        for change in changes {
            before[ObjectID(change.className, change.key)] = .some(change.before)
            guard let object = change.before else { continue }
            byClass[change.className, default: []].append(object)
            switch change.className {
            case .item: itemsByProject[object.text(ItemField.projectId), default: []].append(object)
            case .permission:
                permissionsByProject[object.text(PermissionField.projectId), default: []].append(object)
                permissionsByUser[object.text(PermissionField.userId), default: []].append(object)
            case .project, .user, .presence: break
            }
        }
    }

    /// Whether the object was something else then, or is gone, or was not there.
    func hasChanged(_ className: ClassName, _ key: String) -> Bool {
        before[ObjectID(className, key)] != nil
    }

    func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
        if let known = before[ObjectID(className, key)] { return known }
        return try present.object(className, key)
    }

    func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        var goesOn = true
        try present.forEach(className, where: terms) { object in
            guard !hasChanged(className, object.key) else { return true }
            goesOn = try body(object)
            return goesOn
        }
        for object in changed(className, terms) where goesOn { goesOn = try body(object) }
    }

    /// The objects that differ now and may satisfy the terms.
    private func changed(_ className: ClassName, _ terms: [Term]) -> [Object] {
        let project = terms.first { className == .item && $0.place == ItemField.projectId && $0.comparison == .equal }
        if let id = project?.value.string { return itemsByProject[id] ?? [] }
        return byClass[className] ?? []
    }

    /// Those that changed since come last, as their place in the order is not known any more.
    func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] {
        try present.permissions(ofProject: projectId).filter { !hasChanged(.permission, $0.key) } + (permissionsByProject[projectId] ?? [])
    }

    /// Those that changed since come last, as their place in the order is not known any more.
    func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] {
        try present.permissions(ofUser: userId).filter { !hasChanged(.permission, $0.key) } + (permissionsByUser[userId] ?? [])
    }
}
