/// The SQL that finds places in a project's order, the same for every store.
enum PositionQueries {
    private static let selection = "SELECT \"position\" FROM items WHERE \"projectId\" = $1"

    /// `$1`: the project.
    static let first = "\(selection) ORDER BY \"position\" LIMIT 1"
    /// `$1`: the project.
    static let last = "\(selection) ORDER BY \"position\" DESC LIMIT 1"
    /// `$1`: the project, `$2`: the position, `$3`: the item to leave out.
    static let before = "\(selection) AND \"position\" < $2 AND \"itemId\" <> $3 ORDER BY \"position\" DESC LIMIT 1"
    /// `$1`: the project, `$2`: the position, `$3`: the item to leave out.
    static let after = "\(selection) AND \"position\" > $2 AND \"itemId\" <> $3 ORDER BY \"position\" LIMIT 1"
}
