public import Todo

extension SQLiteStore {
    /// The object with that key.
    public func object(_ className: ClassName, _ key: String) throws(StoreFailure) -> Object? {
        try reader.object(className, key)
    }

    /// Every object of the class that satisfies the terms, until `body` answers `false`.
    public func forEach(_ className: ClassName, where terms: [Term], _ body: (Object) throws -> Bool) throws {
        try reader.forEach(className, where: terms, body)
    }

    /// The permissions of a project, the oldest first.
    public func permissions(ofProject projectId: String) throws(StoreFailure) -> [Object] {
        try reader.permissions(ofProject: projectId)
    }

    /// The permissions of a user, the oldest first.
    public func permissions(ofUser userId: String) throws(StoreFailure) -> [Object] {
        try reader.permissions(ofUser: userId)
    }

    /// The user that claimed this name.
    public func userNamed(normalisedName: String) throws(StoreFailure) -> Object? {
        try reader.userNamed(normalisedName: normalisedName)
    }

    /// Adds an object whose key does not exist.
    public func insert(_ object: Object) throws(StoreFailure) {
        try requireTransaction()
        try objects.insert(object)
    }

    /// Replaces the object of the same class and key; `old` is what the store holds now.
    public func update(_ object: Object, from old: Object) throws(StoreFailure) {
        try requireTransaction()
        try objects.update(object, from: old)
    }

    /// Removes the object.
    public func delete(_ object: Object) throws(StoreFailure) {
        try requireTransaction()
        try objects.delete(object)
    }

    /// The smallest position in the project, `nil` where it has no items.
    public func firstPosition(inProject projectId: String) throws(StoreFailure) -> String? {
        try objects.firstPosition(inProject: projectId)
    }

    /// The greatest position in the project, `nil` where it has no items.
    public func lastPosition(inProject projectId: String) throws(StoreFailure) -> String? {
        try objects.lastPosition(inProject: projectId)
    }

    /// The greatest position before that one, leaving out the item with that key.
    public func position(before position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try objects.position(before: position, inProject: projectId, except: key)
    }

    /// The smallest position behind that one, leaving out the item with that key.
    public func position(after position: String, inProject projectId: String, except key: String) throws(StoreFailure) -> String? {
        try objects.position(after: position, inProject: projectId, except: key)
    }
}
