/// Who changed one object in a span of transactions, and in which project it was before and after each change.
///
/// A change is told to those who see its outcome. Where the object was in several projects meanwhile, they may not see all of these, nor know
/// who wrote there: then only the writers are named who brought it all the way from where it was to where it is.
public struct WriterRecord: Sendable {
    private struct Entry: Hashable {
        let writer: String
        let earlier: String?
        let later: String?
    }

    private var entries: [Entry] = []
    private var projects: Set<String> = []
    private let isBackwards: Bool

    /// A record of nobody; `isBackwards` where the latest change is noted first.
    public init(isBackwards: Bool = false) {
        self.isBackwards = isBackwards
    }

    /// Notes a change of the object and who made it, `nil` for the server.
    public mutating func note(by writer: String?, before: Object?, after: Object?) {
        let (earlier, later) = (before?.projectId, after?.projectId)
        for case let project? in [earlier, later] { projects.insert(project) }
        guard let writer else { return }
        let entry = Entry(writer: writer, earlier: earlier, later: later)
        if let known = entries.firstIndex(of: entry) {
            guard isBackwards else { return }
            entries.remove(at: known)
        }
        entries.append(entry)
    }

    /// Those to name for the change of all of it, each once, in the order of their first changes.
    public func writers(before: Object?, after: Object?) -> [String] {
        var found: [String] = []
        for entry in isBackwards ? entries.reversed() : entries where !found.contains(entry.writer) {
            guard projects.count <= 1 || (entry.earlier == before?.projectId && entry.later == after?.projectId) else { continue }
            found.append(entry.writer)
        }
        return found
    }
}
