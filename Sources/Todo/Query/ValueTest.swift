/// What a comparison asks of one value: its operator and right side, checked against the field's type.
enum ValueTest: Sendable, Hashable {
    /// Nothing passes: an order or a string operator beside a null, a list without values.
    case never
    /// `== NULL`.
    case isNull
    /// `!= NULL`.
    case isNotNull
    /// Equal to a value of the field's own type, never null.
    case equal(Value)
    /// Anything but that value: null too.
    case notEqual(Value)
    /// Ordered so with a value of the field's own type, never null; null never is.
    case order(Order, Value)
    /// One of these; null where it is among them.
    case among(Set<Value>)
    /// Between the two, both included.
    case between(Value, Value)
    /// A comparison of texts under `[c]` or `[d]`, or a string operator.
    case text(TextTest)
    /// Not equal under `[c]` or `[d]`: null too.
    case notText(TextTest)
    /// Among texts under `[c]` or `[d]` and null.
    case nullOrText(TextTest)

    /// The four orders.
    enum Order: Sendable, Hashable {
        case less, lessOrEqual, greater, greaterOrEqual

        @inline(__always) func accepts(_ comparison: Int) -> Bool {
            switch self {
            case .less: comparison < 0
            case .lessOrEqual: comparison <= 0
            case .greater: comparison > 0
            case .greaterOrEqual: comparison >= 0
            }
        }
    }

    func passes(_ value: Value) -> Bool {
        switch self {
        case .never: return false
        case .isNull: return value.isNull
        case .isNotNull: return !value.isNull
        case .equal(let constant): return value == constant
        case .notEqual(let constant): return value != constant
        case .order(let order, let constant): return !value.isNull && order.accepts(value.compare(with: constant))
        case .among(let constants): return constants.contains(value)
        case .between(let low, let high):
            return !value.isNull && value.compare(with: low) >= 0 && value.compare(with: high) <= 0
        case .text(let test):
            guard case .string(let text) = value else { return false }
            return test.passes(text)
        case .notText(let test):
            guard case .string(let text) = value else { return true }
            return !test.passes(text)
        case .nullOrText(let test):
            guard case .string(let text) = value else { return value.isNull }
            return test.passes(text)
        }
    }

    /// What every value at that place satisfies that passes the test.
    func terms(at place: Int) -> [Term] {
        switch self {
        case .never, .isNull, .isNotNull, .notEqual, .text, .notText, .nullOrText: []
        case .equal(let value): Term.narrowing(place, .equal, value)
        case .order(.less, let value): Term.narrowing(place, .less, value)
        case .order(.lessOrEqual, let value): Term.narrowing(place, .lessOrEqual, value)
        case .order(.greater, let value): Term.narrowing(place, .greater, value)
        case .order(.greaterOrEqual, let value): Term.narrowing(place, .greaterOrEqual, value)
        case .between(let low, let high): Term.narrowing(place, .greaterOrEqual, low) + Term.narrowing(place, .lessOrEqual, high)
        case .among(let values):
            if values.count == 1, let only = values.first, !only.isNull { Term.narrowing(place, .equal, only) } else { [] }
        }
    }
}

extension Term {
    /// The term for a comparison of a field, with the value brought to the field's own type; none where that can't be.
    fileprivate static func narrowing(_ place: Int, _ comparison: Comparison, _ value: Value) -> [Term] {
        guard case .double(let number) = value else { return [Term(place: place, comparison, value)] }
        // Only whole fields meet a broken number: `priority < 2.5` is `priority <= 2`.
        switch comparison {
        case .equal: return []
        case .less, .lessOrEqual:
            guard let whole = Int64(exactly: number.rounded(.down)) else { return [] }
            return [Term(place: place, .lessOrEqual, .integer(whole))]
        case .greater, .greaterOrEqual:
            guard let whole = Int64(exactly: number.rounded(.up)) else { return [] }
            return [Term(place: place, .greaterOrEqual, .integer(whole))]
        }
    }
}

extension Value {
    /// Negative, zero or positive as this value comes before, is, or comes after the other of the same kind.
    ///
    /// Null comes first, false before true, numbers by size whether whole or not, texts by code point. Values of different
    /// kinds, which a checked query never compares, are ordered by kind.
    func compare(with other: Value) -> Int {
        switch (self, other) {
        case (.string(let a), .string(let b)): return a.compareBytes(with: b)
        case (.integer(let a), .integer(let b)): return a < b ? -1 : (a == b ? 0 : 1)
        case (.date(let a), .date(let b)): return a < b ? -1 : (a == b ? 0 : 1)
        case (.boolean(let a), .boolean(let b)): return a == b ? 0 : (b ? -1 : 1)
        case (.integer(let a), .double(let b)): return Value.compare(a, b)
        case (.double(let a), .integer(let b)): return -Value.compare(b, a)
        case (.double(let a), .double(let b)): return a < b ? -1 : (a == b ? 0 : 1)
        default: return rank - other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer, .double: 2
        case .string: 3
        case .date: 4
        case .strings: 5
        case .json: 6
        }
    }

    /// Exact also where the whole number has more digits than a double holds.
    private static func compare(_ whole: Int64, _ number: Double) -> Int {
        guard let floor = Int64(exactly: number.rounded(.down)) else { return number < 0 ? 1 : -1 }
        if whole != floor { return whole < floor ? -1 : 1 }
        return number == number.rounded(.down) ? 0 : -1
    }
}
