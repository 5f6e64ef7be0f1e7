import Crypto
import Testing
import TodoProtocol
import TodoStore
import TodoSync

@Suite("Passwords")
struct PasswordTests {
    @Test func `a password is changed by whoever knows it, and ends the other log-ins`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let other = try harness.logIn("ann")
        let same = harness.connect(from: "10.0.0.9")
        try same.call("login", ["provider": "token", "token": ann.token])
        let ben = try harness.register("Ben")

        #expect(ann.refusal("changePassword", ["old": "wrong horse", "new": "battery staple"])?.code == -32008)
        #expect([other, same].allSatisfy { $0.closeCode == nil })
        #expect(try ann.call("changePassword", ["old": "correct horse", "new": "battery staple"]).isEmpty)
        #expect(other.closeCode == 4002 && same.closeCode == 4002 && ann.closeCode == nil && ben.closeCode == nil)
        #expect(try ann.sessionIds.count == 1)
        #expect(harness.connect().refusal("login", ["provider": "token", "token": other.token])?.code == -32009)
        #expect(harness.connect(from: "10.0.0.1").logInRefusal("Ann", "correct horse")?.code == -32008)
        try harness.logIn("Ann", "battery staple")
        try harness.connect().call("login", ["provider": "token", "token": ann.token])
    }

    @Test func `an account without a password has none to change`() throws {
        let harness = try HubHarness()
        let ann = try harness.login("Ann")
        let refusal = ann.refusal("changePassword", ["old": "", "new": "battery staple"])
        #expect(refusal?.code == -32004 && refusal?.reason == "noPassword")
        #expect(harness.connect().refusal("changePassword", ["old": "a", "new": "battery staple"])?.code == -32001)
    }

    @Test(arguments: [
        ["old": "correct horse"], ["new": "battery staple"], ["old": "correct horse", "new": "short"],
        ["old": "correct horse", "new": "battery staple", "again": "battery staple"],
    ])
    func `both passwords are needed, and the new one is one`(params: [String: String]) throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        #expect(ann.refusal("changePassword", params)?.code == -32602)
        try harness.logIn("Ann")
    }

    @Test func `a hash of another cost is renewed when its password is used`() throws {
        let harness = try HubHarness()
        try harness.register("Ann")
        let cheap = try #require(PasswordHash.Cost(logN: 1, blockSize: 1, parallelism: 1))
        let old = try PasswordHash.make("correct horse", cost: cheap).text
        try harness.store.begin()
        try harness.store.setPasswordHash(old, provider: "password", subject: "ann")
        try harness.store.commit()
        #expect(harness.connect(from: "10.0.0.1").logInRefusal("Ann", "wrong horse")?.code == -32008)
        #expect(try harness.store.account(provider: "password", subject: "ann")?.passwordHash == old)
        try harness.logIn("Ann")
        let renewed = try #require(try harness.store.account(provider: "password", subject: "ann")?.passwordHash)
        #expect(PasswordHash(text: renewed)?.cost != cheap)
        try harness.logIn("Ann")
        #expect(try harness.store.account(provider: "password", subject: "ann")?.passwordHash == renewed)
    }

    @Test func `a wrong name costs the hashing that a wrong password does, and reads the same`() throws {
        let cost = try #require(PasswordHash.Cost(logN: 3, blockSize: 1, parallelism: 1))
        let hash = try PasswordHash.make("correct horse", cost: cost).text
        let wrongPassword = try PasswordCheck.run("wrong horse", against: hash, cost: cost)
        let wrongName = try PasswordCheck.run("wrong horse", against: nil, cost: cost)
        #expect(wrongPassword.computed == [cost] && wrongName.computed == [cost] && !wrongPassword.isRight && !wrongName.isRight)

        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let suspended = try harness.register("Sue")
        #expect(harness.operate(.suspend(name: "sue", isSuspended: true)) == .done("'Sue' is suspended; all sessions are ended."))
        #expect(suspended.closeCode == 4002)
        var answers: Set<String> = []
        for (name, password) in [("Ann", "wrong horse"), ("Nobody", "wrong horse"), ("Sue", "correct horse"), ("Sue", "wrong horse")] {
            let client = harness.connect(from: "10.0.0.7")
            let (_, input) = try client.request("login", ["provider": "password", "username": name, "password": password])
            harness.process([input], runJobs: false)
            #expect(harness.jobs.waiting.count == 1, "\(name)")
            harness.process([])
            answers.insert(try #require(client.texts.last))
        }
        #expect(answers.count == 1 && answers.first?.contains("-32008") == true)
        #expect(ann.closeCode == nil)
    }

    @Test func `a log-in with a password that is exchanged meanwhile does not succeed`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        let late = harness.connect(from: "10.0.0.1")
        let (change, changeInput) = try ann.request("changePassword", ["old": "correct horse", "new": "battery staple"])
        let (login, loginInput) = try late.request("login", ["provider": "password", "username": "Ann", "password": "correct horse"])
        harness.process([changeInput, loginInput], runJobs: false)
        #expect(harness.jobs.waiting.count == 2)
        harness.process([])
        #expect(try ann.result(of: change).isEmpty)
        #expect(throws: HubClient.Refused.self) { try late.result(of: login) }
        #expect(try ann.sessionIds.count == 1)
    }

    @Test func `a connection whose log-in waits in the queue is not closed for it`() throws {
        let harness = try HubHarness()
        let ann = harness.connect()
        let idle = harness.connect()
        let (id, input) = try ann.request("register", ["username": "Ann", "password": "correct horse"])
        harness.process([input], runJobs: false)
        harness.pass(10_000)
        harness.tick()
        #expect(ann.closeCode == nil && idle.closeCode == 4001)
        harness.process([])
        #expect(try ann.result(of: id)["token"] != nil)
        let other = harness.connect()
        let (_, second) = try other.request("login", ["provider": "password", "username": "Ann", "password": "wrong horse"])
        harness.process([second], runJobs: false)
        harness.pass(10_000)
        harness.tick()
        harness.process([])
        harness.pass(10_000)
        harness.tick()
        #expect(other.closeCode == 4001 && ann.closeCode == nil)
    }

    @Test func `past the bound of the queue a log-in is refused at once, and the place is given back`() throws {
        let harness = try HubHarness { settings in
            settings.limits.hashingQueue = 3
            settings.limits.hashingQueueOfAddress = 2
        }
        let clients = (1...6).map { harness.connect(from: "10.0.0.\($0 / 3)") }
        var requests: [Int] = []
        var inputs: [Input] = []
        for client in clients {
            let (id, input) = try client.request("login", ["provider": "password", "username": "Nobody \(client.id)", "password": "x"])
            requests.append(id)
            inputs.append(input)
        }
        harness.process(inputs, runJobs: false)
        #expect(harness.jobs.waiting.count == 3)
        harness.process([])
        var codes: [Int] = []
        for (client, id) in zip(clients, requests) {
            do { _ = try client.result(of: id) } catch let refused as HubClient.Refused { codes.append(refused.code) }
        }
        // Two from 10.0.0.0 fit, of the three from 10.0.0.1 one more does, and then the queue is full.
        #expect(codes == [-32008, -32008, -32008, -32006, -32006, -32006])
        #expect(clients[5].messages.last.map { ($0["error"] as? [String: Any])?["data"] as? [String: Any] }??["retryAfter"] as? Int == 1)
        // A session that goes away gives its place back too.
        let gone = harness.connect(from: "10.0.0.1")
        let (_, input) = try gone.request("login", ["provider": "password", "username": "Gone", "password": "x"])
        harness.process([input], runJobs: false)
        harness.process([.closed(gone.id)])
        try harness.register("Ann")
        for _ in 0..<4 { try harness.logIn("Ann") }
    }

    @Test func `an empty name breaks the rule for names, wherever it is given`() throws {
        let harness = try HubHarness()
        let ann = try harness.register("Ann")
        try ann.write([["create": "Project", "object": ["projectId": "p", "name": "P"]]])
        let grant: [String: Any] = ["create": "Permission", "object": ["projectId": "p", "userName": "", "role": "viewer"]]
        let refusals = [
            harness.connect().refusal("register", ["username": "", "password": "correct horse"]),
            harness.connect().logInRefusal("", "correct horse"),
            harness.connect().refusal("login", ["provider": "nickname", "nickname": ""]),
            ann.refusal("findUser", ["name": ""]),
            ann.refusal("write", ["changes": [grant]]),
        ]
        #expect(refusals.map { $0?.reason } == Array(repeating: "outOfRange", count: 5))
        #expect(refusals.map { $0?.path } == ["username", "username", "nickname", "name", "changes[0].object.userName"])
    }
}
