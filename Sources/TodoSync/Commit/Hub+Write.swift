import Todo
import TodoProtocol
import TodoStore

/// `write`: one transaction of a client.
extension Hub {
    func write(_ params: WriteParams, _ answer: Answer) {
        guard let caller = answer.session.login?.view.caller else { return self.answer(answer, .notLoggedIn) }
        let entries: [Entry]
        do { entries = try compile(params.entries, caller) } catch { return refuse(answer, error) }
        if params.entries.first?.className.isVolatile == true { return writePresences(entries, caller, answer) }
        inGroup(answer) { [unowned self] in
            if let txn = params.txn, let known = try remembered(txn, caller) {
                return self.answer(answer) { writer in
                    MessageEncoder.writeResult(answer.id, version: known.version, ids: known.ids, isDuplicate: true, into: &writer)
                }
            }
            let (ids, changes) = try run(entries, transactionSettings(caller), store)
            let version = changes.isEmpty ? store.nextVersion - 1 : store.nextVersion
            if !changes.isEmpty {
                try append(changes, by: caller.userId)
                try auditRights(changes, caller, answer)
            }
            if let txn = params.txn {
                try store.remember(
                    RememberedTransaction(userId: caller.userId, txn: txn, version: version, ids: ids, at: moment.wall))
            }
            self.answer(answer) { writer in
                MessageEncoder.writeResult(answer.id, version: version, ids: ids, isDuplicate: false, into: &writer)
            }
        }
    }

    func transactionSettings(_ caller: Caller) -> TransactionSettings {
        TransactionSettings(
            caller: caller, now: moment.wall, accessOfNewProjects: settings.accessOfNewProjects,
            objectsMax: settings.limits.objectsTouched, searchBytesMax: settings.limits.writeSearchBytes)
    }

    private func compile(_ specs: [EntrySpec], _ caller: Caller) throws -> [Entry] {
        try specs.enumerated().map { index, spec in
            do {
                return try spec.entry(
                    normalised: { try UserName($0, path: "object.userName").folded },
                    predicate: { className, filter, args in
                        try Predicate.parse(filter, of: className, args: args, user: caller.userId, limits: settings.limits.filters)
                    })
            } catch let refusal as Refusal {
                throw refusal.under("changes[\(index)]")
            }
        }
    }

    private func remembered(_ txn: String, _ caller: Caller) throws -> RememberedTransaction? {
        guard let known = try store.rememberedTransaction(user: caller.userId, txn: txn) else { return nil }
        let age = moment.wall.milliseconds - known.at.milliseconds
        return age < settings.limits.transactionMemoryMilliseconds ? known : nil
    }

    private func run(_ entries: [Entry], _ settings: TransactionSettings, _ store: some Store) throws -> (ids: [String?], changes: [Change])
    {
        let meter = WorkMeter(
            interval: self.settings.limits.objectsBetweenLooks, isUrged: turn.mayGiveWay ? isUrgentInputWaiting : nil)
        defer { turn.work += meter.spent }
        var run = TransactionRun(store: store, settings: settings, meter: meter, makeId: freshId)
        let ids = try run.apply(entries)
        return (ids, run.changes)
    }

    /// Gives the items of projects whose positions grew long new ones, in transactions of their own.
    func rebalance() {
        guard !projectsToRebalance.isEmpty else { return }
        let projects = projectsToRebalance
        projectsToRebalance = []
        do {
            try openGroup()
            for projectId in projects {
                let changes = try Rebalancing.run(projectId, store)
                if !changes.isEmpty { try append(changes, by: nil) }
            }
            finishGroup()
        } catch {
            log(.error, "the positions of \(projects) could not be rebalanced: \(error)")
            failGroup(error as? StoreFailure ?? StoreFailure("\(error)"))
        }
    }

    /// Notes the projects in which a move made a position uncomfortably long.
    func noteLongPositions(_ changes: [Change]) {
        for change in changes where change.className == .item {
            guard let after = change.after, after.text(ItemField.position).utf8.count > Position.comfortableLength else { continue }
            projectsToRebalance.insert(after.text(ItemField.projectId))
        }
    }
}
