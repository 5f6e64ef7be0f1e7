import Testing
import TodoClient

@Suite("Addresses of servers")
struct EndpointTests {
    @Test(
        "A URL is taken apart, with a port and a path of its own or the usual ones",
        arguments: [
            ("ws://localhost:8080/sync", "localhost", 8080, "/sync", "localhost:8080"),
            ("ws://example.org", "example.org", 80, "/sync", "example.org"),
            ("WS://example.org:81/", "example.org", 81, "/sync", "example.org:81"),
            ("ws://10.0.0.1:9/a/b?c=d", "10.0.0.1", 9, "/a/b?c=d", "10.0.0.1:9"), ("ws://[::1]:8080/x", "::1", 8080, "/x", "[::1]:8080"),
            ("ws://[::1]", "::1", 80, "/sync", "[::1]"), ("ws://h?token=1", "h", 80, "/?token=1", "h"),
        ])
    func parts(url: String, host: String, port: Int, target: String, authority: String) throws {
        let endpoint = try Endpoint(url)
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.target == target)
        #expect(endpoint.authority == authority)
    }

    @Test(
        "An encrypted address has a usual port of its own",
        arguments: [
            ("wss://example.org", 443, "example.org", "wss://example.org/sync"),
            ("WSS://example.org:443/a", 443, "example.org", "wss://example.org/a"),
            ("wss://example.org:80", 80, "example.org:80", "wss://example.org:80/sync"), ("wss://[::1]", 443, "[::1]", "wss://[::1]/sync"),
        ])
    func secure(url: String, port: Int, authority: String, description: String) throws {
        let endpoint = try Endpoint(url)
        #expect(endpoint.isSecure)
        #expect(endpoint.port == port)
        #expect(endpoint.authority == authority)
        #expect(endpoint.description == description)
        #expect(try !Endpoint("ws://example.org:443").isSecure)
        #expect(try Endpoint("ws://example.org:443").authority == "example.org:443")
    }

    @Test(
        "What can't be used is refused with an example of what can",
        arguments: [
            "localhost:8080", "http://localhost", "wsss://localhost", "ws://", "ws://:80", "ws://h:0", "ws://h:65536", "ws://h:x",
            "ws://h/#f",
            "ws://u:p@h", "ws://h/ä", "ws://h h/", "",
            "ws://h:+80", "ws://h:", "ws://::1:80", "ws://[::1]x", "ws://[::1]x:80", "ws://[::1]:+80/sync", "ws://[name]", "ws://[::1",
        ])
    func refused(url: String) throws {
        let fault = #expect(throws: Endpoint.Fault.self) { try Endpoint(url) }
        #expect(fault?.description.contains("ws://127.0.0.1:8080/sync") == true)
    }
}
