import Testing

@testable import TodoServer

@Suite struct ServerLimitsTests {
    @Test func `no two limits share a name, and no two flags`() {
        #expect(Set(ServerLimits.table.map(\.name)).count == ServerLimits.table.count)
        #expect(Set(Configuration.flags.map(\.name)).count == Configuration.flags.count)
    }

    @Test(arguments: ServerLimits.table.indices)
    func `a limit that is set by its flag changes that one and no other`(_ index: Int) throws {
        let limit = ServerLimits.table[index]
        let standard = ServerLimits()
        #expect(limit.range.contains(limit.flagValue(in: standard)), "the default of \(limit.name) may be given as a flag")
        let chosen = limit.flagValue(in: standard) + 1
        let configuration = try Configuration(arguments: ["--\(limit.flag)", "\(chosen)"], environment: [:])
        for other in ServerLimits.table {
            let expected = other.name == limit.name ? chosen * limit.shownPerFlag : other.shown(in: standard)
            #expect(other.shown(in: configuration.limits) == expected, "\(other.name)")
        }
    }

    @Test(arguments: ServerLimits.table.indices)
    func `the ends of a range are taken, and what lies beyond is refused in words`(_ index: Int) throws {
        let limit = ServerLimits.table[index]
        for value in [limit.range.lowerBound, limit.range.upperBound] {
            var limits = ServerLimits()
            limit.set(value, in: &limits)
            #expect(limit.flagValue(in: limits) == value)
        }
        for value in [limit.range.lowerBound - 1, limit.range.upperBound + 1] {
            let error = #expect(throws: UsageError.self) { try Configuration(arguments: ["--\(limit.flag)=\(value)"], environment: [:]) }
            #expect(error?.message.contains("--\(limit.flag)") == true)
            #expect(error?.message.contains("\(limit.range.lowerBound) to \(limit.range.upperBound)") == true)
        }
    }

    @Test func `a silence that is over before the ping is refused`() {
        #expect(throws: UsageError.self) { try Configuration(arguments: ["--silence-seconds", "25"], environment: [:]) }
        #expect(throws: Never.self) { try Configuration(arguments: ["--silence-seconds", "26"], environment: [:]) }
    }

    @Test func `places to listen are read with their ports, IPv6 in brackets`() {
        #expect(ListenPlace("127.0.0.1:80") == .network(host: "127.0.0.1", port: 80))
        #expect(ListenPlace("[::1]:0") == .network(host: "::1", port: 0))
        #expect(ListenPlace("todo.example:65535") == .network(host: "todo.example", port: 65_535))
        #expect(ListenPlace("unix:/run/a:b.sock") == .unix(path: "/run/a:b.sock"))
        for text in [
            "", ":80", "::1:80", "[::1]", "[]:80", "[1.2.3.4]:80", "host:", "host:+80", "host:65536", "host:99999999999999999999", "unix:",
        ] {
            #expect(ListenPlace(text) == nil, "\(text)")
        }
    }

    @Test func `what nothing but this machine reaches is known`() {
        for text in ["127.0.0.1:1", "[::1]:1", "localhost:1", "unix:/x"] { #expect(ListenPlace(text)?.isLocal == true) }
        for text in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "name:1"] { #expect(ListenPlace(text)?.isLocal == false) }
    }
}
