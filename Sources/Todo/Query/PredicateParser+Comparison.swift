// A comparison: its left side, its operator, its right side, and whether they fit.
extension PredicateParser {
    mutating func comparison() throws(Refusal) -> Condition {
        let left = try leftSide()
        let operation = try comparisonOperator(left)
        let folding = try modifiers(left, operation)
        let right = ComparisonBuilder(left: left, operation: operation, folding: folding)
        switch operation {
        case .among: return .test(left.subject, try right.among(try list()))
        case .between: return .test(left.subject, try right.between(try list()))
        default:
            guard let operand = try operand() else {
                throw .syntax("The comparison with \(left.name) lacks its right side", at: token.position, expected: left.valueExpected)
            }
            let test = try right.test(operand)
            if case .text(let text) = test, case .like(let pattern) = text.operation { try count(pattern, of: operand) }
            return .test(left.subject, test)
        }
    }

    private mutating func leftSide() throws(Refusal) -> LeftSide {
        var quantifier: Quantifier?
        if isAt("ANY") { quantifier = .any } else if isAt("ALL") { quantifier = .all } else if isAt("NONE") { quantifier = .noItem }
        if quantifier != nil {
            if className != .project {
                throw .syntax(
                    "ANY, ALL and NONE are about the items of a Project", at: token.position, expected: "a field of \(className.name)")
            }
            try advance()
        }
        if case .malformedWord(let refusal) = token.kind { throw refusal }
        guard case .word(let path) = token.kind, !PredicateParser.keywords.contains(path.uppercased()) else {
            throw .syntax(
                "A condition is missing", at: token.position,
                expected: quantifier != nil ? "items.FIELD" : "a field of \(className.name), NOT or (")
        }
        let left = try LeftSide(path, at: token.position, of: className, quantifier: quantifier)
        try advance()
        return left
    }

    private static let keywords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "ANY", "ALL", "NONE", "TRUE", "FALSE", "YES",
        "NO",
        "NULL", "NIL",
    ]

    private mutating func comparisonOperator(_ left: LeftSide) throws(Refusal) -> ComparisonOperator {
        guard let operation = ComparisonOperator(token.kind) else {
            let hint = isAt("NOT") ? "NOT stands before the whole comparison" : "\(left.name) must be compared with something"
            throw .syntax(hint, at: token.position, expected: left.operatorsExpected)
        }
        if !left.allows(operation) {
            throw Refusal(
                .invalid, "wrongType", "\(left.name) is \(left.typeName), which \(operation.name) can't compare.", path: "filter",
                position: token.position, expected: left.operatorsExpected)
        }
        try advance()
        return operation
    }

    /// `[c]`, `[d]` or `[cd]` behind an operator.
    private mutating func modifiers(_ left: LeftSide, _ operation: ComparisonOperator) throws(Refusal) -> TextFolding {
        guard token.kind == .symbol(.openBracket) else { return [] }
        if !left.isText {
            throw Refusal(
                .invalid, "wrongType", "[c] and [d] are for texts, and \(left.name) is \(left.typeName).", path: "filter",
                position: token.position, expected: left.valueExpected)
        }
        try advance()
        let letters: String
        if case .word(let word) = token.kind { letters = word.lowercased() } else { letters = "" }
        let folding: TextFolding
        switch letters {
        case "c": folding = .case
        case "d": folding = .diacritics
        case "cd", "dc": folding = [.case, .diacritics]
        default: throw .syntax("The brackets hold something else", at: token.position, expected: "c, d or cd")
        }
        try advance()
        try take(.closeBracket, "The bracket is not closed", expected: "]")
        return folding
    }

    private static let listExpected = "{ or a place that an array argument fills"

    /// `{a, b}`, or a place whose argument is an array.
    private mutating func list() throws(Refusal) -> OperandList {
        let position = token.position
        guard token.kind == .symbol(.openBrace) else {
            guard let operand = try operand() else {
                throw .syntax("A list is missing", at: position, expected: Self.listExpected)
            }
            guard case .array(let values) = operand.argument else {
                throw operand.wrong(
                    "IN and BETWEEN need a list of values.", expected: operand.index == nil ? Self.listExpected : "an array")
            }
            elementCount += values.count
            if elementCount > limits.elements {
                throw .predicateLimit(
                    "filterElements", limits.elements, "The filter's lists have \(elementCount) values", at: position,
                    argument: operand.index)
            }
            return OperandList(
                operands: values.enumerated().map { Operand(.value($1), position, index: operand.index, element: $0) }, whole: operand)
        }
        try advance()
        var operands: [Operand] = []
        while token.kind != .symbol(.closeBrace) {
            if !operands.isEmpty { try take(.comma, "The list goes on without a comma", expected: ", or }") }
            guard let operand = try operand() else {
                throw .syntax("A value of the list is missing", at: token.position, expected: operands.isEmpty ? "a value or }" : "a value")
            }
            operands.append(operand)
            elementCount += 1
            if elementCount > limits.elements {
                throw .predicateLimit("filterElements", limits.elements, "The list has too many values", at: operand.position)
            }
        }
        try advance()
        return OperandList(operands: operands, whole: Operand(.array([]), position))
    }
}

/// The values of `{…}` or of an array argument.
struct OperandList {
    let operands: [Operand]
    /// Where the list as a whole stands.
    let whole: Operand
}

/// What stands between the two sides of a comparison.
enum ComparisonOperator: Equatable {
    case equal, notEqual
    case order(ValueTest.Order)
    case among, between
    case beginsWith, endsWith, contains, like

    init?(_ token: PredicateToken.Kind) {
        switch token {
        case .symbol(.equal): self = .equal
        case .symbol(.notEqual): self = .notEqual
        case .symbol(.less): self = .order(.less)
        case .symbol(.lessOrEqual): self = .order(.lessOrEqual)
        case .symbol(.greater): self = .order(.greater)
        case .symbol(.greaterOrEqual): self = .order(.greaterOrEqual)
        case .word(let word):
            switch word.uppercased() {
            case "IN": self = .among
            case "BETWEEN": self = .between
            case "BEGINSWITH": self = .beginsWith
            case "ENDSWITH": self = .endsWith
            case "CONTAINS": self = .contains
            case "LIKE": self = .like
            default: return nil
            }
        default: return nil
        }
    }

    /// How it is written.
    var name: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .order(.less): "<"
        case .order(.lessOrEqual): "<="
        case .order(.greater): ">"
        case .order(.greaterOrEqual): ">="
        case .among: "IN"
        case .between: "BETWEEN"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        }
    }
}
