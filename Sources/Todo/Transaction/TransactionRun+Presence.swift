/// Presences: set by whoever sees the project, changed by their own session only.
extension TransactionRun {
    mutating func createPresence(_ given: Given) throws -> String {
        let projectId = try self.given(.presence, PresenceField.projectId, given)
        _ = try project(projectId, requiring: .viewer, path: "object.projectId")
        guard let session = settings.session else {
            throw Refusal(.notPermitted, "notPermitted", "Only a session has a presence.", path: "create")
        }
        let key = given[PresenceField.presenceId]?.string ?? makeId()
        try requireFree(.presence, key)
        try requireRoom(session)
        try insert(
            try object(
                .presence, given,
                kept: [
                    PresenceField.presenceId: .string(key), PresenceField.userId: .string(settings.caller.userId),
                    PresenceField.session: .string(session),
                ]))
        return key
    }

    private func requireRoom(_ session: String) throws {
        var held = 0
        try store.forEach(.presence, where: [Term(place: PresenceField.session, .equal, .string(session))]) { object in
            if object[PresenceField.session] == .string(session) { held += 1 }
            return true
        }
        guard held >= settings.presencesMax else { return }
        throw Refusal(
            .limit(name: "presences", maximum: settings.presencesMax), "limit",
            "A session has at most \(settings.presencesMax) presences; delete one, or update the one that it has.")
    }

    func isOfOwnSession(_ object: Object) -> Bool {
        guard object.className == .presence else { return true }
        return object[PresenceField.session].string == settings.session && settings.session != nil
    }

    func requireOwnSession(_ object: Object) throws {
        guard !isOfOwnSession(object) else { return }
        throw Refusal(.notPermitted, "notPermitted", "The presence '\(object.key)' belongs to another session; only that one changes it.")
    }
}
