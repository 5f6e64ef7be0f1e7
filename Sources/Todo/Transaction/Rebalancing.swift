/// Gives the items of a project evenly spread positions in the order that they have.
public enum Rebalancing {
    /// Writes the new positions and answers the changes.
    public static func run(_ projectId: String, _ store: some ObjectStore) throws -> [Change] {
        var items: [Object] = []
        try store.forEach(.item, where: [Term(place: ItemField.projectId, .equal, .string(projectId))]) {
            if $0.text(ItemField.projectId) == projectId { items.append($0) }
            return true
        }
        items.sort { $0.text(ItemField.position).compareBytes(with: $1.text(ItemField.position)) < 0 }
        var changes: [Change] = []
        for (item, position) in zip(items, Position.spread(count: items.count)) {
            var moved = item
            moved[ItemField.position] = .string(position)
            guard moved != item else { continue }
            try store.update(moved, from: item)
            changes.append(Change(.item, key: item.key, before: item, after: moved))
        }
        return changes
    }
}
