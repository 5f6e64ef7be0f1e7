import Todo
import TodoProtocol
import TodoStore

/// Presences: written like everything else, but held in memory, without versions, and gone with their session.
extension Hub {
    /// One transaction on presences. It runs within the group, so that it sees what the session wrote before it, and is told with it.
    func writePresences(_ entries: [Entry], _ caller: Caller, _ answer: Answer) {
        inGroup(answer, writes: false) { [unowned self] in
            var settings = transactionSettings(caller)
            settings.session = answer.session.id.name
            settings.presencesMax = self.settings.limits.presences
            var run = TransactionRun(store: live, settings: settings, makeId: freshId)
            let ids = try run.apply(entries)
            live.note(writer: caller.userId, of: run.changes)
            let version = store.nextVersion - 1
            self.answer(answer) { writer in
                MessageEncoder.writeResult(answer.id, version: version, ids: ids, isDuplicate: false, into: &writer)
            }
        }
    }

    /// Tells of presences that came or went by themselves.
    func publishPresences() {
        if live.hasChanges, !group.isOpen { publish([]) }
    }

    /// Presences go with the project, and with their user's sight of it; `changes` are what a commit did.
    func removeUnseenPresences(_ changes: [Change], _ sight: RowSight) throws {
        guard live.count > 0 else { return }
        for change in changes {
            let projectId: String
            switch change.className {
            case .permission where change.after == nil: projectId = change.before?.projectId ?? ""
            case .project where ChangeBatch.isOpen(change.before) && !ChangeBatch.isOpen(change.after) || change.after == nil:
                projectId = change.key
            default: continue
            }
            let access = try sight.access(projectId)
            live.removePresences(inProject: projectId) { user in users[user]?.sees(projectId, access: access) ?? false }
        }
    }
}

extension SessionID {
    /// The name by which admins, and presences, know the session.
    var name: String { "\(loop)-\(connection)" }
}
