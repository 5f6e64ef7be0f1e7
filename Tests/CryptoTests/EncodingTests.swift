import Crypto
import Testing

@Suite struct EncodingTests {
    @Test(
        "base64 follows the examples of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test(
        "text that is not canonical base64 is refused",
        arguments: ["Z", "Zg=", "Z===", "Zh==", "Zg==\n", " Zg==", "Zm9v====", "Zm-v", "Zg==Zg==", "="])
    func base64Refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("the URL form has its own two digits and no padding")
    func base64URL() {
        #expect(Base64.encodeURL([0xFB, 0xFF, 0xFE, 0x01]) == "-__-AQ")
        #expect(Base64.decodeURL("-__-AQ") == [0xFB, 0xFF, 0xFE, 0x01])
        #expect(Base64.decodeURL("+//+AQ") == nil)
    }

    @Test("hexadecimal goes both ways and refuses the rest")
    func hexadecimal() {
        #expect(Hexadecimal.encode([0, 0x0F, 0xFF]) == "000fff")
        #expect(Hexadecimal.decode("000Fff") == [0, 0x0F, 0xFF])
        #expect(Hexadecimal.decode("0") == nil)
        #expect(Hexadecimal.decode("0g") == nil)
    }

    @Test("random bytes have the length asked for and differ")
    func random() throws {
        #expect(try RandomBytes.make(0).isEmpty)
        let one = try RandomBytes.make(32)
        #expect(one.count == 32)
        #expect(try one != RandomBytes.make(32))
    }

    @Test("the constant-time comparison compares")
    func compare() {
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(constantTimeEqual([], []))
    }
}
