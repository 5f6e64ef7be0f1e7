import Todo

/// Items as the benchmarks need them.
enum BenchItems {
    static let priority = place(of: "priority")
    static let notes = place(of: "notes")

    private static func place(of field: String) -> Int {
        guard let place = ClassName.item.schema.place(of: field) else { preconditionFailure("items have no \(field)") }
        return place
    }

    /// An item with these fields, the others as they are at first.
    static func item(_ key: String, _ given: [Int: Value]) -> Object {
        var values = ClassName.item.schema.fields.map { $0.initial ?? .null }
        values[ItemField.itemId] = .string(key)
        values[ItemField.projectId] = .string("p1")
        values[ItemField.timestamp] = .date(Timestamp(milliseconds: 0))
        values[ItemField.position] = .string("a")
        values[ItemField.createdBy] = .string("u1")
        for (place, value) in given { values[place] = value }
        return Object(.item, values)
    }

    static func rows(_ count: Int) -> [Object] {
        (0..<count).map { number in
            item(
                "item-\(number * 7919 % 1_000_003)",
                [
                    ItemField.body: .string("Buy milk and bread number \(number)"), BenchItems.priority: .integer(Int64(number % 4)),
                    ItemField.timestamp: .date(Timestamp(milliseconds: Int64(number) * 1000)),
                    ItemField.position: .string("a\(number * 31 % 99_991)"),
                ])
        }
    }
}
