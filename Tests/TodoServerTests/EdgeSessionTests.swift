import Bytes
import Network
import Synchronization
import Testing
import WebSocket

@testable import TodoServer

@Suite struct EdgeSessionTests {
    @Test func `a session is opened, answers, and its end is told once`() throws {
        let server = try EdgeServer()
        let client = try FrameClient(port: server.port, headers: "Sec-WebSocket-Protocol: other, todosync.v1\r\nUser-Agent: tester/1\r\n")
        #expect(client.answer.status == 101)
        #expect(client.answer["sec-websocket-protocol"] == "todosync.v1")
        client.send("echo one")
        client.send("echo two")
        #expect(client.next() == .text("one"))
        #expect(client.next() == .text("two"))
        client.close(.normal)
        #expect(client.next() == .closed(1_000))
        #expect(client.next() == .end)
        #expect(server.notes(2) == ["opened 127.0.0.1 tester/1", "closed"])
    }

    @Test func `frames behind the handshake in one piece are not lost`() throws {
        let server = try EdgeServer()
        let raw = try RawClient(port: server.port)
        var writer = ByteWriter()
        writer.append(utf8: FrameClient.request())
        // "echo hi", masked with zeros.
        writer.append([0x81, 0x87, 0, 0, 0, 0] + Array("echo hi".utf8))
        raw.send(writer.withUnsafeBytes { Array($0) })
        #expect(try #require(raw.response()).status == 101)
        #expect(raw.some() == [0x81, 2] + Array("hi".utf8))
    }

    @Test func `foreign origins, foreign subprotocols and plain requests are refused before the upgrade`() throws {
        let server = try EdgeServer()
        func status(_ headers: String) throws -> Int {
            let raw = try RawClient(port: server.port)
            raw.send(FrameClient.request(headers))
            return try #require(raw.response()).status
        }
        #expect(try status("Origin: http://evil.example\r\n") == 403)
        #expect(try status("Origin: http://todo.example\r\n") == 101)
        #expect(try status("Sec-WebSocket-Protocol: other\r\n") == 400)
        let raw = try RawClient(port: server.port)
        raw.send("GET /sync HTTP/1.1\r\nHost: todo.example\r\n\r\n")
        let plain = try #require(raw.response())
        #expect((400..<500).contains(plain.status))
        #expect(!plain.body.isEmpty)
    }

    @Test func `a message goes to every session, compressed for those that take it`() throws {
        let server = try EdgeServer()
        let plain = try FrameClient(port: server.port)
        let deflating = try FrameClient(port: server.port, deflate: true)
        #expect(deflating.answer["sec-websocket-extensions"]?.contains("server_no_context_takeover") == true)
        _ = server.notes(2)
        let text = String(repeating: "to do, ", count: 200)
        plain.send("all \(text)")
        #expect(plain.next() == .text(text))
        #expect(deflating.next() == .text(text))
        server.mailboxes[0].post(.session("from elsewhere"))
        #expect(plain.next() == .text("from elsewhere"))
        #expect(deflating.next() == .text("from elsewhere"))
    }

    @Test func `a binary message, a broken frame and a large message close with their codes`() throws {
        var limits = EdgeLimits()
        limits.messageBytesMax = 1_000
        let server = try EdgeServer(limits: limits)
        let binary = try FrameClient(port: server.port)
        binary.sendBinary([1, 2, 3])
        #expect(binary.next() == .closed(1_003))
        let large = try FrameClient(port: server.port)
        large.send(String(repeating: "x", count: 1_001))
        #expect(large.next() == .closed(1_009))
        let broken = try FrameClient(port: server.port)
        broken.raw.send([0xF1, 0x80, 0, 0, 0, 0])
        #expect(broken.next() == .closed(1_002))
        #expect(broken.next() == .end)
        #expect(server.notes(6).filter { $0 == "closed" }.count == 3)
    }

    @Test func `the handler ends a session with its own code, and sets a deadline of its own`() throws {
        let server = try EdgeServer()
        let client = try FrameClient(port: server.port)
        client.send("later")
        #expect(client.next() == .text("later"))
        client.send("drained")
        #expect(client.next() == .text("drained"))
        client.send("close 4001")
        #expect(client.next() == .closed(4_001))
        #expect(client.next() == .end)
        #expect(server.notes(2).last == "closed")
    }

    @Test func `what follows a close by the handler in the same piece is not handled`() throws {
        let server = try EdgeServer()
        let client = try FrameClient(port: server.port)
        client.raw.send([0x81, 0x8A, 0, 0, 0, 0] + Array("close 4001".utf8) + [0x81, 0x87, 0, 0, 0, 0] + Array("echo no".utf8))
        #expect(client.next() == .closed(4_001))
        #expect(client.next() == .end)
    }

