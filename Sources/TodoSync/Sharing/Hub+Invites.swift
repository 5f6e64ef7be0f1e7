import Crypto
import Todo
import TodoProtocol
import TodoStore

/// Invitations: a secret code that lets whoever has it into a project.
///
/// An invitation holds as long as its maker is an owner of the project: what a maker lost, the invitation does not give.
extension Hub {
    func invite(_ call: InviteCall, _ answer: Answer) {
        guard let caller = answer.session.login?.view.caller else { return self.answer(answer, .notLoggedIn) }
        let writes = if case .list = call { false } else { true }
        inGroup(answer, writes: writes) { [unowned self] in
            switch call {
            case .create(let params): try createInvite(params, caller, answer)
            case .accept(let code): try acceptInvite(code, caller, answer)
            case .list(let projectId): try listInvites(projectId, caller, answer)
            case .revoke(let inviteId): try revokeInvite(inviteId, caller, answer)
            }
        }
    }

    private func createInvite(_ params: InviteParams, _ caller: Caller, _ answer: Answer) throws {
        try requireOwner(caller, of: params.projectId, path: "projectId")
        let expiresAt = try expiry(params.life)
        try makeRoom(params.projectId)
        let code = Base64.encodeURL(try RandomBytes.make(32))
        let invitation = Invitation(
            inviteId: freshId(), codeHash: try SHA256.hash(utf8: code), projectId: params.projectId, role: params.role,
            createdBy: caller.userId, createdAt: moment.wall, expiresAt: expiresAt, usesLeft: params.uses)
        try store.insertInvitation(invitation)
        self.answer(answer) { writer in MessageEncoder.invite(answer.id, InviteResult(invitation, code: code), into: &writer) }
        audit("invite.create", invitation, caller, answer)
    }

    private func expiry(_ life: InviteLife) throws(Refusal) -> Timestamp {
        let now = moment.wall.milliseconds
        switch life {
        case .standard: return Timestamp(milliseconds: now + settings.limits.inviteMilliseconds)
        case .seconds(let seconds):
            guard seconds <= settings.limits.inviteSeconds else {
                throw Refusal(
                    .invalid, "outOfRange", "An invitation holds for at most \(settings.limits.inviteSeconds) seconds.", path: "seconds")
            }
            return Timestamp(milliseconds: now + seconds * 1000)
        case .until(let moment):
            let latest = Timestamp(milliseconds: now + Int64(settings.limits.inviteSeconds) * 1000)
            guard moment > self.moment.wall, moment <= latest else {
                throw Refusal(
                    .invalid, "outOfRange", "expiresAt is a moment to come, within \(settings.limits.inviteSeconds) seconds.",
                    path: "expiresAt")
            }
            return moment
        }
    }

    /// Forgets what does not hold any more, and refuses where too many are left.
    private func makeRoom(_ projectId: String) throws {
        var held = 0
        for invitation in try store.invitations(ofProject: projectId) {
            if invitation.usesLeft > 0, invitation.expiresAt > moment.wall {
                held += 1
            } else if invitation.expiresAt <= moment.wall {
                try store.deleteInvitation(invitation.inviteId)
            }
        }
        let maximum = settings.limits.invites
        guard held >= maximum else { return }
        throw ErrorResponse.limit("invites", maximum: maximum, "A project has at most \(maximum) invitations; revoke one first.")
    }

    /// Wrong, expired, used up, taken back, without force: all the same to who asks.
    private func acceptInvite(_ code: String, _ caller: Caller, _ answer: Answer) throws {
        guard let invitation = try store.invitation(codeHash: try SHA256.hash(utf8: code)), invitation.expiresAt > moment.wall,
            try isInForce(invitation)
        else { throw ErrorResponse.noSuchInvitation }
        let key = PermissionKey.of(project: invitation.projectId, user: caller.userId)
        let held = try store.object(.permission, key).flatMap { Role(name: $0.text(PermissionField.role)) }
        // Who is in already takes no use, so that an answer that was lost can be asked for again.
        if held.map({ $0 < invitation.role }) ?? true {
            guard invitation.usesLeft > 0 else { throw ErrorResponse.noSuchInvitation }
            var run = TransactionRun(store: live, settings: transactionSettings(caller), makeId: freshId)
            try run.join(invitation.projectId, as: invitation.role)
            try store.setUsesLeft(invitation.usesLeft - 1, ofInvitation: invitation.inviteId)
            try append(run.changes, by: caller.userId)
            audit("invite.accept", invitation, caller, answer)
            auditRights(run.changes, caller, answer)
        }
        self.answer(answer) { writer in MessageEncoder.joined(answer.id, projectId: invitation.projectId, into: &writer) }
    }

