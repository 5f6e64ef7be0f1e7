import Crypto
import Todo
import TodoProtocol
import TodoSync
import WebToken

/// An identity provider with one secret, and a hub that takes its tokens.
enum WebTokens {
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    static func harness() throws -> HubHarness {
        let verifier = TokenVerifier(keys: [WebTokenKey(try SignatureKey(secret: secret))])
        return try HubHarness(providers: [.password, .nickname, .jwt]) { $0.tokenVerifier = verifier }
    }

    static func token(_ claims: String) throws -> String {
        let text = [#"{"alg":"HS256"}"#, claims].map { Base64.encodeURL(Array($0.utf8)) }.joined(separator: ".")
        return text + "." + Base64.encodeURL(try HMACSHA256.authenticate(Array(text.utf8), key: secret))
    }

    @discardableResult
    static func enter(_ harness: HubHarness, _ claims: String, on client: HubClient? = nil) throws -> (HubClient, [String: Any]) {
        let client = client ?? harness.connect()
        let result = try client.call("login", ["provider": "jwt", "token": token(claims)])
        client.entered(result)
        return (client, result["user"] as? [String: Any] ?? [:])
    }
}