    @Test func `silence is pinged, an answer keeps the session, no answer ends it`() throws {
        var limits = EdgeLimits()
        limits.pingMilliseconds = 30
        limits.silenceMilliseconds = 150
        let server = try EdgeServer(limits: limits)
        let living = try FrameClient(port: server.port)
        for _ in 0..<8 { #expect(living.next() == .ping) }
        living.send("echo still here")
        var event = living.next()
        while event == .ping { event = living.next() }
        #expect(event == .text("still here"))
        let dead = try FrameClient(port: server.port)
        dead.playDead()
        #expect(dead.next() == .ping)
        #expect(dead.next() == .end)
    }

    @Test func `a ping that was answered is followed by the next after as long a silence, not after the longer one`() throws {
        var limits = EdgeLimits()
        limits.pingMilliseconds = 30
        limits.silenceMilliseconds = 3_600_000
        let server = try EdgeServer(limits: limits)
        let living = try FrameClient(port: server.port)
        for _ in 0..<4 { #expect(living.next() == .ping) }
    }

    @Test func `a session that does not read is closed as too slow`() throws {
        var limits = EdgeLimits()
        limits.outboundBytesMax = 1 << 20
        limits.closeMilliseconds = 20_000
        let server = try EdgeServer(limits: limits)
        let client = try FrameClient(port: server.port, receiveBufferBytes: 4_096)
        client.send("flood")
        #expect(server.notes(2).last == "closed")
        // What had begun arrives whole, then the reason.
        var messages = 0
        var event = client.next()
        while case .text(let text) = event {
            #expect(text.utf8.count == 1 << 20)
            messages += 1
            event = client.next()
        }
        #expect(event == .closed(4_003))
        #expect(messages < 16)
    }

    @Test func `going away closes sessions with 1001 and ends the loop`() throws {
        let server = try EdgeServer()
        let client = try FrameClient(port: server.port)
        let idle = try RawClient(port: server.port)
        client.send("echo here")
        #expect(client.next() == .text("here"))
        server.shutDown()
        #expect(client.next() == .closed(1_001))
        #expect(client.next() == .end)
        client.raw.endWriting()
        #expect(server.hasEnded(), "nobody waits for a connection that asks nothing")
        #expect(idle.some().isEmpty)
        #expect(!server.status.isReady)
    }

    @Test func `while sessions are waited for, newcomers and kept connections are told that the server goes away`() throws {
        var limits = EdgeLimits()
        limits.drainMilliseconds = 60_000
        limits.closeMilliseconds = 60_000
        let server = try EdgeServer(limits: limits)
        let session = try FrameClient(port: server.port)
        let kept = try RawClient(port: server.port)
        kept.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(kept.response()?.status == 200)
        server.shutDown()
        #expect(session.next() == .closed(1_001))
        kept.send(FrameClient.request())
        #expect(kept.response()?.status == 503)
        kept.endWriting()
        for (path, status) in [("/healthz", 200), ("/readyz", 503), ("/metrics", 200), ("/", 503), ("/sync", 503)] {
            let client = try RawClient(port: server.port)
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try #require(client.response())
            #expect(answer.status == status, "\(path)")
            #expect(answer["connection"] == "close")
        }
        session.raw.endWriting()
        #expect(server.hasEnded())
    }

    @Test func `the loop with the door is the last to end, and ends when the others have`() throws {
        var limits = EdgeLimits()
        limits.drainMilliseconds = 60_000
        limits.closeMilliseconds = 60_000
        let server = try EdgeServer(limits: limits, loops: 2)
        // Dealt out in turn.
        let first = try FrameClient(port: server.port)
        let second = try FrameClient(port: server.port)
        #expect(server.status.loops.allSatisfy { $0.sessions.load(ordering: .relaxed) == 1 })
        server.shutDown()
        #expect(first.next() == .closed(1_001))
        #expect(second.next() == .closed(1_001))
        first.raw.endWriting()
        #expect(first.next() == .end)
        for _ in 0..<3 {
            let client = try RawClient(port: server.port)
            client.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.response()?.status == 503)
        }
        second.raw.endWriting()
        #expect(server.hasEnded())
    }

    @Test func `who is told twice to go away waits for nobody`() throws {
        var limits = EdgeLimits()
        limits.drainMilliseconds = 3_600_000
        limits.closeMilliseconds = 3_600_000
        let server = try EdgeServer(limits: limits)
        let deaf = try FrameClient(port: server.port)
        server.shutDown()
        #expect(deaf.next() == .closed(1_001))
        server.shutDown()
        #expect(server.hasEnded())
    }
}
