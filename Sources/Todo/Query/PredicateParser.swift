/// Reads a predicate's text by recursive descent, and checks each comparison against the schema as it comes.
///
/// ```
/// either     = both { (OR | "||") both }
/// both       = single { (AND | "&&") single }
/// single     = (NOT | "!") single | "(" either ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
/// comparison = [ANY | ALL | NONE] path operator ["[" c | d | cd "]"] value
/// ```
struct PredicateParser {
    let className: ClassName
    let args: [Argument]
    let user: String
    let limits: PredicateLimits
    private var lexer: PredicateLexer
    private(set) var token: PredicateToken
    private var depth = 0
    private var termCount = 0
    /// Values of all lists so far; an argument that stands in several places counts in each.
    var elementCount = 0
    private var patternLength = 0
    private var usesUser = false
    private var nextPlace = 0
    private var placeStyle: PlaceStyle?

    private enum PlaceStyle {
        case numbered, inOrder
    }

    init(_ text: String, className: ClassName, args: [Argument], user: String, limits: PredicateLimits) throws(Refusal) {
        self.className = className
        self.args = args
        self.user = user
        self.limits = limits
        lexer = PredicateLexer(text)
        token = try lexer.next()
    }

    mutating func parse() throws(Refusal) -> Predicate {
        let condition = try either()
        guard token.kind == .end else {
            throw .syntax("The condition before it is complete", at: token.position, expected: "AND, OR or the end")
        }
        return Predicate(condition, usesUser: usesUser)
    }

    private mutating func either() throws(Refusal) -> Condition {
        let first = try both()
        guard isAt(.or, "OR") else { return first }
        var parts = [first]
        while isAt(.or, "OR") {
            try advance()
            parts.append(try both())
        }
        return .any(parts)
    }

    private mutating func both() throws(Refusal) -> Condition {
        let first = try single()
        guard isAt(.and, "AND") else { return first }
        var parts = first.conjuncts
        while isAt(.and, "AND") {
            try advance()
            parts += try single().conjuncts
        }
        return .all(parts)
    }

    private mutating func single() throws(Refusal) -> Condition {
        if isAt(.not, "NOT") {
            try descend()
            defer { depth -= 1 }
            return .not(try single())
        }
        if token.kind == .symbol(.openParenthesis) {
            try descend()
            defer { depth -= 1 }
            let inner = try either()
            try take(.closeParenthesis, "The parenthesis is not closed", expected: "AND, OR or )")
            return inner
        }
        if isAt("TRUEPREDICATE") {
            try advance()
            return .constant(true)
        }
        if isAt("FALSEPREDICATE") {
            try advance()
            return .constant(false)
        }
        termCount += 1
        if termCount > limits.terms {
            throw .predicateLimit("filterTerms", limits.terms, "The filter has too many comparisons", at: token.position)
        }
        return try comparison()
    }

    /// Adds a pattern to those that the filter has already.
    mutating func count(_ pattern: LikePattern, of operand: Operand) throws(Refusal) {
        patternLength += pattern.length
        if patternLength > limits.patternLength {
            throw .predicateLimit(
                "filterPatternLength", limits.patternLength, "The filter's patterns have \(patternLength) characters", at: operand.position,
                argument: operand.index)
        }
    }

    private mutating func descend() throws(Refusal) {
        depth += 1
        if depth > limits.depth {
            throw .predicateLimit(
                "filterDepth", limits.depth, "The filter's conditions stand too deep inside one another", at: token.position)
        }
        try advance()
    }
}

// What the grammar and the comparisons read tokens with.
extension PredicateParser {
    mutating func advance() throws(Refusal) {
        token = try lexer.next()
    }

    func isAt(_ keyword: String) -> Bool {
        guard case .word(let word) = token.kind, word.utf8.count == keyword.utf8.count else { return false }
        return word.uppercased() == keyword
    }

    private func isAt(_ symbol: PredicateToken.Symbol, _ keyword: String) -> Bool {
        token.kind == .symbol(symbol) || isAt(keyword)
    }

    mutating func take(_ symbol: PredicateToken.Symbol, _ message: String, expected: String) throws(Refusal) {
        guard token.kind == .symbol(symbol) else { throw .syntax(message, at: token.position, expected: expected) }
        try advance()
    }

    /// What stands for a value on the right side, `nil` where there is none.
    mutating func operand() throws(Refusal) -> Operand? {
        let position = token.position
        let operand: Operand
        switch token.kind {
        case .number(let value): operand = Operand(.value(value), position)
        case .text(let text): operand = Operand(.value(.string(text)), position)
        // A number too long for an Int names no argument either.
        case .numberedPlace(let digits): operand = try place(Int(digits) ?? Int.max, .numbered, digits)
        case .nextPlace:
            operand = try place(nextPlace, .inOrder, "\(nextPlace)")
            nextPlace += 1
        case .user:
            usesUser = true
            operand = Operand(.value(.string(user)), position)
        case .word(let word):
            switch word.uppercased() {
            case "TRUE", "YES": operand = Operand(.value(.boolean(true)), position)
            case "FALSE", "NO": operand = Operand(.value(.boolean(false)), position)
            case "NULL", "NIL": operand = Operand(.value(.null), position)
            default: return nil
            }
        case .malformedValue(let refusal): throw refusal
        case .symbol, .end, .malformedWord: return nil
        }
        try advance()
        return operand
    }

    private mutating func place(_ number: Int, _ style: PlaceStyle, _ digits: String) throws(Refusal) -> Operand {
        if let placeStyle, placeStyle != style {
            let used = placeStyle == .numbered ? "$0" : "%@"
            throw .syntax("%@ and $0 can't be mixed in one filter", at: token.position, expected: used)
        }
        placeStyle = style
        guard number < args.count else {
            let shown = Quotation.shortened(digits)
            let name = style == .numbered ? "$\(shown)" : "this %@"
            throw Refusal(
                .invalid, "missingArgument", "There is no argument for \(name): args has \(args.count).",
                path: "args[\(Int(digits).map(String.init) ?? shown)]",
                position: token.position, expected: "an argument")
        }
        return Operand(args[number], token.position, index: number)
    }
}

/// A value on the right side of a comparison and where it came from.
struct Operand {
    let argument: Argument
    /// Where it stands in the text.
    let position: Int
    /// Its place in `args`, `nil` for a literal.
    let index: Int?
    /// Its place in that argument, where it is one value of an array.
    let element: Int?

    init(_ argument: Argument, _ position: Int, index: Int? = nil, element: Int? = nil) {
        self.argument = argument
        self.position = position
        self.index = index
        self.element = element
    }

    /// The refusal of this value.
    func wrong(_ message: String, expected: String) -> Refusal {
        let argument = index.map { "args[\($0)]" + (element.map { "[\($0)]" } ?? "") }
        return Refusal(.invalid, "wrongType", message, path: argument ?? "filter", position: position, expected: expected)
    }
}

extension Condition {
    /// The conditions that it joins by `AND`, or itself: keeps `a AND (b AND c)` flat.
    fileprivate var conjuncts: [Condition] {
        if case .all(let parts) = self { parts } else { [self] }
    }
}
