import Bytes
import Testing

@Suite struct HostAndPortTests {
    @Test(
        arguments: [
            ("todo.example", "todo.example", nil, false), ("todo.example:80", "todo.example", 80, false),
            ("192.0.2.1:0", "192.0.2.1", 0, false),
            ("[2001:db8::1]", "2001:db8::1", nil, true), ("[::1]:65535", "::1", 65_535, true), ("h:080", "h", 80, false),
            ("todo.example.", "todo.example.", nil, false), ("a_b-c~%C3%a4:1", "a_b-c~%C3%a4", 1, false), ("-", "-", nil, false),
        ] as [(String, String, Int?, Bool)])
    func `a host is told from its port, with brackets and without`(_ text: String, _ host: String, _ port: Int?, _ isBracketed: Bool) {
        let found = HostAndPort(text)
        #expect(found?.host == host)
        #expect(found?.port == port)
        #expect(found?.isBracketed == isBracketed)
    }

    @Test(arguments: [
        "", ":80", "h:", "h:+80", "h:-1", "h:65536", "h:99999999999999999999", "h:8 0", "h:٣", "::1", "::1:80", "[::1", "[]", "[]:80",
        "[::1]80",
        "[zz]", "a]", "a[b", "a:b", "a..b", ".a", ".", "%", "a%2", "a%2g", "a b", "a/b", "u@a", "a,b", "ä", "a\u{0}b", "[::1\u{0}]",
        "[fe80::1%25eth0]",
        "[::1]x:80", "[192.0.2.1]:80", "[name]:80", "[::1]]:80",
    ])
    func `what has another form is none`(_ text: String) {
        #expect(HostAndPort(text) == nil)
    }
}
