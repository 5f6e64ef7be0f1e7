import Testing

@testable import TodoLoad

@Suite("The load test's flags")
struct LoadOptionsTests {
    @Test("Flags take their value behind a space or an equals sign")
    func flags() throws {
        var expected = LoadOptions()
        expected.url = "ws://h:1/sync"
        expected.sessions = 200
        expected.projects = 20
        expected.rate = 0.5
        expected.seconds = 20
        expected.seed = .max
        expected.scenario = .firstList
        expected.rows = 5_000
        expected.json = true
        let arguments = [
            "--url", "ws://h:1/sync", "--sessions=200", "--projects", "20", "--rate=0.5", "--seconds", "20", "--seed",
            "18446744073709551615", "--scenario", "first-list", "--rows=5000", "--json",
        ]
        #expect(try LoadOptions.parse(arguments) == .run(expected))
        #expect(try LoadOptions.parse([]) == .run(LoadOptions()))
        expected = LoadOptions()
        expected.idle = 10_000
        expected.certificateFile = "c.pem"
        expected.keyFile = "k.pem"
        #expect(try LoadOptions.parse(["--idle", "10000", "--tls-cert=c.pem", "--tls-key", "k.pem"]) == .run(expected))
        #expect(expected.serverFlags == ["--tls-cert", "c.pem", "--tls-key", "k.pem", "--login-seconds", "3600"])
        #expect(try LoadOptions.parse(["--json", "--help"]) == .help)
        #expect(try LoadOptions.parse(["--version"]) == .version)
    }

    @Test(
        "What can't be used is refused with what would be right",
        arguments: [
            (["--sesions", "3"], "--sessions"), (["rate"], "--rate"), (["--sessions", "0"], "from 1"),
            (["--sessions", "x"], "whole number"),
            (["--rate", "nan"], "number"), (["--rate", "0"], "0.1"), (["--seconds", "-1"], "0.1"), (["--seed", "-1"], "from 0"),
            (["--url"], "ws://"), (["--tls-cert", "c"], "go together"),
            (["--url", "wss://h", "--tls-cert", "c", "--tls-key", "k"], "--ca"), (["--url", "ws://h", "--idle", "1"], "--process"),
            (["--idle", "0"], "from 1"),
            (["--json=yes"], "no value"), (["--sessions", "2", "--projects", "3"], "every project"),
        ])
    func refused(arguments: [String], hint: String) {
        let error = #expect(throws: UsageError.self) { try LoadOptions.parse(arguments) }
        #expect(error?.description.contains(hint) == true)
    }

    @Test(
        "The address is found in what the server says",
        arguments: [
            ("  page       http://127.0.0.1:41499/", "ws://127.0.0.1:41499/sync"), ("see http://[::1]:8080/ now", "ws://[::1]:8080/sync"),
            ("page https://127.0.0.1:1/", "wss://127.0.0.1:1/sync"),
        ])
    func address(line: String, url: String) {
        #expect(ServerOutput.address(in: line) == url)
        #expect(ServerOutput.address(in: "no address here") == nil)
    }

    @Test("Numbers read well")
    func figures() {
        #expect(Figures.whole(1_234_567) == "1,234,567" && Figures.whole(-999) == "-999" && Figures.whole(0) == "0")
        #expect(Figures.decimal(1_234.5, 1) == "1,234.5" && Figures.decimal(0.049, 2) == "0.05" && Figures.decimal(2, 0) == "2")
        #expect(Figures.time(950) == "1.0 µs" && Figures.time(12_340_000) == "12.3 ms" && Figures.time(2_500_000_000) == "2.50 s")
        #expect(Figures.bytes(999) == "999 B" && Figures.bytes(33_800_000) == "33.8 MB")
    }
}
