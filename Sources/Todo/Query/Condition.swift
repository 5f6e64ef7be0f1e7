/// A predicate's tree: what `Predicate` evaluates.
indirect enum Condition: Sendable, Hashable {
    /// `TRUEPREDICATE` and `FALSEPREDICATE`.
    case constant(Bool)
    /// All of them hold.
    case all([Condition])
    /// At least one of them holds.
    case any([Condition])
    /// It does not hold.
    case not(Condition)
    /// The value of a place passes a test.
    case test(Subject, ValueTest)
}

/// The left side of a comparison: whose value is tested.
enum Subject: Sendable, Hashable {
    /// A field of the object itself.
    case field(Int)
    /// A field of the item's project, null where there is none.
    case projectField(Int)
    /// A field of the project's items, as the quantifier says.
    case itemsField(Quantifier, Int)
}

/// How many of a project's items must pass the test.
enum Quantifier: Sendable, Hashable {
    /// At least one: false where there are no items.
    case any
    /// Each: true where there are no items.
    case all
    /// Not one: true where there are no items.
    case noItem
}

extension Condition {
    var relations: Predicate.Relations {
        switch self {
        case .constant: []
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.relations) }
        case .not(let inner): inner.relations
        case .test(.field, _): []
        case .test(.projectField, _): .project
        case .test(.itemsField, _): .items
        }
    }

    var places: UInt64 {
        switch self {
        case .constant: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 | $1.places }
        case .not(let inner): inner.places
        case .test(.field(let place), _): 1 << UInt64(place)
        case .test(.projectField, _): 1 << UInt64(ItemField.projectId)
        case .test(.itemsField, _): 0
        }
    }

    var projectPlaces: UInt64 {
        switch self {
        case .constant: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 | $1.projectPlaces }
        case .not(let inner): inner.projectPlaces
        case .test(.projectField(let place), _): 1 << UInt64(place)
        case .test(.field, _), .test(.itemsField, _): 0
        }
    }

    /// What every object satisfies for which this holds.
    var terms: [Term] {
        switch self {
        case .constant, .any, .not: []
        case .all(let parts): parts.flatMap(\.terms)
        case .test(.field(let place), let test): test.terms(at: place)
        case .test(.projectField(let place), .equal(let value)) where place == ProjectField.projectId:
            // An item's project is found by this very id.
            [Term(place: ItemField.projectId, .equal, value)]
        case .test(.projectField, _), .test(.itemsField, _): []
        }
    }
}
