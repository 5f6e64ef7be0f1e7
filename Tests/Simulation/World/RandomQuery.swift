import TestSupport
import Todo
import TodoProtocol

/// A query with its filter as a formula and its sort keys taken apart.
struct RandomQuery {
    struct SortKey {
        let place: Int
        let isDescending: Bool
        let foldsCase: Bool
    }

    let className: ClassName
    /// `nil` for all that the user sees.
    let formula: Formula?
    let keys: [SortKey]
    let limit: Int?
    /// As it is sent.
    let text: QueryText

    init(user: String, _ cast: Cast, _ random: inout SplitMix) {
        let className = [ClassName.item, .item, .item, .project, .project, .permission, .user].randomElement(using: &random) ?? .item
        let formula = random.next(upTo: 6) == 0 ? nil : RandomFormula.make(className, cast, user: user, &random)
        let keys = Self.sortKeys(className, &random)
        let limit = random.next(upTo: 3) == 0 ? 1 + random.next(upTo: 6) : nil
        let written = formula.map { FormulaText.write($0, on: className, user: user, &random) }
        let sort = keys.map { key in
            (key.isDescending ? "-" : "") + className.schema.fields[key.place].name + (key.foldsCase ? "[c]" : "")
        }
        self.className = className
        self.formula = formula
        self.keys = keys
        self.limit = limit
        text = QueryText(className, filter: written?.text, args: written?.args ?? [], sort: sort, limit: limit)
    }

    private static func sortKeys(_ className: ClassName, _ random: inout SplitMix) -> [SortKey] {
        let places = (0..<className.schema.shownCount).filter { className.schema.fields[$0].type != .strings }
        return (0..<[0, 1, 1, 2, 3][random.next(upTo: 5)]).compactMap { _ in
            guard let place = places.randomElement(using: &random) else { return nil }
            let isText =
                switch className.schema.fields[place].type {
                case .integer, .boolean, .date: false
                default: true
                }
            return SortKey(
                place: place, isDescending: Bool.random(using: &random), foldsCase: isText && random.next(upTo: 3) == 0)
        }
    }

    // MARK: Order

    /// Negative, zero or positive by the sort keys, then by the primary key.
    func order(_ left: Object, _ right: Object) -> Int {
        let byKeys = orderOfKeys(left, right)
        return byKeys != 0 ? byKeys : Self.compare(left[0], right[0], foldsCase: false)
    }

    /// By the sort keys alone.
    func orderOfKeys(_ left: Object, _ right: Object) -> Int {
        for key in keys {
            let order = Self.compare(left[key.place], right[key.place], foldsCase: key.foldsCase)
            if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
    }

    /// Null first, texts by code point, the rest by size.
    private static func compare(_ left: Value, _ right: Value, foldsCase: Bool) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.string(let a), .string(let b)):
            NaiveText.compare(
                NaiveText.fold(a, case: foldsCase, marks: false), NaiveText.fold(b, case: foldsCase, marks: false))
        default: Formula.number(left) < Formula.number(right) ? -1 : (Formula.number(left) == Formula.number(right) ? 0 : 1)
        }
    }
}
