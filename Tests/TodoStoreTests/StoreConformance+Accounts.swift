import Testing
import Todo
import TodoStore

extension ConformanceCase {
    private static func account(_ user: String, _ provider: String, _ subject: String, hash: String? = nil) -> Account {
        Account(userId: user, provider: provider, subject: subject, passwordHash: hash, createdAt: Sample.moment)
    }

    static let accounts = [
        ConformanceCase("An account is found by provider and subject, and those are taken once") { store in
            let ann = account("u1", "password", "ann", hash: "scrypt$1")
            try store.begin()
            #expect(try store.insertAccount(ann))
            #expect(try store.insertAccount(account("u1", "jwt", "ann")))
            #expect(try !store.insertAccount(account("u2", "password", "ann")))
            try store.commit()
            #expect(try store.account(provider: "password", subject: "ann") == ann)
            #expect(try store.account(provider: "password", subject: "Ann") == nil)
            #expect(try store.accounts(ofUser: "u1").map(\.provider) == ["jwt", "password"])
            #expect(try store.accounts(ofUser: "u2").isEmpty)
        },
        ConformanceCase("Passwords, suspension and deletion") { store in
            try store.transaction { () throws in
                _ = try store.insertAccount(account("u1", "password", "ann", hash: "old"))
                _ = try store.insertAccount(account("u1", "nickname", "annie"))
                _ = try store.insertAccount(account("u2", "password", "bob", hash: "bob's"))
                #expect(try store.setPasswordHash("new", provider: "password", subject: "ann"))
                #expect(try !store.setPasswordHash("new", provider: "password", subject: "nobody"))
                try store.setSuspended(true, user: "u1")
            }
            #expect(try store.account(provider: "password", subject: "ann")?.passwordHash == "new")
            #expect(try store.accounts(ofUser: "u1").map(\.isSuspended) == [true, true])
            #expect(try store.account(provider: "password", subject: "bob")?.isSuspended == false)
            #expect(try store.account(provider: "password", subject: "bob")?.passwordHash == "bob's")
            try store.transaction { () throws in
                try store.setSuspended(false, user: "u1")
                #expect(try store.accounts(ofUser: "u1").map(\.isSuspended) == [false, false])
                try store.deleteAccounts(ofUser: "u1")
            }
            #expect(try store.accounts(ofUser: "u1").isEmpty)
            #expect(try store.account(provider: "password", subject: "bob") != nil)
        },
        ConformanceCase("A name belongs to one user, a user has one name") { store in
            try store.transaction { () throws in
                try store.insert(Sample.user("u1", name: "Ann"))
                try store.insert(Sample.user("u2", name: "ANN"))
                #expect(try store.claimName("ann", user: "u1"))
                #expect(try !store.claimName("ann", user: "u2"))
                #expect(try store.claimName("ann", user: "u1"))
            }
            #expect(try store.userNamed(normalisedName: "ann") == Sample.user("u1", name: "Ann"))
            try store.transaction { () throws in #expect(try store.claimName("anna", user: "u1")) }
            #expect(try store.userNamed(normalisedName: "ann") == nil)
            #expect(try store.userNamed(normalisedName: "anna")?.key == "u1")
            try store.transaction { () throws in
                try store.deleteAccounts(ofUser: "u1")
                #expect(try store.claimName("anna", user: "u2"))
            }
            #expect(try store.userNamed(normalisedName: "anna")?.key == "u2")
            let snapshot = try store.snapshot()
            #expect(try snapshot.userNamed(normalisedName: "anna")?.key == "u2")
            snapshot.release()
        },
        ConformanceCase("Tokens are found by their hash, touched and deleted") { store in
            let first = TokenRecord(
                hash: [UInt8](0..<32), userId: "u1", createdAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 10),
                lastSeenAt: Timestamp(milliseconds: 1), userAgent: "Browser/1")
            try store.transaction { () throws in
                try store.insertToken(first)
                try store.insertToken(Sample.token(2))
                try store.insertToken(Sample.token(3, user: "u2"))
            }
            #expect(try store.token(hash: first.hash) == first)
            #expect(try store.token(hash: []) == nil)
            #expect(try store.tokens(ofUser: "u1").map(\.createdAt.milliseconds) == [1, 2])
            try store.transaction { () throws in
                try store.touchToken(hash: first.hash, lastSeenAt: Timestamp(milliseconds: 5), expiresAt: Timestamp(milliseconds: 15))
            }
            #expect(try store.token(hash: first.hash)?.expiresAt.milliseconds == 15)
            #expect(try store.token(hash: first.hash)?.lastSeenAt.milliseconds == 5)
            #expect(try store.token(hash: Sample.token(2).hash) == Sample.token(2))
            try store.transaction { () throws in
                #expect(try store.deleteToken(hash: Sample.token(3).hash))
                #expect(try !store.deleteToken(hash: Sample.token(3).hash))
                #expect(try store.deleteTokens(ofUser: "u1") == [first.hash, Sample.token(2).hash])
                #expect(try store.deleteTokens(ofUser: "u1").isEmpty)
            }
            #expect(try store.token(hash: first.hash) == nil)
        },
        ConformanceCase("When a user was last seen is known from tokens, also from those that are gone") { store in
            try store.transaction { () throws in
                #expect(try store.insertAccount(account("u1", "jwt", "ann")))
                #expect(try store.lastSeen(ofUser: "u1") == nil)
                for number in [1, 2] as [UInt8] { try store.insertToken(Sample.token(number, expires: 100)) }
                try store.touchToken(
                    hash: Sample.token(1).hash, lastSeenAt: Timestamp(milliseconds: 50), expiresAt: Timestamp(milliseconds: 100))
                try store.touchToken(
                    hash: Sample.token(2).hash, lastSeenAt: Timestamp(milliseconds: 40), expiresAt: Timestamp(milliseconds: 100))
            }
            #expect(try store.lastSeen(ofUser: "u1")?.milliseconds == 50)
            try store.transaction { () throws in _ = try store.deleteToken(hash: Sample.token(1).hash) }
            #expect(try store.lastSeen(ofUser: "u1")?.milliseconds == 50)
            var limits = UpkeepLimits()
            limits.expiredTokenAgeMilliseconds = 0
            #expect(try !store.upkeep(now: Timestamp(milliseconds: 1000), limits: limits))
            #expect(try store.tokens(ofUser: "u1").isEmpty)
            #expect(try store.lastSeen(ofUser: "u1")?.milliseconds == 50)
            try store.transaction { () throws in try store.deleteAccounts(ofUser: "u1") }
            #expect(try store.lastSeen(ofUser: "u1") == nil)
        },
        ConformanceCase("Upkeep removes tokens that have expired, in steps") { store in
            try store.transaction { () throws in
                for number in 1...5 { try store.insertToken(Sample.token(UInt8(number), expires: Int64(number) * 100)) }
            }
            var limits = UpkeepLimits()
            limits.rowsMax = 2
            limits.expiredTokenAgeMilliseconds = 1000
            #expect(try !store.upkeep(now: Timestamp(milliseconds: 1099), limits: limits))
            #expect(try store.tokens(ofUser: "u1").count == 5)
            limits.expiredTokenAgeMilliseconds = 0
            #expect(try store.upkeep(now: Timestamp(milliseconds: 300), limits: limits))
            #expect(try !store.upkeep(now: Timestamp(milliseconds: 300), limits: limits))
            #expect(try store.tokens(ofUser: "u1").map(\.expiresAt.milliseconds) == [400, 500])
        },
    ]
}
