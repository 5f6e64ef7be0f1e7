import Bytes
import Crypto
import Foundation
import Testing
import Todo
import TodoProtocol
import TodoSync
import WebToken

@Suite("Log-in by a JSON Web Token")
struct WebTokenLoginTests {
    @Test func `the subject is the identity, whatever the name`() throws {
        let harness = try WebTokens.harness()
        let (_, first) = try WebTokens.enter(harness, #"{"sub":"s-1","name":"Ann"}"#)
        let (_, again) = try WebTokens.enter(harness, #"{"sub":"s-1","name":"Ann"}"#)
        let (_, other) = try WebTokens.enter(harness, #"{"sub":"s-2","name":"ann"}"#)
        let (_, third) = try WebTokens.enter(harness, #"{"sub":"s-3","name":"Ann"}"#)
        #expect(first["userId"] as? String == again["userId"] as? String && first["userId"] as? String != "s-1")
        #expect([first, again, other, third].map { $0["name"] as? String } == ["Ann", "Ann", "ann 2", "Ann 3"])
        let (_, kept) = try WebTokens.enter(harness, #"{"sub":"s-3","name":"Ann"}"#)
        #expect(kept["name"] as? String == "Ann 3")
        let (_, renamed) = try WebTokens.enter(harness, #"{"sub":"s-1","name":"Anna"}"#)
        #expect(renamed["name"] as? String == "Anna" && renamed["userId"] as? String == first["userId"] as? String)
        let (_, unnamed) = try WebTokens.enter(harness, #"{"sub":"s-1"}"#)
        #expect(unnamed["name"] as? String == "Anna")
        // The name that was given up is free.
        let (_, next) = try WebTokens.enter(harness, #"{"sub":"s-4","name":"Ann"}"#)
        #expect(next["name"] as? String == "Ann")
        let (_, bare) = try WebTokens.enter(harness, #"{"sub":"auth0|7","name":" \u0007 "}"#)
        #expect(bare["name"] as? String == "User")
        let (_, long) = try WebTokens.enter(harness, #"{"sub":"s-5","name":"\#(String(repeating: "é", count: 200))"}"#)
        #expect((long["name"] as? String)?.unicodeScalars.count == 64)
    }

    @Test func `it enters no account of another provider`() throws {
        let harness = try WebTokens.harness()
        let ann = try harness.register("Ann")
        let nick = try harness.login("Nick")
        for name in ["Ann", "Nick"] {
            let (client, user) = try WebTokens.enter(harness, #"{"sub":"\#(name)","name":"\#(name)"}"#)
            #expect(![ann.userId, nick.userId].contains(client.userId) && user["name"] as? String == "\(name) 2")
        }
        #expect(harness.connect().refusal("login", ["provider": "nickname", "nickname": "Ann 2"])?.code == -32008)
    }

    @Test func `the admin claim makes an admin and takes it back, on other connections too`() throws {
        let harness = try WebTokens.harness()
        try harness.register("Ben").write([["create": "Project", "object": ["projectId": "b1", "name": "B"]]])
        let (ann, user) = try WebTokens.enter(harness, #"{"sub":"s","name":"Ann","admin":true}"#)
        #expect(user["isAdmin"] as? Bool == true)
        try ann.call("subscribe", ["name": "all", "class": "Project"])
        #expect(ann.keys("all", "projectId") == ["b1"])
        let (_, same) = try WebTokens.enter(harness, #"{"sub":"s","name":"Ann"}"#)
        #expect(same["isAdmin"] as? Bool == true)
        let (_, less) = try WebTokens.enter(harness, #"{"sub":"s","name":"Ann","admin":false}"#)
        #expect(less["isAdmin"] as? Bool == false && ann.keys("all", "projectId").isEmpty)
        let (_, more) = try WebTokens.enter(harness, #"{"sub":"s","name":"Ann","admin":true}"#, on: ann)
        #expect(more["isAdmin"] as? Bool == true && ann.keys("all", "projectId") == ["b1"])
        #expect(harness.lines.audits("admin").map { $0["isAdmin"] } == ["true", "false", "true"])
    }

    @Test func `the log-in ends with the token that vouches for it`() throws {
        let harness = try WebTokens.harness()
        let now = harness.moment.wall.milliseconds / 1000
        let (ann, _) = try WebTokens.enter(harness, #"{"sub":"s","exp":\#(now + 600)}"#)
        harness.pass(600_000)
        try harness.connect().call("login", ["provider": "token", "token": ann.token])
        harness.pass(59_000)
        try harness.connect().call("login", ["provider": "token", "token": ann.token])
        harness.pass(1_000)
        #expect(ann.refusal("sessions")?.code == -32009)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": ann.token])?.code == -32009)
        let old = try WebTokens.token(#"{"sub":"s","exp":\#(now + 600)}"#)
        #expect(ann.refusal("login", ["provider": "jwt", "token": old])?.reason == "tokenExpired")
        // Without an end it has the life of any token, which does not slide.
        let (ben, _) = try WebTokens.enter(harness, #"{"sub":"b"}"#)
        harness.pass(29 * 86_400_000)
        try harness.connect().call("login", ["provider": "token", "token": ben.token])
        harness.pass(2 * 86_400_000)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": ben.token])?.code == -32009)
    }

    @Test func `bad tokens are refused, and slowed down`() throws {
        let harness = try WebTokens.harness()
        let client = harness.connect(from: "10.0.0.1")
        let forged = try WebTokens.token(#"{"sub":"s"}"#).dropLast(2) + "AA"
        for _ in 0..<100 { #expect(client.refusal("login", ["provider": "jwt", "token": String(forged)])?.code == -32008) }
        #expect(client.refusal("login", ["provider": "jwt", "token": String(forged)])?.code == -32006)
        #expect(harness.lines.audits("login").first?["reason"] == "a wrong signature")
        try WebTokens.enter(harness, #"{"sub":"s"}"#)
    }

    @Test func `keys are exchanged while it runs`() throws {
        let harness = try WebTokens.harness()
        harness.process([.tokenVerifier(TokenVerifier(keys: []))])
        let refusal = harness.connect().refusal("login", ["provider": "jwt", "token": try WebTokens.token(#"{"sub":"s"}"#)])
        #expect(refusal?.code == -32008)
        harness.process([.tokenVerifier(TokenVerifier(keys: [WebTokenKey(try SignatureKey(secret: WebTokens.secret))]))])
        try WebTokens.enter(harness, #"{"sub":"s"}"#)
    }

    @Test func `a suspended identity stays out, and its log-in as another user is refused`() throws {
        let harness = try WebTokens.harness()
        let (ann, _) = try WebTokens.enter(harness, #"{"sub":"s","name":"Ann"}"#)
        #expect(ann.refusal("login", ["provider": "jwt", "token": try WebTokens.token(#"{"sub":"t"}"#)])?.reason == "otherUser")
        _ = harness.operate(.suspend(name: "Ann", isSuspended: true))
        #expect(ann.closeCode == 4002)
        #expect(harness.connect().refusal("login", ["provider": "jwt", "token": try WebTokens.token(#"{"sub":"s"}"#)])?.code == -32008)
    }

    @Test func `without the provider no token is looked at`() throws {
        let harness = try HubHarness()
        #expect(
            harness.connect().refusal("login", ["provider": "jwt", "token": try WebTokens.token(#"{"sub":"s"}"#)])?.reason
                == "unknownProvider")
    }
}
