import Todo
import TodoStore

/// Reads the rows of a query from one state of the store, with the rights as they are in it.
enum SnapshotRows {
    /// - Parameter tallies: keep what the query asks of the items of projects, where they are given.
    static func read(
        _ query: Query, _ scope: Scope, _ snapshot: any ObjectReader, _ searchBytesMax: Int, tallies: ItemTallies? = nil
    ) throws -> [Object] {
        let sight = RowSight(snapshot, tallies: tallies, searchBytesMax: searchBytesMax)
        var roles: [String: Role] = [:]
        if case .user(let user) = scope { roles = try RowSight.roles(ofUser: user, snapshot) }
        var rows: [Object] = []
        try snapshot.forEach(query.className, where: narrowing(query)) { object in
            if let row = try sight.admit(object, into: query, scope, roles: roles) { rows.append(row) }
            return true
        }
        return rows
    }

    /// The same for one who asks: nothing where that one does not see the project to which the scope is fixed.
    static func read(_ query: Query, _ scope: Scope, for caller: Caller, _ snapshot: any ObjectReader, _ searchBytesMax: Int) throws
        -> [Object]
    {
        try sees(caller, scope, snapshot) ? try read(query, scope, snapshot, searchBytesMax) : []
    }

    /// What the store may narrow by: what is shown of `isAdmin` is not what is stored.
    private static func narrowing(_ query: Query) -> [Term] {
        let terms = query.predicate.terms
        return query.className == .user ? terms.filter { $0.place != UserField.isAdmin } : terms
    }

    /// Whether the caller sees the project to which the scope is fixed; any other scope is made of what its user sees.
    private static func sees(_ caller: Caller, _ scope: Scope, _ snapshot: any ObjectReader) throws -> Bool {
        guard case .project(let id) = scope else { return true }
        guard let project = try snapshot.object(.project, id) else { return false }
        return try Rights.role(of: caller, in: project, snapshot) != nil
    }
}
