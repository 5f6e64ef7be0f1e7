import Network
import Testing

@Suite struct SocketAddressTests {
    @Test func `addresses are written as people write them`() throws {
        #expect(SocketAddress.loopback(port: 8080).description == "127.0.0.1:8080")
        let six = try #require(SocketAddress.resolve(host: "[::1]", port: 443).first)
        #expect(six.description == "[::1]:443")
        #expect(six.host == "::1")
        #expect(six.port == 443)
        let path = try SocketAddress.unix(path: "/tmp/some.sock")
        #expect(path.description == "unix:/tmp/some.sock")
        #expect(path.port == nil)
    }

    @Test func `an unknown host and an impossible port are refused with a sentence`() {
        let unknown = #expect(throws: SystemError.self) { try SocketAddress.resolve(host: "no.such.host.invalid", port: 1) }
        #expect(unknown?.description.contains("cannot find the host no.such.host.invalid") == true)
        let port = #expect(throws: SystemError.self) { try SocketAddress.resolve(host: "127.0.0.1", port: 70_000) }
        #expect(port?.description.contains("from 0 to 65535") == true)
        #expect(throws: SystemError.self) { try SocketAddress.unix(path: String(repeating: "x", count: 200)) }
    }

    @Test func `an error says what failed, why, and what to do`() {
        let error = SystemError("bind", to: "listen on 127.0.0.1:80", code: 13)
        #expect(error.description.hasPrefix("cannot listen on 127.0.0.1:80: Permission denied (bind). Ports below 1024"))
    }
}
