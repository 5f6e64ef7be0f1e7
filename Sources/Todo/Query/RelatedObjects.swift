/// Where a predicate finds the objects that it reaches over a relation: `project.FIELD` of an item, `items` of a project.
public protocol RelatedObjects {
    /// The project with that id.
    func project(_ projectId: String) -> Object?
    /// The items of that project, in no particular order.
    func items(ofProject projectId: String) -> [Object]
}
