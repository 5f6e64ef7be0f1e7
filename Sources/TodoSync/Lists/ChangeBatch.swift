import Todo
import TodoProtocol

/// The changes of one commit, or of several merged, and what follows from them for sight and for related objects.
struct ChangeBatch {
    /// A permission that came or went: the user may see the project now, or no longer.
    typealias Grant = (user: String, project: String, number: Int)

    let changes: [Change]
    /// Who wrote each change; where all have the same writers, these are there once.
    private let writers: [[String]]
    private let fields: ChangedFields
    /// Permissions that came or went.
    private(set) var permissions: [Grant] = []
    /// Projects that opened or closed to everybody, and the changes that did it.
    private(set) var openings: [String: Int] = [:]
    /// Projects that came into being.
    private(set) var created: Set<String> = []
    /// Projects that everybody saw and that are gone.
    private(set) var openBeforeDeletion: Set<String> = []
    /// Projects whose row changed, the places of the changed fields, a bit each, for items whose query looks at them, and the changes that did it.
    private(set) var projects: [(id: String, places: UInt64, number: Int)] = []
    /// Projects of which items changed, for projects whose query looks at their items, and the changes that did it.
    private(set) var projectsOfItems: [String: [Int]] = [:]

    /// Changes that all have the same writers.
    init(_ changes: [Change], by writers: [String] = []) {
        self.init(changes, writers: [writers])
    }

    /// Changes with the writers of each, or with one entry for all.
    init(_ changes: [Change], writers: [[String]]) {
        self.changes = changes
        self.writers = writers
        fields = ChangedFields(changes)
        for (number, change) in changes.enumerated() {
            switch change.className {
            case .permission:
                if (change.before == nil) != (change.after == nil), let permission = change.after ?? change.before {
                    permissions.append((permission.text(PermissionField.userId), permission.text(PermissionField.projectId), number))
                }
            case .project:
                projects.append((change.key, fields.places(number), number))
                if change.before == nil { created.insert(change.key) }
                if change.after == nil, Self.isOpen(change.before) { openBeforeDeletion.insert(change.key) }
                if Self.isOpen(change.before) != Self.isOpen(change.after) { openings[change.key] = number }
            case .item:
                if let before = change.before { projectsOfItems[before.text(ItemField.projectId), default: []].append(number) }
                if let after = change.after, after.projectId != change.before?.projectId {
                    projectsOfItems[after.text(ItemField.projectId), default: []].append(number)
                }
            case .user, .presence: break
            }
        }
    }

    /// The projects of which a field changed that the predicate looks at.
    func projects(lookedAtBy predicate: Predicate) -> [(id: String, number: Int)] {
        guard predicate.projectPlaces != 0 else { return [] }
        return projects.compactMap { $0.places & predicate.projectPlaces == 0 ? nil : ($0.id, $0.number) }
    }

    /// The places of the fields that a change changed, a bit each; all where an object came or went.
    func changedPlaces(_ number: Int) -> UInt64 { fields.places(number) }

    /// Who wrote everything, where all changes have the same writers.
    var onlyWriters: [String]? {
        guard let first = writers.first else { return [] }
        return writers.count == 1 ? first : nil
    }

    /// Who wrote these changes, at most 10. A list is told the writers of its own rows only: who else wrote in the same commit is
    /// not for everybody to know.
    func writers(of numbers: some Sequence<Int>) -> [String] {
        if let onlyWriters { return onlyWriters }
        var found: [String] = []
        for number in numbers {
            for writer in writers[number] where found.count < MessageEncoder.writersMax && !found.contains(writer) { found.append(writer) }
        }
        return found
    }

    /// Whether everybody sees the project.
    static func isOpen(_ project: Object?) -> Bool {
        guard let project, project.className == .project, let access = Access(rawValue: project.text(ProjectField.access)) else {
            return false
        }
        return access != .private
    }
}

/// Which fields each change changed: found out where somebody asks, once for all lists.
private final class ChangedFields {
    private let changes: [Change]
    private var known: [UInt64?] = []

    init(_ changes: [Change]) {
        self.changes = changes
    }

    func places(_ number: Int) -> UInt64 {
        if known.isEmpty { known = Array(repeating: nil, count: changes.count) }
        if let places = known[number] { return places }
        let places = Self.places(changes[number])
        known[number] = places
        return places
    }

    private static func places(_ change: Change) -> UInt64 {
        guard let before = change.before, let after = change.after else { return .max }
        return after.values.indices.reduce(0) { $0 | (before[$1] == after[$1] ? 0 : 1 << UInt64($1)) }
    }
}
