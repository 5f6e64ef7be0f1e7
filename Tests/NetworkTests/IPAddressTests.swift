import Glibc
import Network
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("::", "::"),
        ("255.255.255.255", "255.255.255.255"),
    ])
    func `an address is read, whichever way it is written`(_ text: String, _ normal: String) {
        #expect(IPAddress(text)?.description == normal)
    }

    @Test(arguments: [
        "", "localhost", "192.0.2", "192.0.2.256", "192.0.2.01", " 192.0.2.1", "192.0.2.1\0", "[::1]", "::1%lo", "1::2::3", "12345::",
    ])
    func `what is no address is none`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `a socket's address is the one that its text names`() throws {
        #expect(IPAddress(SocketAddress.loopback(port: 80)) == IPAddress("127.0.0.1"))
        let six = try #require(try SocketAddress.resolve(host: "2001:db8::7", port: 1).first)
        #expect(IPAddress(six) == IPAddress("2001:db8::7"))
        #expect(IPAddress(try SocketAddress.unix(path: "/tmp/x")) == nil)
    }

    @Test func `the loopback is known in both families`() {
        for text in ["127.0.0.1", "127.255.0.3", "::1", "::ffff:127.0.0.1"] { #expect(IPAddress(text)?.isLoopback == true) }
        for text in ["128.0.0.1", "::2", "::", "::7f00:1", "2001::1"] { #expect(IPAddress(text)?.isLoopback == false) }
    }

    @Test func `a network is one IPv4 address, or the first half of an IPv6 one`() throws {
        func network(_ text: String) throws -> UInt64 { try #require(IPAddress(text)).network }
        #expect(try network("192.0.2.1") != network("192.0.2.2"))
        #expect(try network("2001:db8:0:1::1") == network("2001:db8:0:1:ffff::2"))
        #expect(try network("2001:db8:0:1::1") != network("2001:db8:0:2::1"))
        #expect(try network("0.0.0.1") != network("0:0:0:1::"), "IPv6 gives nobody the second")
    }
}

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.0", false), ("192.0.2.1/32", "192.0.2.1", true),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::/0", "2001:db8::1", true), ("2001:db8::1", "2001:db8::1", true),
        ("2001:db8::/64", "2001:db8::ffff:0:0:1", true), ("2001:db8::/64", "2001:db8:0:1::", false),
    ])
    func `a range holds the addresses that begin alike`(_ range: String, _ address: String, _ isInside: Bool) throws {
        let address = try #require(IPAddress(address))
        #expect(try #require(AddressRange(range)).contains(address) == isInside)
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "/8", "10.0.0.1/8", "::1/64", "::/129", "name/8", "10.0.0.0/ 8",
        "10.0.0.0/+8",
    ])
    func `what is no range is none`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}
