import Todo

/// A predicate as a tree of its own, which can be written as the language's text and judged by the plainest reading of its rules: so that
/// the product's evaluator is not compared with itself.
indirect enum Formula {
    case constant(Bool)
    case and(Formula, Formula)
    case or(Formula, Formula)
    case not(Formula)
    case comparison(Comparison)

    struct Comparison {
        var left: Left
        var test: Test
        var foldsCase = false
        var dropsMarks = false
        var right: [Value]
    }

    enum Left {
        case field(Int)
        case project(Int)
        case itemCount
        case items(Quantifier, Int)
    }

    enum Quantifier: String, CaseIterable {
        case any = "ANY"
        case all = "ALL"
        case none = "NONE"
    }

    enum Test: String, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case begins = "BEGINSWITH"
        case ends = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case among = "IN"
        case between = "BETWEEN"
    }
}

/// Whether an object satisfies a formula in a state of the world.
extension Formula {
    func holds(for object: Object, in state: NaiveState) -> Bool {
        switch self {
        case .constant(let value): return value
        case .and(let left, let right): return left.holds(for: object, in: state) && right.holds(for: object, in: state)
        case .or(let left, let right): return left.holds(for: object, in: state) || right.holds(for: object, in: state)
        case .not(let inner): return !inner.holds(for: object, in: state)
        case .comparison(let comparison): return comparison.holds(for: object, in: state)
        }
    }
}

extension Formula.Comparison {
    func holds(for object: Object, in state: NaiveState) -> Bool {
        switch left {
        case .field(let place): return passes(object[place])
        case .project(let place):
            guard case .string(let id) = object[ItemField.projectId] else { return false }
            return passes(state.object(.project, id)?[place] ?? .null)
        case .itemCount: return passes(.integer(Int64(state.items(ofProject: object.key).count)))
        case .items(let quantifier, let place):
            let found = state.items(ofProject: object.key).filter { passes($0[place]) }.count
            switch quantifier {
            case .any: return found > 0
            case .all: return found == state.items(ofProject: object.key).count
            case .none: return found == 0
            }
        }
    }

    private func passes(_ value: Value) -> Bool {
        switch test {
        case .equal: return isEqual(value, right[0])
        case .notEqual: return !isEqual(value, right[0])
        case .among: return right.contains { isEqual(value, $0) }
        case .less: return order(value, right[0]).map { $0 < 0 } ?? false
        case .lessOrEqual: return order(value, right[0]).map { $0 <= 0 } ?? false
        case .greater: return order(value, right[0]).map { $0 > 0 } ?? false
        case .greaterOrEqual: return order(value, right[0]).map { $0 >= 0 } ?? false
        case .between:
            guard let low = order(value, right[0]), let high = order(value, right[1]) else { return false }
            return low >= 0 && high <= 0
        case .begins, .ends, .contains, .like:
            guard case .string(let text) = value, case .string(let part) = right[0] else { return false }
            return searches(fold(text), fold(part))
        }
    }

    private func searches(_ text: [UInt32], _ part: [UInt32]) -> Bool {
        switch test {
        case .begins: NaiveText.begins(text, with: part)
        case .ends: NaiveText.begins(text.reversed(), with: part.reversed())
        case .contains: NaiveText.contains(text, part)
        default: NaiveText.isLike(text[...], part[...])
        }
    }

    private func fold(_ text: String) -> [UInt32] { NaiveText.fold(text, case: foldsCase, marks: dropsMarks) }

    private func isEqual(_ left: Value, _ right: Value) -> Bool {
        if case .null = left { if case .null = right { return true } else { return false } }
        return order(left, right) == 0
    }

    /// `nil` where a null is on either side.
    private func order(_ left: Value, _ right: Value) -> Int? {
        switch (left, right) {
        case (.null, _), (_, .null): nil
        case (.string(let a), .string(let b)): NaiveText.compare(fold(a), fold(b))
        default: Formula.number(left) < Formula.number(right) ? -1 : (Formula.number(left) == Formula.number(right) ? 0 : 1)
        }
    }
}

extension Formula {
    /// A number, a date or a truth value as a number; those of the simulated world are small enough to be exact.
    static func number(_ value: Value) -> Double {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .boolean(let isTrue): isTrue ? 1 : 0
        case .date(let date): Double(date.milliseconds)
        default: .nan
        }
    }
}
