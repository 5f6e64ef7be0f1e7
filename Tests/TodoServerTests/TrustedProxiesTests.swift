import Network
import Testing
import WebSocket

@testable import TodoServer

@Suite struct TrustedProxiesTests {
    private let proxies: TrustedProxies

    init() throws {
        proxies = try TrustedProxies(list: "10.0.0.0/8, ::1,unix")
    }

    private func headers(_ lines: String...) throws -> HTTPHeaders {
        var parser = HTTPRequestParser()
        let text = "GET / HTTP/1.1\r\nHost: x\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        guard case .head(let head, _) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else {
            throw UsageError(message: "no head: \(text)")
        }
        return head.headers
    }

    private func client(_ peer: String?, _ lines: String...) throws -> String? {
        let peer = try peer.map { try #require(IPAddress($0)) }
        let headers = try lines.isEmpty ? headers() : headers(lines.joined(separator: "\r\n"))
        guard let client = proxies.client(of: headers, from: peer) else { return nil }
        return (client.isForwarded ? "forwarded " : "") + (client.address.map { "\($0)" } ?? "unix")
    }

    @Test func `the client is the right-most that is no proxy, over all lines`() throws {
        #expect(try client("10.1.1.1", "X-Forwarded-For: 192.0.2.1") == "forwarded 192.0.2.1")
        #expect(try client("10.1.1.1", "X-Forwarded-For: 203.0.113.1, 192.0.2.1, 10.2.2.2") == "forwarded 192.0.2.1")
        #expect(try client("10.1.1.1", "X-Forwarded-For: 203.0.113.1", "x-forwarded-for: 192.0.2.1") == "forwarded 192.0.2.1")
        #expect(try client(nil, "X-Forwarded-For: [2001:db8::1]:80, ::1") == "forwarded 2001:db8::1")
    }

    @Test func `with proxies alone it is the first of them, and without the header the one that came`() throws {
        #expect(try client("10.1.1.1", "X-Forwarded-For: 10.3.3.3, 10.2.2.2") == "forwarded 10.3.3.3")
        #expect(try client("10.1.1.1") == "10.1.1.1")
        #expect(try client(nil) == "unix")
        #expect(try client("10.1.1.1", "X-Forwarded-For: ,") == "10.1.1.1")
    }

    @Test func `nobody else is believed, whatever is said`() throws {
        #expect(try client("192.0.2.9", "X-Forwarded-For: 203.0.113.1") == "192.0.2.9")
        #expect(try client("192.0.2.9", "X-Forwarded-For: nonsense") == "192.0.2.9")
        let others = try TrustedProxies(list: "10.0.0.0/8")
        let forwarded = try headers("X-Forwarded-For: 203.0.113.1")
        #expect(others.client(of: forwarded, from: nil) == TrustedProxies.Client(address: nil))
        #expect(TrustedProxies().client(of: forwarded, from: nil) == TrustedProxies.Client(address: nil))
    }

    @Test func `nonsense of a proxy is nobody, and nonsense left of the client is not looked at`() throws {
        #expect(try client("10.1.1.1", "X-Forwarded-For: unknown") == nil)
        #expect(try client("10.1.1.1", "X-Forwarded-For: 192.0.2.1, unknown, 10.2.2.2") == nil)
        #expect(try client("10.1.1.1", "X-Forwarded-For: unknown, 192.0.2.1") == "forwarded 192.0.2.1")
    }

    @Test func `the public address is the proxy's word, of several the last`() throws {
        let lines = try headers("X-Forwarded-Proto: http, HTTPS", "X-Forwarded-Host: evil.example, todo.example:8443")
        let peer = try #require(IPAddress("10.1.1.1"))
        #expect(proxies.publicAddress(of: lines, from: peer) == PublicAddress(host: "todo.example:8443", isEncrypted: true))
        #expect(proxies.publicAddress(of: try headers("X-Forwarded-Proto: http"), from: nil) == PublicAddress(isEncrypted: false))
        let other = try #require(IPAddress("192.0.2.1"))
        #expect(proxies.publicAddress(of: lines, from: other) == PublicAddress())
    }

    @Test(arguments: ["", "10.0.0.1/8", "unix,", "somewhere", "10.0.0.0/8 unix"])
    func `a list with something else in it is refused, and the part named`(_ list: String) {
        let error = #expect(throws: TrustedProxies.Unreadable.self) { try TrustedProxies(list: list) }
        #expect(error.map { list.contains($0.part) || $0.part.isEmpty } == true)
    }
}
