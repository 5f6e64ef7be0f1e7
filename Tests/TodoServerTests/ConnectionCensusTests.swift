import Network
import Testing

@testable import TodoServer

@Suite struct ConnectionCensusTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test func `an address has its limit, then some are told so, then nobody is`() throws {
        let census = ConnectionCensus(connectionsMax: 1_000, perAddressMax: 3)
        let verdicts = try (0..<100).map { _ in census.enter(from: try address("192.0.2.1")).verdict }
        #expect(verdicts.prefix(3).allSatisfy { $0 == .admitted })
        #expect(verdicts[3..<67].allSatisfy { $0 == .refusedByAddress })
        #expect(verdicts[67...].allSatisfy { $0 == .dropped })
        #expect(census.total == 67)
        #expect(census.enter(from: try address("192.0.2.2")).verdict == .admitted)
    }

    @Test func `in all there is a limit for everybody, the loopback included`() throws {
        let census = ConnectionCensus(connectionsMax: 5, perAddressMax: 5)
        let verdicts = try (0..<100).map { _ in census.enter(from: try address("::1")).verdict }
        #expect(verdicts.prefix(5).allSatisfy { $0 == .admitted })
        #expect(verdicts[5..<69].allSatisfy { $0 == .refusedInAll })
        #expect(verdicts[69...].allSatisfy { $0 == .dropped })
    }

    @Test func `the loopback and Unix sockets have no limit of their own`() throws {
        let census = ConnectionCensus(connectionsMax: 10_000, perAddressMax: 1)
        for peer in [try address("127.0.0.1"), try address("::1"), nil] {
            for _ in 0..<1_000 { #expect(census.enter(from: peer).verdict == .admitted) }
        }
        #expect(census.networks == 0)
    }

    @Test func `who leaves makes room, and nothing is remembered of an address that has gone`() throws {
        let census = ConnectionCensus(connectionsMax: 10, perAddressMax: 2)
        let host = try address("2001:db8::1")
        for _ in 0..<100 {
            let first = census.enter(from: host)
            let second = census.enter(from: try address("2001:db8::ffff"))
            let third = census.enter(from: host)
            #expect([first.verdict, second.verdict, third.verdict] == [.admitted, .admitted, .refusedByAddress])
            for place in [third.place, first.place, second.place] { census.leave(place) }
        }
        #expect(census.total == 0 && census.networks == 0)
    }

    @Test func `a proxy's connection is counted for the client it carries, once it is known`() throws {
        let census = ConnectionCensus(connectionsMax: 10, perAddressMax: 1)
        var (_, first) = census.enter(from: nil)
        var (_, second) = census.enter(from: nil)
        #expect(census.count(&first, for: try address("192.0.2.1")))
        #expect(!census.count(&second, for: try address("192.0.2.1")))
        #expect(census.count(&second, for: try address("127.0.0.1")), "behind a proxy the loopback is an address like others")
        var (_, third) = census.enter(from: nil)
        #expect(!census.count(&third, for: try address("127.0.0.1")))
        for place in [first, second, third] { census.leave(place) }
        #expect(census.total == 0 && census.networks == 0)
    }
}
