/// Makes the test of a comparison from its checked parts.
struct ComparisonBuilder {
    let left: LeftSide
    let operation: ComparisonOperator
    let folding: TextFolding

    /// The test of an operator with one value on its right side.
    func test(_ operand: Operand) throws(Refusal) -> ValueTest {
        let value = try left.value(operand)
        switch (operation, value) {
        case (.equal, .null): return .isNull
        case (.notEqual, .null): return .isNotNull
        case (_, .null): return .never
        case (.equal, .string(let text)) where !folding.isEmpty: return .text(TextTest(folding, .equal(folding.fold(text))))
        case (.notEqual, .string(let text)) where !folding.isEmpty: return .notText(TextTest(folding, .equal(folding.fold(text))))
        case (.order(let order), .string(let text)) where !folding.isEmpty:
            return .text(TextTest(folding, .order(order, folding.fold(text))))
        case (.equal, _): return .equal(value)
        case (.notEqual, _): return .notEqual(value)
        case (.order(let order), _): return .order(order, value)
        case (.beginsWith, .string(let text)): return .text(TextTest(folding, .beginsWith(folding.fold(text))))
        case (.endsWith, .string(let text)): return .text(TextTest(folding, .endsWith(folding.fold(text))))
        case (.contains, .string(let text)): return .text(TextTest(folding, .contains(TextSearch(folding.fold(text)))))
        case (.like, .string(let text)): return .text(TextTest(folding, .like(LikePattern(folding.fold(text)))))
        case (.beginsWith, _), (.endsWith, _), (.contains, _), (.like, _), (.among, _), (.between, _):
            preconditionFailure("\(operation.name) was checked against the type of \(left.name)")
        }
    }

    /// The test of `IN`.
    func among(_ list: OperandList) throws(Refusal) -> ValueTest {
        var values: Set<Value> = []
        for operand in list.operands { values.insert(try left.value(operand)) }
        guard !folding.isEmpty else { return values.isEmpty ? .never : .among(values) }
        let folded = TextTest(folding, .among(Set(values.compactMap { $0.string.map(folding.fold) })))
        return values.contains(.null) ? .nullOrText(folded) : .text(folded)
    }

    /// The test of `BETWEEN`.
    func between(_ list: OperandList) throws(Refusal) -> ValueTest {
        guard list.operands.count == 2 else {
            throw list.whole.wrong(
                "BETWEEN takes the lowest and the highest value, and this list has \(list.operands.count).", expected: "two values")
        }
        let (low, high) = (try left.value(list.operands[0]), try left.value(list.operands[1]))
        if low.isNull || high.isNull { return .never }
        if !folding.isEmpty, case .string(let low) = low, case .string(let high) = high {
            return .text(TextTest(folding, .between(folding.fold(low), folding.fold(high))))
        }
        return .between(low, high)
    }
}
