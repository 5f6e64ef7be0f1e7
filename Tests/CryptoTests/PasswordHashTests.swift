import Crypto
import Testing

@Suite struct PasswordHashTests {
    let cheap = PasswordHash.Cost(logN: 4, blockSize: 8, parallelism: 1) ?? .standard

    @Test("scrypt gives the keys of RFC 7914 §12")
    func vector() throws {
        let key =
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        let hash = Base64.encode(try #require(Hexadecimal.decode(key)), padded: false)
        let salt = Base64.encode(Array("NaCl2345".utf8), padded: false)
        #expect(PasswordHash(text: "scrypt$ln=10,r=8,p=16$\(salt)$\(hash)") != nil)
        // The RFC's salt "NaCl" is shorter than what is accepted here, so its vector must be refused.
        #expect(PasswordHash(text: "scrypt$ln=10,r=8,p=16$TmFDbA$\(hash)") == nil)
    }

    @Test("a hash made at an odd cost verifies its password and no other after a trip through text")
    func roundTrip() throws {
        let hash = try PasswordHash.make("correct horse", cost: cheap)
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash)
        #expect(read.text.hasPrefix("scrypt$ln=4,r=8,p=1$"))
        #expect(try read.verify("correct horse"))
        #expect(try !read.verify("correct horsf"))
        #expect(try !read.verify(""))
    }

    @Test("the standard cost works within OpenSSL's memory bound")
    func standardCost() throws {
        let hash = try PasswordHash.make("pässword\u{0}with NUL")
        #expect(hash.text.hasPrefix("scrypt$ln=15,r=8,p=1$"))
        #expect(try hash.verify("pässword\u{0}with NUL"))
        #expect(try !hash.verify("pässword"))
    }

    @Test("two hashes of one password differ by their salt")
    func salted() throws {
        #expect(try PasswordHash.make("same", cost: cheap) != PasswordHash.make("same", cost: cheap))
    }

    @Test(
        "a text that is no hash, or asks for too much, is refused",
        arguments: [
            "", "scrypt", "scrypt$ln=15,r=8,p=1$$", "bcrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "scrypt$ln=40,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "scrypt$r=8,ln=4,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "scrypt$ln=0,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AA",
        ])
    func refused(text: String) {
        #expect(PasswordHash(text: text) == nil)
    }
}
