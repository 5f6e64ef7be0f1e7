import Todo

/// The statements for invitations.
final class SQLiteInvitations {
    private let connection: SQLiteConnection
    private let insertStatement: SQLiteStatement
    private let selectByCode: SQLiteStatement
    private let select: SQLiteStatement
    private let selectOfProject: SQLiteStatement
    private let setUses: SQLiteStatement
    private let deleteStatement: SQLiteStatement
    private let deleteOfProject: SQLiteStatement
    private let deleteExpiredStatement: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        self.connection = connection
        insertStatement = try SQLiteStatement(connection, InvitationTable.insert)
        selectByCode = try SQLiteStatement(connection, InvitationTable.selectByCode)
        select = try SQLiteStatement(connection, InvitationTable.select)
        selectOfProject = try SQLiteStatement(connection, InvitationTable.selectOfProject)
        setUses = try SQLiteStatement(connection, InvitationTable.setUsesLeft)
        deleteStatement = try SQLiteStatement(connection, InvitationTable.delete)
        deleteOfProject = try SQLiteStatement(connection, InvitationTable.deleteOfProject)
        deleteExpiredStatement = try SQLiteStatement(connection, InvitationTable.deleteExpired)
    }

    func insert(_ invitation: Invitation) throws(StoreFailure) {
        try insertStatement.bind(invitation.inviteId, at: 1)
        try insertStatement.bind(invitation.codeHash, at: 2)
        try insertStatement.bind(invitation.projectId, at: 3)
        try insertStatement.bind(invitation.role.name, at: 4)
        try insertStatement.bind(invitation.createdBy, at: 5)
        try insertStatement.bind(invitation.createdAt.milliseconds, at: 6)
        try insertStatement.bind(invitation.expiresAt.milliseconds, at: 7)
        try insertStatement.bind(Int64(invitation.usesLeft), at: 8)
        try insertStatement.run()
    }

    func invitation(codeHash: [UInt8]) throws(StoreFailure) -> Invitation? {
        try selectByCode.bind(codeHash, at: 1)
        defer { selectByCode.reset() }
        return try selectByCode.step() ? invitation(selectByCode) : nil
    }

    func invitation(_ inviteId: String) throws(StoreFailure) -> Invitation? {
        try select.bind(inviteId, at: 1)
        defer { select.reset() }
        return try select.step() ? invitation(select) : nil
    }

    func invitations(ofProject projectId: String) throws(StoreFailure) -> [Invitation] {
        try selectOfProject.bind(projectId, at: 1)
        defer { selectOfProject.reset() }
        var found: [Invitation] = []
        while try selectOfProject.step() { found.append(try invitation(selectOfProject)) }
        return found
    }

    private func invitation(_ row: borrowing SQLiteStatement) throws(StoreFailure) -> Invitation {
        guard let role = Role(name: row.text(3)) else { throw SQLiteFailure.damaged(connection.path, "an invitation has an unknown role") }
        return Invitation(
            inviteId: row.text(0), codeHash: row.bytes(1), projectId: row.text(2), role: role, createdBy: row.text(4),
            createdAt: row.timestamp(5), expiresAt: row.timestamp(6), usesLeft: Int(row.integer(7)))
    }

    func setUsesLeft(_ uses: Int, of inviteId: String) throws(StoreFailure) {
        try setUses.bind(Int64(uses), at: 1)
        try setUses.bind(inviteId, at: 2)
        try setUses.run()
    }

    func delete(_ inviteId: String) throws(StoreFailure) -> Bool {
        try deleteStatement.bind(inviteId, at: 1)
        try deleteStatement.run()
        return connection.changedRows == 1
    }

    func delete(ofProject projectId: String) throws(StoreFailure) {
        try deleteOfProject.bind(projectId, at: 1)
        try deleteOfProject.run()
    }

    /// Removes some of those that are over; `true` while more may be waiting.
    func deleteExpired(now: Timestamp, rowsMax: Int) throws(StoreFailure) -> Bool {
        try deleteExpiredStatement.bind(now.milliseconds, at: 1)
        try deleteExpiredStatement.bind(Int64(rowsMax), at: 2)
        try deleteExpiredStatement.run()
        return connection.changedRows == rowsMax
    }
}
