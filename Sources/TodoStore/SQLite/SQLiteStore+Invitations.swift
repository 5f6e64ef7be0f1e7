public import Todo

extension SQLiteStore {
    /// Adds an invitation.
    public func insertInvitation(_ invitation: Invitation) throws(StoreFailure) {
        try requireTransaction()
        try invitations.insert(invitation)
    }

    /// The invitation whose code has that hash.
    public func invitation(codeHash: [UInt8]) throws(StoreFailure) -> Invitation? {
        try invitations.invitation(codeHash: codeHash)
    }

    /// The invitation of that id.
    public func invitation(_ inviteId: String) throws(StoreFailure) -> Invitation? {
        try invitations.invitation(inviteId)
    }

    /// The invitations of a project, the oldest first.
    public func invitations(ofProject projectId: String) throws(StoreFailure) -> [Invitation] {
        try invitations.invitations(ofProject: projectId)
    }

    /// Says how many may still take the invitation.
    public func setUsesLeft(_ uses: Int, ofInvitation inviteId: String) throws(StoreFailure) {
        try requireTransaction()
        try invitations.setUsesLeft(uses, of: inviteId)
    }

    /// Removes an invitation; `false` where there is none.
    @discardableResult
    public func deleteInvitation(_ inviteId: String) throws(StoreFailure) -> Bool {
        try requireTransaction()
        return try invitations.delete(inviteId)
    }

    /// Removes the invitations of a project.
    public func deleteInvitations(ofProject projectId: String) throws(StoreFailure) {
        try requireTransaction()
        try invitations.delete(ofProject: projectId)
    }
}
