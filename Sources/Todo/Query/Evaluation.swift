/// One object meeting one predicate: reads related objects once at most, and only when they are needed.
struct Evaluation<Related: RelatedObjects> {
    let object: Object
    let related: Related
    private var project: Object??
    private var items: [Object]?

    init(object: Object, related: Related) {
        self.object = object
        self.related = related
    }

    mutating func holds(_ condition: Condition) -> Bool {
        switch condition {
        case .constant(let value): return value
        case .test(.field(let place), let test): return test.passes(object.values[place])
        case .all(let parts):
            for part in parts where !holds(part) { return false }
            return true
        case .any(let parts):
            for part in parts where holds(part) { return true }
            return false
        case .not(let inner): return !holds(inner)
        case .test(.projectField(let place), let test): return test.passes(theProject()?.values[place] ?? .null)
        case .test(.itemsField(let quantifier, let place), let test): return holds(quantifier, ItemTest(place: place, test: test))
        }
    }

    private mutating func holds(_ quantifier: Quantifier, _ test: ItemTest) -> Bool {
        if let tally = related.tally(test, ofProject: object.text(ProjectField.projectId)) {
            switch quantifier {
            case .any: return tally.passing > 0
            case .all: return tally.passing == tally.count
            case .noItem: return tally.passing == 0
            }
        }
        switch quantifier {
        case .any: return theItems().contains { test.passes($0) }
        case .all: return theItems().allSatisfy { test.passes($0) }
        case .noItem: return !theItems().contains { test.passes($0) }
        }
    }

    private mutating func theProject() -> Object? {
        if let project { return project }
        let found = related.project(object.text(ItemField.projectId))
        project = .some(found)
        return found
    }

    private mutating func theItems() -> [Object] {
        if let items { return items }
        let found = related.items(ofProject: object.text(ProjectField.projectId))
        items = found
        return found
    }
}
