import Crypto
import TestSupport
import Todo
import TodoStore

/// The users of a world in its store, with a token for each: as if they had registered before the story begins.
enum Enrolment {
    /// The token with which that user logs in.
    static func token(of user: String) -> String { "token-of-" + user }

    /// The password with which that user logs in.
    static func password(of user: String) -> String { "password of " + user }

    /// Passwords are hashed as always, but at no cost.
    static let passwordCost = PasswordHash.Cost(logN: 1, blockSize: 1, parallelism: 1) ?? .standard

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
                Account(
                    userId: user, provider: "password", subject: "name of \(user)",
                    passwordHash: try PasswordHash.make(password(of: user), cost: passwordCost).text, createdAt: moment))
            try store.insertToken(
                TokenRecord(
                    hash: try SHA256.hash(utf8: token(of: user)), userId: user, createdAt: moment, expiresAt: expiresAt,
                    lastSeenAt: moment, userAgent: nil))
        }
        try store.append(LogEntry(version: store.nextVersion, at: moment, by: nil, changes: changes))
        try store.commit()
    }

    /// Writes what these users did before the story begins: a world of many objects, of which some transactions failed.
    static func populate(_ cast: Cast, transactions: Int, into store: some Store, at moment: Timestamp, _ random: inout SplitMix) throws {
        for _ in 0..<transactions {
            let user = cast.user(&random)
            let isAdmin = try store.object(.user, user)?[UserField.isAdmin] == .boolean(true)
            let settings = TransactionSettings(
                caller: Caller(userId: user, isAdmin: isAdmin), now: moment, accessOfNewProjects: .everyoneWrite, objectsMax: 1000,
                searchBytesMax: 1 << 20)
            try store.begin()
            do {
                var run = TransactionRun(store: store, settings: settings) { preconditionFailure("every object has its id") }
                _ = try run.apply(beginnings(cast, &random))
                if !run.changes.isEmpty {
                    try store.append(LogEntry(version: store.nextVersion, at: moment, by: user, changes: run.changes))
                }
                try store.commit()
            } catch is Refusal {
                store.rollback()
            }
        }
    }

    private static func beginnings(_ cast: Cast, _ random: inout SplitMix) -> [Entry] {
        let project: Value = .string(cast.project(&random))
        let place = { (className: ClassName, name: String) in className.schema.place(of: name) ?? 0 }
        if random.next(upTo: 4) == 0 {
            return [.upsert(.project, values: [(place(.project, "projectId"), project), (place(.project, "name"), .string("first"))])]
        }
        return [
            .upsert(
                .item,
                values: [
                    (place(.item, "itemId"), .string(cast.item(&random))), (place(.item, "projectId"), project),
                    (place(.item, "body"), .string(cast.word(&random))), (place(.item, "priority"), .integer(Int64(random.next(upTo: 4)))),
                    (place(.item, "isDone"), .boolean(Bool.random(using: &random))),
                ])
        ]
    }
}
