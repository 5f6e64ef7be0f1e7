import Foundation
import Testing
import Todo
import TodoStore
import TodoSync

/// What one session may cost the others.
struct BoundsTests {
    @Test func `a reader that falls behind gets one merged change when it reads again`() throws {
        let harness = try HubHarness(access: .everyoneWrite)
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        try ben.call("subscribe", ["name": "items", "class": "Item", "filter": "projectId == 'p1'", "sort": ["position"]])
        try ben.call("subscribe", ["name": "projects", "class": "Project"])
        ben.forgetMessages()
        harness.process([.fellBehind(ben.id)])
        let asked = try ben.request("info", [:])
        harness.process([asked.input])
        for number in 0..<50 {
            try anna.write([["upsert": "Item", "object": ["projectId": "p1", "itemId": "i\(number % 7)", "body": "\(number)"]]])
        }
        try anna.write([["delete": "Item", "id": "i3"], ["move": "Item", "id": "i6", "to": "start"]])
        #expect(ben.messages.isEmpty)
        harness.process([.caughtUp(ben.id)])
        #expect(ben.notifications("change").count == 1)
        #expect(ben.notifications("change").first?["by"] as? [String] == [anna.userId])
        #expect(ben.keys("items", "itemId") == ["i6", "i0", "i1", "i2", "i4", "i5"])
        #expect(try ben.result(of: asked.id)["version"] as? Int == 52 + 2)
    }

