extension Refusal {
    /// The refusal of a field that the class does not have: names the fields that there are, and the one that was probably meant.
    static func unknownField(_ name: String, in className: ClassName, path: String, position: Int? = nil) -> Refusal {
        let names = className.schema.fields.prefix(className.schema.shownCount).map(\.name)
        let shown = Quotation.shortened(name)
        let near = names.first { $0.lowercased() == name.lowercased() } ?? names.filter { isNear($0, name) }.first
        let hint = near.map { " Did you mean \($0)?" } ?? ""
        return Refusal(
            .invalid, "unknownField", "\(className.name) has no field “\(shown)”.\(hint) Its fields are \(names.joined(separator: ", ")).",
            path: path, position: position, expected: "a field of \(className.name)")
    }

    /// Whether two edits at most lead from one name to the other: Levenshtein's distance.
    private static func isNear(_ left: String, _ right: String) -> Bool {
        let (a, b) = (Array(left.lowercased().utf8), Array(right.lowercased().utf8))
        guard abs(a.count - b.count) <= 2, min(a.count, b.count) > 2 else { return false }
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let cost = min(diagonal + (a[i] == b[j] ? 0 : 1), row[j] + 1, row[j + 1] + 1)
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[b.count] <= 2
    }
}
