/// Where a predicate finds the objects that it reaches over a relation: `project.FIELD` of an item, `items` of a project.
public protocol RelatedObjects {
    /// The project with that id.
    func project(_ projectId: String) -> Object?
    /// The items of that project, in no particular order.
    func items(ofProject projectId: String) -> [Object]
    /// How many of the project's items pass the test, where that is known without reading all of them.
    func tally(_ test: ItemTest, ofProject projectId: String) -> ItemTally?
}

extension RelatedObjects {
    /// Nothing is known before the items are read.
    public func tally(_ test: ItemTest, ofProject projectId: String) -> ItemTally? { nil }
}

/// No related objects at all: for predicates whose `relations` are empty.
public struct NoRelatedObjects: RelatedObjects {
    /// There is nothing to know.
    public init() {}
    /// Never finds a project.
    public func project(_ projectId: String) -> Object? { nil }
    /// Never finds an item.
    public func items(ofProject projectId: String) -> [Object] { [] }
}
