import Bytes
import Crypto
import Foundation
import Testing
import WebToken

/// Signs tokens with a shared secret, as an identity provider would.
struct Signer {
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    static func token(header: String = #"{"alg":"HS256"}"#, _ claims: String, secret: [UInt8] = secret) throws -> String {
        let text = [header, claims].map { Base64.encodeURL(Array($0.utf8)) }.joined(separator: ".")
        let code = try HMACSHA256.authenticate(Array(text.utf8), key: secret)
        return text + "." + Base64.encodeURL(code)
    }

    static func verifier(name: String? = nil, issuer: String? = nil, audience: String? = nil) throws -> TokenVerifier {
        TokenVerifier(keys: [WebTokenKey(try SignatureKey(secret: secret), name: name)], issuer: issuer, audience: audience)
    }

    /// What comes of the token at the second 1,000,000.
    static func outcome(_ token: String, _ verifier: TokenVerifier) -> Result<WebTokenClaims, WebTokenFault> {
        Result { () throws(WebTokenFault) in try verifier.verify(token, nowSeconds: 1_000_000) }
    }
}

@Suite("JSON Web Tokens")
struct TokenVerifierTests {
    @Test func `a token says who its bearer is`() throws {
        let token = try Signer.token(#"{"sub":"u-1","name":"Ann","admin":true,"exp":1000060.5,"nbf":1e6,"iss":"x","aud":["y"]}"#)
        let claims = try Signer.outcome(token, Signer.verifier()).get()
        #expect(claims.subject == "u-1" && claims.name == "Ann" && claims.isAdmin == true && claims.expiresAtSeconds == 1_000_060.5)
        let least = try Signer.outcome(Signer.token(#"{"sub":"u"}"#), Signer.verifier()).get()
        #expect(least.name == nil && least.isAdmin == nil && least.expiresAtSeconds == nil)
    }

    @Test(
        arguments: [
            (#"{"sub":"u","exp":999941}"#, nil), (#"{"sub":"u","exp":999940}"#, WebTokenFault.expired),
            (#"{"sub":"u","nbf":1000060}"#, nil), (#"{"sub":"u","nbf":1000061}"#, .notYet),
            (#"{"sub":"u","exp":"1e9"}"#, .badClaims), (#"{"sub":"u","exp":null}"#, .badClaims), (#"{"sub":"u","nbf":true}"#, .badClaims),
            (#"{"name":"u"}"#, .badClaims), (#"{"sub":""}"#, .badClaims), (#"{"sub":7}"#, .badClaims), (#"{"sub":"a\u0000"}"#, .badClaims),
            (#"{"sub":"u","admin":"true"}"#, .badClaims), (#"{"sub":"u","admin":1}"#, .badClaims), (#"{"sub":"u","name":[]}"#, .badClaims),
            (#"{"sub":"u","aud":[1]}"#, .badClaims), (#"{"sub":"u","sub":"v"}"#, .badClaims), (#"["sub"]"#, .badClaims), ("", .badClaims),
            (#"{"sub":"u"} x"#, .badClaims), (#"{"sub":"\ud800"}"#, .badClaims),
        ] as [(String, WebTokenFault?)])
    func `claims are read strictly, and times with a minute's leeway`(claims: String, fault: WebTokenFault?) throws {
        let outcome = Signer.outcome(try Signer.token(claims), try Signer.verifier())
        if let fault { #expect(throws: fault) { try outcome.get() } } else { #expect(throws: Never.self) { try outcome.get() } }
    }

    @Test(
        arguments: [
            (#"{"alg":"HS256","typ":"JWT"}"#, nil), (#"{"alg":"HS256","typ":"at+jwt","kid":"k","x":{}}"#, nil),
            (#"{"alg":"none"}"#, WebTokenFault.algorithm), (#"{"alg":"None"}"#, .algorithm), (#"{"alg":"HS512"}"#, .algorithm),
            (#"{"alg":"hs256"}"#, .algorithm), (#"{"alg":"RS256"}"#, .unknownKey), (#"{"alg":"ES256"}"#, .unknownKey),
            (#"{"alg":["HS256"]}"#, .badHeader), (#"{"typ":"JWT"}"#, .badHeader), (#"{"alg":"HS256","crit":["exp"],"exp":1}"#, .badHeader),
            (#"{"alg":"HS256","kid":7}"#, .badHeader), (#"{"alg":"HS256","typ":"JOSE+JSON"}"#, .badHeader),
            (#"{"alg":"HS256","alg":"none"}"#, .badHeader), ("{}", .badHeader), ("x", .badHeader),
        ] as [(String, WebTokenFault?)])
    func `the header asks for what is taken or for nothing`(header: String, fault: WebTokenFault?) throws {
        let outcome = Signer.outcome(try Signer.token(header: header, #"{"sub":"u"}"#), try Signer.verifier())
        if let fault { #expect(throws: fault) { try outcome.get() } } else { #expect(throws: Never.self) { try outcome.get() } }
    }

    @Test func `a kid chooses among the keys that have one`() throws {
        let token = try Signer.token(header: #"{"alg":"HS256","kid":"a"}"#, #"{"sub":"u"}"#)
        #expect(throws: Never.self) { try Signer.outcome(token, Signer.verifier(name: "a")).get() }
        #expect(throws: WebTokenFault.unknownKey) { try Signer.outcome(token, Signer.verifier(name: "b")).get() }
        #expect(throws: Never.self) { try Signer.outcome(token, Signer.verifier(name: nil)).get() }
        #expect(throws: Never.self) { try Signer.outcome(Signer.token(#"{"sub":"u"}"#), Signer.verifier(name: "b")).get() }
    }

    @Test func `issuer and audience are asked for where they are configured`() throws {
        let both = try Signer.token(#"{"sub":"u","iss":"me","aud":["a","b"]}"#)
        let single = try Signer.token(#"{"sub":"u","iss":"me","aud":"b"}"#)
        let neither = try Signer.token(#"{"sub":"u"}"#)
        #expect(throws: Never.self) { try Signer.outcome(both, Signer.verifier(issuer: "me", audience: "b")).get() }
        #expect(throws: Never.self) { try Signer.outcome(single, Signer.verifier(issuer: "me", audience: "b")).get() }
        #expect(throws: WebTokenFault.issuer) { try Signer.outcome(both, Signer.verifier(issuer: "you")).get() }
        #expect(throws: WebTokenFault.issuer) { try Signer.outcome(neither, Signer.verifier(issuer: "me")).get() }
        #expect(throws: WebTokenFault.audience) { try Signer.outcome(both, Signer.verifier(audience: "c")).get() }
        #expect(throws: WebTokenFault.audience) { try Signer.outcome(neither, Signer.verifier(audience: "b")).get() }
    }

    @Test func `nothing but three parts of canonical base64url is looked at`() throws {
        let good = try Signer.token(#"{"sub":"user"}"#)
        let verifier = try Signer.verifier()
        let parts = good.split(separator: ".")
        let bad = [
            "", ".", "...", "\(parts[0]).\(parts[1])", good + ".", good + "=", good + " ", " " + good, good + "\n", "." + good,
            "\(parts[0]).\(parts[1]).\(parts[2])xx", "\(parts[0])=.\(parts[1]).\(parts[2])", String(repeating: "a", count: 20_000),
        ]
        for token in bad { #expect(throws: WebTokenFault.malformed, "\(token)") { try Signer.outcome(token, verifier).get() } }
        #expect(throws: WebTokenFault.badSignature) { try Signer.outcome("\(parts[0]).\(parts[1]).", verifier).get() }
        #expect(throws: Never.self) { try Signer.outcome(good, verifier).get() }
    }

    @Test func `no change of one character is taken`() throws {
        let good = try Signer.token(#"{"sub":"u","admin":false}"#)
        let verifier = try Signer.verifier()
        for place in good.indices where good[place] != "." {
            var other = good
            other.replaceSubrange(place...place, with: good[place] == "A" ? "B" : "A")
            #expect(throws: WebTokenFault.self, "\(other)") { try Signer.outcome(other, verifier).get() }
        }
    }

    @Test func `without keys nobody is let in`() throws {
        let token = try Signer.token(#"{"sub":"u"}"#)
        #expect(throws: WebTokenFault.unknownKey) { try Signer.outcome(token, TokenVerifier(keys: [])).get() }
    }
}
