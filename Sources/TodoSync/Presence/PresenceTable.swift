import Todo

/// The presences of all sessions, found by key, by project and by session.
struct PresenceTable {
    private var rows: [String: Object] = [:]
    private var byProject: [String: Set<String>] = [:]
    private var bySession: [String: Set<String>] = [:]

    var count: Int { rows.count }

    func object(_ key: String) -> Object? { rows[key] }

    func keys(ofSession session: String) -> Set<String> { bySession[session] ?? [] }

    func keys(ofProject projectId: String) -> Set<String> { byProject[projectId] ?? [] }

    /// Every row that can satisfy the terms, until `body` answers `false`; of the terms those on key, project and session narrow.
    func forEach(where terms: [Term], _ body: (Object) throws -> Bool) rethrows {
        guard let keys = narrowed(terms) else {
            for row in rows.values where try !body(row) { return }
            return
        }
        for key in keys {
            if let row = rows[key], try !body(row) { return }
        }
    }

    private func narrowed(_ terms: [Term]) -> Set<String>? {
        for term in terms where term.comparison == .equal {
            guard let text = term.value.string else { continue }
            switch term.place {
            case PresenceField.presenceId: return [text]
            case PresenceField.projectId: return keys(ofProject: text)
            case PresenceField.session: return keys(ofSession: text)
            default: continue
            }
        }
        return nil
    }

    mutating func put(_ row: Object) {
        remove(row.key)
        rows[row.key] = row
        byProject[row.text(PresenceField.projectId), default: []].insert(row.key)
        bySession[row.text(PresenceField.session), default: []].insert(row.key)
    }

    mutating func remove(_ key: String) {
        guard let row = rows.removeValue(forKey: key) else { return }
        Self.remove(key, from: row.text(PresenceField.projectId), &byProject)
        Self.remove(key, from: row.text(PresenceField.session), &bySession)
    }

    private static func remove(_ key: String, from place: String, _ index: inout [String: Set<String>]) {
        index[place]?.remove(key)
        if index[place]?.isEmpty == true { index[place] = nil }
    }
}
