import Bytes
import Crypto
import WebToken

private let secret = Array("0123456789abcdef0123456789abcdef".utf8)
private let now: Double = 1_800_000_000

private let verifier: TokenVerifier = {
    guard let key = try? SignatureKey(secret: secret) else { fatalError("the secret is no key") }
    return TokenVerifier(keys: [WebTokenKey(key)])
}()

private func check(_ claims: WebTokenClaims) {
    require((1...255).contains(claims.subject.utf8.count), "a subject of \(claims.subject.utf8.count) bytes")
    require(!claims.subject.utf8.contains(0), "NUL in a subject")
    if let ends = claims.expiresAtSeconds { require(ends > now - TokenVerifier.leewaySeconds, "an expired token") }
}

/// Anything as a token, which must not be taken, for nobody signed it.
private func asToken(_ text: String) {
    if let claims = try? verifier.verify(text, nowSeconds: now) { fatalError("a token that nobody signed is taken: \(claims)") }
}

/// Anything as the two texts inside a token that is signed: behind the signature stands the reader of headers and claims.
private func asContent(_ bytes: UnsafeRawBufferPointer) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return }
    let text = parts.map { Base64.encodeURL(Array($0)) }.joined(separator: ".")
    guard let code = try? HMACSHA256.authenticate(Array(text.utf8), key: secret) else { fatalError("no HMAC") }
    let signature = Base64.encodeURL(code)
    guard let claims = try? verifier.verify(text + "." + signature, nowSeconds: now) else { return }
    check(claims)
    // Without a key it is not taken, and neither is it with one character changed.
    require((try? TokenVerifier(keys: []).verify(text + "." + signature, nowSeconds: now)) == nil, "taken without a key")
    let other = (signature.first == "A" ? "B" : "A") + signature.dropFirst()
    require((try? verifier.verify(text + "." + other, nowSeconds: now)) == nil, "taken with another signature")
}

/// Anything as a file of keys.
private func asKeys(_ bytes: [UInt8]) {
    if let keys = try? WebTokenKey.read(bytes) { require((1...64).contains(keys.count), "\(keys.count) keys") }
    if let key = try? WebTokenKey.read(secret: bytes) { require(key.key.algorithm == .hs256, "a secret for \(key.key.algorithm)") }
}

/// A JSON Web Token, what stands in one, and a file of keys.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebToken(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice() % 3
    FuzzInput.feed(input.bytes, cutAt: []) { bytes in
        switch choice {
        case 0: asToken(String(decoding: bytes, as: UTF8.self))
        case 1: asContent(UnsafeRawBufferPointer(bytes))
        default: asKeys(Array(bytes))
        }
        return true
    }
    return 0
}
