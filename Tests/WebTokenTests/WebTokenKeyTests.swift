import Bytes
import Crypto
import Foundation
import Testing
import WebToken

/// The examples of RFC 7515, appendix A: claims without `sub`, so a right signature ends with `.badClaims` and a wrong one before that.
enum Examples {
    static let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let secret = #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
    static let hs256 = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    static let rsa = #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#
    static let rs256 =
        "eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    static let ec = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
    static let es256 =
        "eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
}

@Suite("Keys for JSON Web Tokens")
struct WebTokenKeyTests {
    private func outcome(_ token: String, _ keys: String) throws -> Result<WebTokenClaims, WebTokenFault> {
        Signer.outcome(token, TokenVerifier(keys: try WebTokenKey.read(Array(keys.utf8))))
    }

    @Test(arguments: [(Examples.hs256, Examples.secret), (Examples.rs256, Examples.rsa), (Examples.es256, Examples.ec)])
    func `the examples of RFC 7515 are signed by their keys, and by no other`(token: String, key: String) throws {
        #expect(throws: WebTokenFault.badClaims) { try outcome(token, key).get() }
        let all = #"{"keys":[\#(Examples.secret),\#(Examples.rsa),\#(Examples.ec)]}"#
        #expect(throws: WebTokenFault.badClaims) { try outcome(token, all).get() }
        for other in [Examples.secret, Examples.rsa, Examples.ec] where other != key {
            #expect(throws: WebTokenFault.unknownKey) { try outcome(token, other).get() }
        }
        // One bit of the signature.
        let flipped = String(token.dropLast(4)) + (token.dropLast(3).last == "A" ? "B" : "A") + token.suffix(3)
        #expect(throws: WebTokenFault.badSignature) { try outcome(flipped, all).get() }
    }

    @Test func `an ES256 signature of another length or of zeros is none`() throws {
        let head = Examples.es256.split(separator: ".").prefix(2).joined(separator: ".")
        for count in [0, 1, 63, 65, 64] {
            let token = head + "." + Base64.encodeURL([UInt8](repeating: 0, count: count))
            #expect(throws: WebTokenFault.badSignature) { try outcome(token, Examples.ec).get() }
        }
    }

    @Test func `keys of other kinds and uses are passed over`() throws {
        let keys = #"""
            {"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"},{"kty":"EC","crv":"P-384","x":"AA","y":"AA"},
              {"kty":"RSA","use":"enc","n":"AA","e":"AQAB"},{"kty":"EC","crv":"P-256","alg":"ES512","x":"\#(Examples.x)","y":"\#(Examples.y)"},
              {"kty":"RSA","kid":"good","use":"sig","alg":"RS256","n":"\#(Examples.modulus)","e":"AQAB"}]}
            """#
        let read = try WebTokenKey.read(Array(keys.utf8))
        #expect(read.map(\.name) == ["good"] && read.map(\.key.algorithm) == [.rs256])
    }

    @Test(arguments: [
        "", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"c2hvcnQ"}]}"#, #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, "{",
        #"{"kty":"EC","crv":"P-256","x":"\#(Examples.x)","y":"\#(Examples.x)"}"#, #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
        #"{"kty":"EC","crv":"P-256","x":"\#(Examples.x)"}"#, #"{"kty":"RSA","n":"not base64!","e":"AQAB"}"#, "-----BEGIN PUBLIC KEY-----",
        "a secret that is in the wrong file, long as it may be",
    ])
    func `a file without usable keys is refused`(text: String) {
        #expect(throws: SignatureKeyError.self) { try WebTokenKey.read(Array(text.utf8)) }
    }

    @Test func `a public key is never a shared secret`() throws {
        let pem = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
        #expect(throws: SignatureKeyError.self) { try WebTokenKey.read(secret: Array(pem.utf8)) }
        // The same key in DER, which does not look like one: SubjectPublicKeyInfo of P-256 (RFC 5480) and the point.
        let prefix = try #require(Hexadecimal.decode("3059301306072a8648ce3d020106082a8648ce3d030107034200"))
        let point = [4] + (Base64.decodeURL(Examples.x) ?? []) + (Base64.decodeURL(Examples.y) ?? [])
        #expect(throws: SignatureKeyError.self) { try WebTokenKey.read(secret: prefix + point) }
        let base64 = Base64.encode(prefix + point)
        let disguised = [
            "\u{FEFF}" + pem, "Bag Attributes: none\n" + pem, base64, base64 + "\n", "ssh-rsa \(base64) me@example",
            "\n ssh-ed25519 \(base64)",
            "ecdsa-sha2-nistp256 \(base64)", Examples.ec, "{\"keys\":[\(Examples.rsa)]}",
        ]
        for text in disguised {
            #expect(throws: SignatureKeyError.self, "\(text)") { try WebTokenKey.read(secret: Array(text.utf8)) }
        }
        // Neither a random text nor random bytes are taken for one.
        #expect(throws: Never.self) { try WebTokenKey.read(secret: Array("c3NoLXJzYSBpcyBub3QgYSBzZWNyZXQgYnV0IHRoaXMgaXM".utf8)) }
        // And a token that was signed with it as one is not taken by the key itself.
        let forged = try Signer.token(#"{"sub":"u","admin":true}"#, secret: prefix + point)
        #expect(throws: WebTokenFault.unknownKey) { try outcome(forged, Examples.ec).get() }
    }

    @Test func `a secret has 32 bytes at least, the line end not among them`() throws {
        #expect(throws: SignatureKeyError.self) { try WebTokenKey.read(secret: Array("0123456789abcdef0123456789abcde\n".utf8)) }
        let key = try WebTokenKey.read(secret: Signer.secret + [0x0D, 0x0A])
        #expect(throws: Never.self) { try Signer.outcome(Signer.token(#"{"sub":"u"}"#), TokenVerifier(keys: [key])).get() }
    }
}
