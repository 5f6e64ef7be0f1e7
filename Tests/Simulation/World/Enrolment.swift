import Crypto
import Todo
import TodoStore

/// The users of a world in its store, with a token for each: as if they had registered before the story begins.
enum Enrolment {
    /// The token with which that user logs in.
    static func token(of user: String) -> String { "token-of-" + user }

    /// Writes the users, in one transaction; the first of them may be an admin.
    static func write(_ cast: Cast, hasAdmin: Bool, into store: any Store, at moment: Timestamp, expiresAt: Timestamp) throws {
        try store.begin()
        var changes: [Change] = []
        for (number, user) in cast.users.enumerated() {
            let object = Object(.user, [.string(user), .string("name of \(user)"), .boolean(hasAdmin && number == 0)])
            _ = try store.claimName("name of \(user)", user: user)
            try store.insert(object)
            changes.append(Change(.user, key: user, before: nil, after: object))
            _ = try store.insertAccount(
                Account(userId: user, provider: "nickname", subject: "name of \(user)", passwordHash: nil, createdAt: moment))
            try store.insertToken(
                TokenRecord(
                    hash: try SHA256.hash(utf8: token(of: user)), userId: user, createdAt: moment, expiresAt: expiresAt,
                    lastSeenAt: moment, userAgent: nil))
        }
        try store.append(LogEntry(version: store.nextVersion, at: moment, by: nil, changes: changes))
        try store.commit()
    }
}
