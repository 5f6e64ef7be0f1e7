import Testing
import Todo
import TodoStore

extension ConformanceCase {
    private static func invitation(_ id: String, project: String = "p1", uses: Int = 1, expires: Int64 = 1000) -> Invitation {
        Invitation(
            inviteId: id, codeHash: Array(id.utf8) + [UInt8](repeating: 0, count: 32 - id.utf8.count), projectId: project, role: .editor,
            createdBy: "u1", createdAt: Sample.moment, expiresAt: Timestamp(milliseconds: expires), usesLeft: uses)
    }

    static let invitations = [
        ConformanceCase("An invitation is found by its code's hash, its id and its project") { store in
            let (first, second) = (invitation("v1"), invitation("v2", project: "p2", uses: 3))
            try store.transaction { () throws in
                try store.insertInvitation(first)
                try store.insertInvitation(second)
            }
            #expect(try store.invitation(codeHash: first.codeHash) == first)
            #expect(try store.invitation("v2") == second)
            #expect(try store.invitation(codeHash: []) == nil)
            #expect(try store.invitation("v3") == nil)
            #expect(try store.invitations(ofProject: "p2") == [second])
        },
        ConformanceCase("Uses of an invitation are counted, and it is deleted by id and with its project") { store in
            try store.transaction { () throws in
                for id in ["v1", "v2", "v3"] { try store.insertInvitation(invitation(id, uses: 5)) }
                try store.insertInvitation(invitation("v4", project: "p2"))
                try store.setUsesLeft(4, ofInvitation: "v1")
                #expect(try store.deleteInvitation("v2"))
                #expect(try !store.deleteInvitation("v2"))
            }
            #expect(try store.invitations(ofProject: "p1").map(\.usesLeft) == [4, 5])
            try store.transaction { () throws in try store.deleteInvitations(ofProject: "p1") }
            #expect(try store.invitations(ofProject: "p1").isEmpty)
            #expect(try store.invitation("v4") != nil)
        },
        ConformanceCase("A use that is dropped with its part of a transaction is there again") { store in
            try store.transaction { () throws in try store.insertInvitation(invitation("v1", uses: 2)) }
            try store.begin()
            try store.beginNested()
            try store.setUsesLeft(1, ofInvitation: "v1")
            try store.rollbackNested()
            try store.commit()
            #expect(try store.invitation("v1")?.usesLeft == 2)
        },
        ConformanceCase("Upkeep removes invitations that are over, in steps") { store in
            try store.transaction { () throws in
                for number in 1...5 { try store.insertInvitation(invitation("v\(number)", expires: Int64(number) * 100)) }
            }
            var limits = UpkeepLimits()
            limits.rowsMax = 2
            #expect(try store.upkeep(now: Timestamp(milliseconds: 300), limits: limits))
            #expect(try !store.upkeep(now: Timestamp(milliseconds: 300), limits: limits))
            #expect(try store.invitations(ofProject: "p1").map(\.inviteId) == ["v4", "v5"])
        },
    ]
}
