import Todo

/// The statements for accounts, user names and tokens.
final class SQLiteAccounts {
    private let connection: SQLiteConnection
    private let insertStatement: SQLiteStatement
    private let select: SQLiteStatement
    private let selectOfUser: SQLiteStatement
    private let setHash: SQLiteStatement
    private let suspend: SQLiteStatement
    private let deleteOfUser: SQLiteStatement
    private let insertName: SQLiteStatement
    private let selectName: SQLiteStatement
    private let deleteOtherNames: SQLiteStatement
    private let deleteNames: SQLiteStatement
    private let selectLastSeen: SQLiteStatement
    private let insertTokenStatement: SQLiteStatement
    private let selectToken: SQLiteStatement
    private let selectTokens: SQLiteStatement
    private let touch: SQLiteStatement
    private let deleteTokenStatement: SQLiteStatement
    private let deleteTokensStatement: SQLiteStatement
    private let deleteExpired: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        self.connection = connection
        insertStatement = try SQLiteStatement(connection, AccountTable.insert)
        select = try SQLiteStatement(connection, AccountTable.select)
        selectOfUser = try SQLiteStatement(connection, AccountTable.selectOfUser)
        setHash = try SQLiteStatement(connection, AccountTable.setPasswordHash)
        suspend = try SQLiteStatement(connection, AccountTable.setSuspended)
        deleteOfUser = try SQLiteStatement(connection, AccountTable.deleteOfUser)
        insertName = try SQLiteStatement(connection, UserNameTable.insert)
        selectName = try SQLiteStatement(connection, UserNameTable.select)
        deleteOtherNames = try SQLiteStatement(connection, UserNameTable.deleteOthers)
        deleteNames = try SQLiteStatement(connection, UserNameTable.deleteOfUser)
        selectLastSeen = try SQLiteStatement(connection, AccountTable.selectLastSeen)
        insertTokenStatement = try SQLiteStatement(connection, TokenTable.insert)
        selectToken = try SQLiteStatement(connection, TokenTable.select)
        selectTokens = try SQLiteStatement(connection, TokenTable.selectOfUser)
        touch = try SQLiteStatement(connection, TokenTable.touch)
        deleteTokenStatement = try SQLiteStatement(connection, TokenTable.delete)
        deleteTokensStatement = try SQLiteStatement(connection, TokenTable.deleteOfUser)
        deleteExpired = try SQLiteStatement(connection, TokenTable.deleteExpired)
    }

    func account(provider: String, subject: String) throws(StoreFailure) -> Account? {
        try select.bind(provider, at: 1)
        try select.bind(subject, at: 2)
        defer { select.reset() }
        return try select.step() ? account(select) : nil
    }

    func accounts(ofUser userId: String) throws(StoreFailure) -> [Account] {
        try selectOfUser.bind(userId, at: 1)
        defer { selectOfUser.reset() }
        var found: [Account] = []
        while try selectOfUser.step() { found.append(account(selectOfUser)) }
        return found
    }

    private func account(_ row: borrowing SQLiteStatement) -> Account {
        Account(
            userId: row.text(0), provider: row.text(1), subject: row.text(2), passwordHash: row.optionalText(3),
            isSuspended: row.integer(4) != 0, createdAt: row.timestamp(5))
    }

    func insert(_ account: Account) throws(StoreFailure) -> Bool {
        try insertStatement.bind(account.userId, at: 1)
        try insertStatement.bind(account.provider, at: 2)
        try insertStatement.bind(account.subject, at: 3)
        try insertStatement.bind(account.passwordHash, at: 4)
        try insertStatement.bind(account.isSuspended ? 1 : 0 as Int64, at: 5)
        try insertStatement.bind(account.createdAt.milliseconds, at: 6)
        try insertStatement.run()
        return connection.changedRows == 1
    }

    func setPasswordHash(_ hash: String?, provider: String, subject: String) throws(StoreFailure) -> Bool {
        try setHash.bind(hash, at: 1)
        try setHash.bind(provider, at: 2)
        try setHash.bind(subject, at: 3)
        try setHash.run()
        return connection.changedRows == 1
    }

    func setSuspended(_ isSuspended: Bool, user userId: String) throws(StoreFailure) {
        try suspend.bind(isSuspended ? 1 : 0 as Int64, at: 1)
        try suspend.bind(userId, at: 2)
        try suspend.run()
    }

    func deleteAccounts(ofUser userId: String) throws(StoreFailure) {
        try deleteOfUser.bind(userId, at: 1)
        try deleteOfUser.run()
        try deleteNames.bind(userId, at: 1)
        try deleteNames.run()
    }

    func claimName(_ name: String, user userId: String) throws(StoreFailure) -> Bool {
        try insertName.bind(name, at: 1)
        try insertName.bind(userId, at: 2)
        try insertName.run()
        guard try holder(ofName: name) == userId else { return false }
        try deleteOtherNames.bind(userId, at: 1)
        try deleteOtherNames.bind(name, at: 2)
        try deleteOtherNames.run()
        return true
    }

    private func holder(ofName name: String) throws(StoreFailure) -> String? {
        try selectName.bind(name, at: 1)
        defer { selectName.reset() }
        return try selectName.step() ? selectName.text(0) : nil
    }

    func lastSeen(ofUser userId: String) throws(StoreFailure) -> Timestamp? {
        try selectLastSeen.bind(userId, at: 1)
        defer { selectLastSeen.reset() }
        var latest: Timestamp?
        while try selectLastSeen.step() { latest = latest.map { max($0, selectLastSeen.timestamp(0)) } ?? selectLastSeen.timestamp(0) }
        return latest
    }

    func insertToken(_ token: TokenRecord) throws(StoreFailure) {
        try insertTokenStatement.bind(token.hash, at: 1)
        try insertTokenStatement.bind(token.userId, at: 2)
        try insertTokenStatement.bind(token.createdAt.milliseconds, at: 3)
        try insertTokenStatement.bind(token.expiresAt.milliseconds, at: 4)
        try insertTokenStatement.bind(token.lastSeenAt.milliseconds, at: 5)
        try insertTokenStatement.bind(token.userAgent, at: 6)
        try insertTokenStatement.run()
    }

    func token(hash: [UInt8]) throws(StoreFailure) -> TokenRecord? {
        try selectToken.bind(hash, at: 1)
        defer { selectToken.reset() }
        return try selectToken.step() ? token(selectToken) : nil
    }

    func tokens(ofUser userId: String) throws(StoreFailure) -> [TokenRecord] {
        try selectTokens.bind(userId, at: 1)
        defer { selectTokens.reset() }
        var found: [TokenRecord] = []
        while try selectTokens.step() { found.append(token(selectTokens)) }
        return found
    }

    private func token(_ row: borrowing SQLiteStatement) -> TokenRecord {
        TokenRecord(
            hash: row.bytes(0), userId: row.text(1), createdAt: row.timestamp(2), expiresAt: row.timestamp(3),
            lastSeenAt: row.timestamp(4), userAgent: row.optionalText(5))
    }

    func touchToken(hash: [UInt8], lastSeenAt: Timestamp, expiresAt: Timestamp) throws(StoreFailure) {
        try touch.bind(lastSeenAt.milliseconds, at: 1)
        try touch.bind(expiresAt.milliseconds, at: 2)
        try touch.bind(hash, at: 3)
        try touch.run()
    }

    func deleteToken(hash: [UInt8]) throws(StoreFailure) -> Bool {
        try deleteTokenStatement.bind(hash, at: 1)
        try deleteTokenStatement.run()
        return connection.changedRows == 1
    }

    func deleteTokens(ofUser userId: String) throws(StoreFailure) -> [[UInt8]] {
        let hashes = try tokens(ofUser: userId).map(\.hash)
        try deleteTokensStatement.bind(userId, at: 1)
        try deleteTokensStatement.run()
        return hashes
    }

    /// Removes some of the tokens that had expired by then; `true` while more may be waiting.
    func deleteTokens(expiredBefore moment: Timestamp, rowsMax: Int) throws(StoreFailure) -> Bool {
        try deleteExpired.bind(moment.milliseconds, at: 1)
        try deleteExpired.bind(Int64(rowsMax), at: 2)
        try deleteExpired.run()
        return connection.changedRows == rowsMax
    }
}