    @Test func `a reader that is closed as stuck is named in the log, and a crowd of them is counted`() throws {
        let harness = try HubHarness()
        let anna = try harness.login("Anna")
        harness.process([.stuck(anna.id, seconds: 30), .closed(anna.id)])
        let lines = harness.lines.all.filter { $0.contains("4003") }
        #expect(
            lines == ["user \(anna.userId) from test was closed with 4003: it had more waiting than it is given, and took nothing for 30 s"]
        )
        harness.tick()
        harness.process((0..<1_000).flatMap { _ in [Input.stuck(harness.connect().id, seconds: 30)] })
        harness.tick()
        harness.tick()
        let crowd = harness.lines.all.filter { $0.contains("4003") }.dropFirst()
        #expect(crowd.count == 11)
        #expect(crowd.first?.hasPrefix("a session without log-in from test was closed with 4003") == true)
        #expect(crowd.last?.hasPrefix("990 more were closed with 4003") == true)
        harness.process([.stuck(harness.connect().id, seconds: 30)])
        #expect(harness.lines.all.filter { $0.contains("4003") }.count == 13)
    }

    @Test func `sessions that come and go before their time to log in is over leave nothing behind`() throws {
        let harness = try HubHarness { $0.limits.loginMilliseconds = 1_000_000 }
        let waiting = harness.connect()
        for _ in 0..<10_000 { harness.process([.closed(harness.connect().id)]) }
        #expect(harness.hub.loginDeadlineCount <= 2 * 2 + 1_024)
        let loggedIn = try harness.login("Anna")
        let loggedOut = try harness.login("Ben")
        harness.moment.monotonicMilliseconds += 600_000
        try loggedOut.call("logout")
        for _ in 0..<2_000 { harness.process([.closed(harness.connect().id)]) }
        harness.moment.monotonicMilliseconds += 600_000
        harness.tick()
        #expect(waiting.closeCode == 4001)
        #expect(loggedIn.closeCode == nil && loggedOut.closeCode == nil)
        harness.moment.monotonicMilliseconds += 600_000
        harness.tick()
        #expect(loggedIn.closeCode == nil && loggedOut.closeCode == 4001)
    }

    private static func infos(_ ids: Range<Int>, isBatch: Bool) -> [String] {
        let texts = ids.map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"info\"}" }
        return isBatch
            ? stride(from: 0, to: texts.count, by: 20).map { "[\(texts[$0..<min($0 + 20, texts.count)].joined(separator: ","))]" } : texts
    }

    @Test(arguments: [false, true])
    func `who takes no answers has no more of its requests run than fit, and gets all in order when it reads`(_ isBatch: Bool) throws {
        let harness = try HubHarness { $0.limits.outboundBytes = 20_000 }
        let anna = try harness.login("Anna")
        let ben = try harness.login("Ben")
        ben.isStalled = true
        ben.forgetMessages()
        let before = harness.hub.figures.requests
        harness.process(Self.infos(0..<1_000, isBatch: isBatch).map(ben.input))
        let waiting = { ben.texts.reduce(0) { $0 + $1.utf8.count } }
        // What came before counts until it is reported.
        #expect(waiting() > 15_000 && waiting() < 40_000)
        let run = harness.hub.figures.requests - before
        #expect(run == ben.messages.count && run < 500)
        // Nor later, as long as it reads nothing; others are served.
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        harness.tick()
        #expect(ben.messages.count == run)
        var most = 0
        while ben.owedDrained > 0 {
            ben.owedDrained -= 1
            let had = waiting()
            harness.process([.drained(ben.id)])
            most = max(most, waiting() - had)
        }
        #expect(ben.messages.compactMap { $0["id"] as? Int } == Array(0..<1_000))
        #expect(most < 40_000)
    }

    @Test func `a single answer may be larger than the bound, and the next request runs when it is taken`() throws {
        let harness = try HubHarness { $0.limits.outboundBytes = 20_000 }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let notes = String(repeating: "n", count: 50_000)
        try anna.write([["create": "Item", "object": ["projectId": "p1", "body": "", "notes": notes]]])
        anna.isStalled = true
        let first = try anna.request("query", ["class": "Item"])
        let second = try anna.request("info", [:])
        harness.process([first.input, second.input])
        #expect(try anna.result(of: first.id)["objects"] != nil)
        #expect(!anna.messages.contains { $0["id"] as? Int == second.id })
        anna.owedDrained -= 1
        harness.process([.drained(anna.id)])
        #expect(try anna.result(of: second.id)["server"] != nil)
    }

    @Test func `who has requests waiting for its own answers is watched as a slow reader from the next tick on, and nobody else`() throws {
        let harness = try HubHarness { $0.limits.outboundBytes = 20_000 }
        let quick = try harness.login("Anna")
        let slow = try harness.login("Ben")
        let content = try harness.login("Cleo")
        slow.isStalled = true
        content.isStalled = true
        for client in [quick, slow] { harness.process(Self.infos(0..<1_000, isBatch: false).map(client.input)) }
        while content.owedDrained == 0 || content.texts.reduce(0, { $0 + $1.utf8.count }) <= 20_000 {
            harness.process(Self.infos(0..<1, isBatch: false).map(content.input))
        }
        #expect(!slow.isWatched)
        harness.tick()
        #expect(slow.isWatched && !quick.isWatched && !content.isWatched)
    }

    @Test(arguments: [false, true])
    func `what a closed connection has waiting is not run any more`(_ isTold: Bool) throws {
        let harness = try HubHarness { $0.limits.outboundBytes = 20_000 }
        let ben = try harness.login("Ben")
        ben.isStalled = true
        let requests = Self.infos(0..<1_000, isBatch: true).map(ben.input)
        if isTold {
            harness.process(requests)
            let run = harness.hub.figures.requests
            harness.process([.closed(ben.id), .drained(ben.id)])
            #expect(harness.hub.figures.requests == run)
        } else {
            // It has come with the end of its connection.
            let run = harness.hub.figures.requests
            harness.process(requests + [.closed(ben.id)])
            #expect(harness.hub.figures.requests == run)
        }
    }

    @Test func `a filter that searches more text than a request may is refused with the limit`() throws {
        let harness = try HubHarness {
            $0.limits.writeSearchBytes = 5000
            $0.limits.readSearchBytes = 20_000
        }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        for number in 0..<10 {
            let notes = String(repeating: "n", count: 3000)
            try anna.write([["create": "Item", "object": ["projectId": "p1", "itemId": "i\(number)", "body": "", "notes": notes]]])
        }
        let filter = "notes CONTAINS 'x'"
        for (method, params) in [
            ("query", ["class": "Item", "filter": filter]), ("write", ["changes": [["delete": "Item", "filter": filter]]]),
        ] as [(String, [String: Any])] {
            #expect(throws: HubClient.Refused.self) { try anna.call(method, params) }
        }
        try anna.call("subscribe", ["name": "found", "class": "Item", "filter": filter])
        #expect(anna.notifications("error").first?["code"] as? Int == -32005)
        #expect(
            (try anna.call("query", ["class": "Item", "filter": "itemId == 'i1' AND \(filter)"])["objects"] as? [Any])?.isEmpty == true)
    }

    @Test func `a session's live queries have a bound on the searches that every change pays for`() throws {
        let harness = try HubHarness { $0.limits.liveSearches = 3 }
        let anna = try harness.login("Anna")
        let filter = "notes CONTAINS 'x' OR body CONTAINS 'x'"
        try anna.call("subscribe", ["name": "one", "class": "Item", "filter": filter])
        #expect(throws: HubClient.Refused.self) { try anna.call("subscribe", ["name": "two", "class": "Item", "filter": filter]) }
        try anna.call("subscribe", ["name": "two", "class": "Item", "filter": "notes CONTAINS 'x'"])
        try anna.call("subscribe", ["name": "three", "class": "Item", "filter": "isDone == false"])
    }

    @Test func `a reconnect by token writes nothing, until the token's life is worth renewing`() throws {
        let harness = try HubHarness { $0.limits.tokenMilliseconds = 30 * 60_000 }
        let anna = try harness.login("Anna")
        for (minutes, renews) in [(0, false), (2, true), (0, false)] {
            harness.moment.wall = Timestamp(milliseconds: harness.moment.wall.milliseconds + Int64(minutes) * 60_000)
            let token = try #require(try harness.store.token(hash: anna.tokenHash))
            let result = try harness.connect().call("login", ["provider": "token", "token": anna.token])
            #expect(result["token"] as? String == anna.token)
            #expect((try harness.store.token(hash: anna.tokenHash) != token) == renews)
        }
    }

    @Test func `the answers of one batch share the bound of one answer`() throws {
        let harness = try HubHarness { $0.limits.queryBytes = 20_000 }
        let anna = try harness.login("Anna")
        try anna.write([["create": "Project", "object": ["projectId": "p1", "name": "Lake"]]])
        let notes = String(repeating: "n", count: 9000)
        try anna.write([["create": "Item", "object": ["projectId": "p1", "body": "", "notes": notes]]])
        let request = #"{"jsonrpc":"2.0","id":ID,"method":"query","params":{"class":"Item"}}"#
        let batch = (101...105).map { request.replacingOccurrences(of: "ID", with: "\($0)") }.joined(separator: ",")
        harness.process([anna.input("[\(batch)]")])
        #expect(try anna.result(of: 102)["objects"] != nil)
        #expect(throws: HubClient.Refused.self) { try anna.result(of: 105) }
    }
}
