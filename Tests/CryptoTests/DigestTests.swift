import Crypto
import Testing

@Suite struct DigestTests {
    @Test("SHA-1 gives the accept key of RFC 6455 §1.3")
    func acceptKey() throws {
        let digest = try SHA1.hash(utf8: "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        #expect(Base64.encode(digest) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        "SHA-1 gives the digests of FIPS 180-4's examples",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ])
    func sha1(text: String, digest: String) throws {
        #expect(Hexadecimal.encode(try SHA1.hash(utf8: text)) == digest)
    }

    @Test(
        "SHA-256 gives the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func sha256(text: String, digest: String) throws {
        #expect(Hexadecimal.encode(try SHA256.hash(utf8: text)) == digest)
    }

    @Test("HMAC-SHA-256 gives the codes of RFC 4231")
    func hmac() throws {
        let code = try HMACSHA256.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Hexadecimal.encode(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = try HMACSHA256.authenticate(
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: [UInt8](repeating: 0xAA, count: 131))
        #expect(Hexadecimal.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
