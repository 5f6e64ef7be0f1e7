import Testing
import TodoProtocol
import TodoSync

@Suite("Guessing is slowed down")
struct ThrottleTests {
    private func guess(_ harness: HubHarness, _ name: String, from address: String) -> HubClient.Refused? {
        harness.connect(from: address).logInRefusal(name, "wrong horse")
    }

    private func retryAfter(_ harness: HubHarness, _ name: String, from address: String) -> Int? {
        let client = harness.connect(from: address)
        _ = client.logInRefusal(name, "wrong horse")
        return ((client.messages.last?["error"] as? [String: Any])?["data"] as? [String: Any])?["retryAfter"] as? Int
    }

    @Test(arguments: ["Ann", "Nobody"])
    func `an account at which is guessed answers more and more seldom, whether it exists or not`(name: String) throws {
        let harness = try HubHarness()
        try harness.register("Ann")
        for number in 0..<10 { #expect(guess(harness, name, from: "10.1.0.\(number)")?.code == -32008) }
        var waits: [Int] = []
        for number in 0..<10 {
            let address = "10.1.0.\(number)"
            #expect(guess(harness, name, from: address)?.code == -32006)
            let wait = try #require(retryAfter(harness, name, from: address))
            waits.append(wait)
            harness.pass(Int64(wait) * 1000 - 1)
            #expect(guess(harness, name, from: address)?.code == -32006)
            harness.pass(1)
            #expect(guess(harness, name, from: address)?.code == -32008)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30])
        harness.pass(15 * 60_000)
        #expect(guess(harness, name, from: "10.1.0.1")?.code == -32008)
        #expect(guess(harness, name, from: "10.1.0.1")?.code == -32008)
    }

    @Test func `nothing is hashed for an attempt that is refused`() throws {
        let harness = try HubHarness { $0.limits.loginFailuresOfAccount = 1 }
        _ = guess(harness, "Ann", from: "10.1.0.1")
        let client = harness.connect(from: "10.1.0.1")
        let (_, input) = try client.request("login", ["provider": "password", "username": "ann", "password": "x"])
        harness.process([input], runJobs: false)
        #expect(harness.jobs.waiting.isEmpty)
    }

    @Test func `many attempts at once count as many`() throws {
        let harness = try HubHarness { $0.limits.loginFailuresOfAccount = 3 }
        let clients = (0..<8).map { _ in harness.connect(from: "10.1.0.1") }
        let inputs = try clients.map { try $0.request("login", ["provider": "password", "username": "Ann", "password": "x"]).input }
        harness.process(inputs, runJobs: false)
        #expect(harness.jobs.waiting.count == 3)
    }

    @Test func `who was in from there before is not locked out by others`() throws {
        let harness = try HubHarness()
        try harness.register("Ann", from: "10.0.0.1")
        let byToken = harness.connect(from: "10.0.0.2")
        try byToken.call("login", ["provider": "token", "token": harness.logIn("Ann", from: "10.0.0.1").token])
        for number in 0..<40 { _ = guess(harness, "ANN", from: "10.1.0.\(number)") }
        #expect(harness.connect(from: "10.1.0.39").logInRefusal("Ann", "correct horse")?.code == -32006)
        try harness.logIn("Ann", from: "10.0.0.1")
        try harness.logIn("Ann", from: "10.0.0.2")
        // And a known place is no licence to guess.
        for _ in 0..<10 { #expect(guess(harness, "Ann", from: "10.0.0.1")?.code == -32008) }
        #expect(guess(harness, "Ann", from: "10.0.0.1")?.code == -32006)
    }

    @Test func `a new address has an attempt that does not wait for what others did, and puts off nobody`() throws {
        let harness = try HubHarness()
        try harness.register("Ann", from: "10.0.0.1")
        for number in 0..<40 { _ = guess(harness, "Ann", from: "10.1.0.\(number % 10)") }
        let wait = try #require(retryAfter(harness, "Ann", from: "10.1.0.1"))
        // She mistypes from one new place, and is right at once from another.
        #expect(guess(harness, "Ann", from: "10.2.0.1")?.code == -32008)
        #expect(guess(harness, "Ann", from: "10.2.0.1")?.code == -32006)
        try harness.logIn("Ann", from: "10.2.0.2")
        #expect(retryAfter(harness, "Ann", from: "10.1.0.1") == wait)
    }

    @Test func `an address that guesses at many names is refused, and gets one attempt back at a time`() throws {
        let harness = try HubHarness { $0.limits.loginFailuresOfAddress = 5 }
        try harness.register("Ann", from: "10.0.0.1")
        for number in 0..<5 { #expect(guess(harness, "Name \(number)", from: "10.0.0.1")?.code == -32008) }
        #expect(guess(harness, "Name 6", from: "10.0.0.1")?.code == -32006)
        #expect(retryAfter(harness, "Name 7", from: "::ffff:10.0.0.1") == 2)
        #expect(guess(harness, "Name 8", from: "10.0.0.2")?.code == -32008)
        harness.pass(2000)
        #expect(guess(harness, "Name 9", from: "10.0.0.1")?.code == -32008)
        #expect(guess(harness, "Name 9", from: "10.0.0.1")?.code == -32006)
        // Others behind the same address who were in before get in.
        try harness.logIn("Ann", from: "10.0.0.1")
    }

    @Test func `IPv6 addresses of one network count as one`() throws {
        let harness = try HubHarness { $0.limits.loginFailuresOfAddress = 3 }
        for number in 1...3 { #expect(guess(harness, "Name \(number)", from: "2001:db8:0:1::\(number)")?.code == -32008) }
        #expect(guess(harness, "Name 4", from: "2001:db8:0:1:ffff::4")?.code == -32006)
        #expect(guess(harness, "Name 5", from: "2001:db8:0:2::1")?.code == -32008)
    }

    @Test func `right passwords and nicknames use nothing up`() throws {
        let harness = try HubHarness { settings in
            settings.limits.loginFailuresOfAddress = 2
            settings.limits.loginFailuresOfAccount = 2
        }
        try harness.register("Ann", from: "10.0.0.1")
        for _ in 0..<20 { try harness.logIn("Ann", from: "10.0.0.5") }
        // One person from many places, and many people from one, each for the first time.
        for number in 0..<20 { try harness.logIn("Ann", from: "10.0.1.\(number)") }
        for number in 0..<20 {
            try harness.register("Pupil \(number)", from: "10.0.0.1")
            try harness.logIn("Pupil \(number)", from: "10.0.0.77")
        }
        let clients = (0..<300).map { _ in harness.connect(from: "127.0.0.1") }
        let inputs = try clients.enumerated().map { number, client in
            try client.request("login", ["provider": "nickname", "nickname": "Guest \(number)"]).input
        }
        harness.process(inputs)
        #expect(clients.allSatisfy { $0.messages.last?["result"] != nil })
    }

    @Test func `an address registers so many accounts at once`() throws {
        let harness = try HubHarness { $0.limits.registrationsOfAddress = 3 }
        for number in 0..<3 { try harness.register("Ann \(number)", from: "10.0.0.1") }
        let refusal = harness.connect(from: "10.0.0.1").refusal("register", ["username": "Ann 4", "password": "correct horse"])
        #expect(refusal?.code == -32006 && refusal?.reason == "tooManyRequests")
        try harness.register("Ben", from: "10.0.0.2")
        harness.pass(3000)
        try harness.register("Ann 5", from: "10.0.0.1")
    }

    @Test func `what is remembered of guesses is bounded`() throws {
        let harness = try HubHarness { settings in
            settings.limits.throttleEntries = 10
            settings.limits.loginFailuresOfAccount = 1
        }
        // The newest are remembered, the oldest are not.
        for number in 0..<50 { #expect(guess(harness, "Name \(number)", from: "10.2.0.\(number)")?.code == -32008); harness.pass(1) }
        #expect(guess(harness, "Name 49", from: "10.2.0.49")?.code == -32006)
        #expect(guess(harness, "Name 0", from: "10.2.0.0")?.code == -32008)
    }
}