    /// Whether its maker may still let others in.
    private func isInForce(_ invitation: Invitation) throws -> Bool {
        guard let project = try store.object(.project, invitation.projectId), let maker = try store.object(.user, invitation.createdBy)
        else { return false }
        guard try !store.accounts(ofUser: maker.key).contains(where: \.isSuspended) else { return false }
        let caller = Caller(userId: maker.key, isAdmin: maker[UserField.isAdmin].boolean ?? false)
        return try Rights.role(of: caller, in: project, store) == .owner
    }

    private func listInvites(_ projectId: String, _ caller: Caller, _ answer: Answer) throws {
        try requireOwner(caller, of: projectId, path: "projectId")
        let held = try store.invitations(ofProject: projectId).filter { $0.usesLeft > 0 && $0.expiresAt > moment.wall }
        self.answer(answer) { writer in
            MessageEncoder.invites(answer.id, held.map { InviteResult($0, code: nil) }, into: &writer)
        }
    }

    private func revokeInvite(_ inviteId: String, _ caller: Caller, _ answer: Answer) throws {
        let missing = Refusal(.notFound, "noSuchObject", "There is no invitation of that id that you may see.", path: "inviteId")
        guard let invitation = try store.invitation(inviteId), let project = try store.object(.project, invitation.projectId),
            let role = try Rights.role(of: caller, in: project, store)
        else { throw missing }
        guard role == .owner else { throw Self.ownersOnly(invitation.projectId) }
        try store.deleteInvitation(inviteId)
        self.answer(answer) { writer in MessageEncoder.empty(answer.id, into: &writer) }
        audit("invite.revoke", invitation, caller, answer)
    }

    /// Notes a line, which is written once what it tells is durable.
    private func audit(_ event: String, _ invitation: Invitation, _ caller: Caller, _ answer: Answer) {
        let line = Audit(
            event: event, by: caller.userId, address: answer.session.peer.address,
            details: [("invitation", invitation.inviteId), ("project", invitation.projectId), ("role", invitation.role.name)])
        group.effects.append { [unowned self] in audit(line) }
    }

    /// Sight comes before the right.
    private func requireOwner(_ caller: Caller, of projectId: String, path: String) throws {
        guard let project = try store.object(.project, projectId), let role = try Rights.role(of: caller, in: project, store) else {
            throw Refusal(.notFound, "noSuchObject", "There is no Project with the id '\(projectId)' that you may see.", path: path)
        }
        guard role == .owner else { throw Self.ownersOnly(projectId) }
    }

    private static func ownersOnly(_ projectId: String) -> Refusal {
        Refusal(
            .notPermitted, "roleTooLow", "This needs the role 'owner' in the project '\(projectId)'; ask one of its owners for it.")
    }

    /// Invitations go with their project, also where one of the same id takes its place at once.
    func forgetInvites(_ changes: [Change]) throws(StoreFailure) {
        for change in changes where change.className == .project && change.before != nil {
            guard change.after?[ProjectField.timestamp] != change.before?[ProjectField.timestamp] else { continue }
            try store.deleteInvitations(ofProject: change.key)
        }
    }
}

extension InviteResult {
    fileprivate init(_ invitation: Invitation, code: String?) {
        self.init(
            inviteId: invitation.inviteId, code: code, projectId: invitation.projectId, role: invitation.role,
            createdBy: invitation.createdBy, createdAt: invitation.createdAt, expiresAt: invitation.expiresAt, uses: invitation.usesLeft)
    }
}
