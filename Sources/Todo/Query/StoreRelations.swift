/// The relations of a predicate, read from a store; a failure is kept until the scan is over.
public final class StoreRelations: RelatedObjects {
    private let reader: any ObjectReader
    private let tallies: ItemTallies?
    private var failure: (any Error)?
    private var projects: [String: Object?] = [:]
    /// Bytes of the items that were read, about.
    private(set) var itemBytesRead = 0

    /// Relations as the reader sees them; `tallies`, if any, are those of the same state.
    public init(_ reader: any ObjectReader, tallies: ItemTallies? = nil) {
        self.reader = reader
        self.tallies = tallies
    }

    /// The project, read once.
    public func project(_ projectId: String) -> Object? {
        if let known = projects[projectId] { return known }
        let found = attempt { try reader.object(.project, projectId) } ?? nil
        projects[projectId] = .some(found)
        return found
    }

    /// The items of the project.
    public func items(ofProject projectId: String) -> [Object] {
        var found: [Object] = []
        forEachItem(ofProject: projectId) { found.append($0) }
        return found
    }

    /// The kept tally, where tallies are kept.
    public func tally(_ test: ItemTest, ofProject projectId: String) -> ItemTally? {
        tallies?.tally(test, ofProject: projectId) { body in forEachItem(ofProject: projectId, body) }
    }

    private func forEachItem(ofProject projectId: String, _ body: (Object) -> Void) {
        attempt {
            try reader.forEach(.item, where: [Term(place: ItemField.projectId, .equal, .string(projectId))]) {
                if $0.text(ItemField.projectId) == projectId { body($0) }
                itemBytesRead += $0.approximateBytes
                return true
            }
        }
    }

    @discardableResult
    private func attempt<Result>(_ work: () throws -> Result) -> Result? {
        do { return try work() } catch {
            failure = failure ?? error
            return nil
        }
    }

    /// Throws what a read threw, if one did.
    public func rethrow() throws {
        if let failure { throw failure }
    }
}
