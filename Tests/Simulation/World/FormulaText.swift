import TestSupport
import Todo

/// Writes formulas as the predicate language's text, with values spelt out or given as arguments, in one of the ways the grammar has.
struct FormulaText {
    private(set) var args: [Argument] = []
    private let user: String
    private let usesNumberedPlaces: Bool

    private init(user: String, usesNumberedPlaces: Bool) {
        self.user = user
        self.usesNumberedPlaces = usesNumberedPlaces
    }

    /// The text and its arguments; `user` is written `$user` where it occurs, now and then.
    static func write(_ formula: Formula, on className: ClassName, user: String, _ random: inout SplitMix) -> (
        text: String, args: [Argument]
    ) {
        var writer = FormulaText(user: user, usesNumberedPlaces: Bool.random(using: &random))
        let text = writer.text(formula, className, &random)
        return (text, writer.args)
    }

    private mutating func text(_ formula: Formula, _ className: ClassName, _ random: inout SplitMix) -> String {
        switch formula {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let left, let right):
            let word = random.next(upTo: 2) == 0 ? " AND " : " && "
            return parenthesised(left, className, &random) + word + parenthesised(right, className, &random)
        case .or(let left, let right):
            let word = random.next(upTo: 2) == 0 ? " OR " : " || "
            return parenthesised(left, className, &random) + word + parenthesised(right, className, &random)
        case .not(let inner): return (random.next(upTo: 2) == 0 ? "NOT " : "!") + "(" + text(inner, className, &random) + ")"
        case .comparison(let comparison): return text(comparison, className, &random)
        }
    }

    /// Precedence is the parser's own test: here every part that is joined stands in parentheses, but for comparisons.
    private mutating func parenthesised(_ formula: Formula, _ className: ClassName, _ random: inout SplitMix) -> String {
        if case .comparison = formula { return text(formula, className, &random) }
        return "(" + text(formula, className, &random) + ")"
    }

    private mutating func text(_ comparison: Formula.Comparison, _ className: ClassName, _ random: inout SplitMix) -> String {
        let left =
            switch comparison.left {
            case .field(let place): className.schema.fields[place].name
            case .project(let place): "project." + Schema.project.fields[place].name
            case .itemCount: "items.@count"
            case .items(let quantifier, let place): quantifier.rawValue + " items." + Schema.item.fields[place].name
            }
        var test = comparison.test.rawValue
        if comparison.test == .equal, random.next(upTo: 3) == 0 { test = "=" }
        if comparison.test == .notEqual, random.next(upTo: 3) == 0 { test = "<>" }
        if random.next(upTo: 4) == 0 { test = test.lowercased() }
        let options = (comparison.foldsCase ? "c" : "") + (comparison.dropsMarks ? "d" : "")
        if !options.isEmpty { test += "[\(options)]" }
        return "\(left) \(test) \(right(comparison, &random))"
    }

    private mutating func right(_ comparison: Formula.Comparison, _ random: inout SplitMix) -> String {
        guard comparison.test == .among || comparison.test == .between else { return literal(comparison.right[0], &random) }
        if random.next(upTo: 3) == 0 { return place(for: .array(comparison.right.map(Self.argument))) }
        return "{" + comparison.right.map { literal($0, &random) }.joined(separator: ", ") + "}"
    }

    private mutating func literal(_ value: Value, _ random: inout SplitMix) -> String {
        if case .string(let text) = value, text == user, random.next(upTo: 2) == 0 { return "$user" }
        if random.next(upTo: 3) == 0 { return place(for: .value(Self.argument(value))) }
        switch value {
        case .null: return random.next(upTo: 2) == 0 ? "NULL" : "nil"
        case .boolean(let isTrue):
            return isTrue ? (random.next(upTo: 2) == 0 ? "TRUE" : "yes") : (random.next(upTo: 2) == 0 ? "FALSE" : "no")
        case .integer(let number): return random.next(upTo: 4) == 0 ? "\(number).0" : "\(number)"
        case .double(let number): return "\(number)"
        case .date(let date): return "'\(date.rfc3339)'"
        case .string(let text), .json(let text): return quoted(text, random.next(upTo: 2) == 0 ? "'" : "\"")
        case .strings: return "{}"
        }
    }

    private mutating func place(for argument: Argument) -> String {
        args.append(argument)
        return usesNumberedPlaces ? "$\(args.count - 1)" : "%@"
    }

    /// As JSON has it: a date is a text.
    private static func argument(_ value: Value) -> Value {
        if case .date(let date) = value { .string(date.rfc3339) } else { value }
    }

    private func quoted(_ text: String, _ quote: Character) -> String {
        var result = String(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default:
                if Character(scalar) == quote { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
        }
        return result + String(quote)
    }
}
