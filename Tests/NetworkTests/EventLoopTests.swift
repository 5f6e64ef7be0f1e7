import Bytes
import Glibc
import Network
import Synchronization
import Testing

/// A handler made of one test's own steps, so that each test reads from top to bottom.
private struct Script: EventHandler {
    typealias Message = Int
    var onStart: (inout EventLoop) throws -> Void = { _ in }
    var onAccepted: (consuming Descriptor, inout EventLoop) throws -> Void = { _, _ in }
    var onConnected: (ConnectionID, inout EventLoop) -> Void = { _, _ in }
    var onReceived: (UnsafeMutableRawBufferPointer, ConnectionID, inout EventLoop) -> Void = { _, _, _ in }
    var onEnded: (ConnectionID, inout EventLoop) -> Void = { $1.finish($0) }
    var onDrained: (ConnectionID, inout EventLoop) -> Void = { _, _ in }
    var onEmptied: (ConnectionID, inout EventLoop) -> Void = { _, _ in }
    var onOverflowed: (ConnectionID, inout EventLoop) -> Void = { $1.abort($0) }
    var onDeadline: (ConnectionID, inout EventLoop) -> Void = { $1.abort($0) }
    var onClosed: (ConnectionID, CloseReason, inout EventLoop) -> Void = { _, _, _ in }
    var onAlarm: (inout EventLoop) -> Void = { _ in }
    var onSignal: (ProcessSignal, inout EventLoop) -> Void = { _, _ in }

    func started(_ loop: inout EventLoop) {
        do { try onStart(&loop) } catch { Issue.record(error) }
    }
    func accepted(_ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop) {
        do { try onAccepted(socket, &loop) } catch { Issue.record(error) }
    }
    func connected(_ id: ConnectionID, _ loop: inout EventLoop) { onConnected(id, &loop) }
    func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) { onReceived(bytes, id, &loop) }
    func ended(_ id: ConnectionID, _ loop: inout EventLoop) { onEnded(id, &loop) }
    func drained(_ id: ConnectionID, _ loop: inout EventLoop) { onDrained(id, &loop) }
    func emptied(_ id: ConnectionID, _ loop: inout EventLoop) { onEmptied(id, &loop) }
    func overflowed(_ id: ConnectionID, _ loop: inout EventLoop) { onOverflowed(id, &loop) }
    func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) { onDeadline(id, &loop) }
    func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) { onClosed(id, reason, &loop) }
    func alarmed(_ loop: inout EventLoop) { onAlarm(&loop) }
    func signalled(_ signal: ProcessSignal, _ loop: inout EventLoop) { onSignal(signal, &loop) }

    mutating func run(_ loop: inout EventLoop) throws {
        try loop.run(&self, mailbox: Mailbox<Int>())
    }
}

@Suite struct EventLoopTests {
    @Test func `an echo over loopback gives every client its own bytes back, whatever their size`() throws {
        var loop = try EventLoop(outboundBytesMax: 64 << 20)
        let listener = try Listener(on: .loopback(port: 0))
        let address = listener.address
        try loop.add(listener)
        let payloads = [1, 2, 1_000, 65_536, 1 << 20, 5 << 20].map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
        }
        var clients: [ConnectionID: Int] = [:]
        var echoed: [[UInt8]] = payloads.map { _ in [] }
        var finished = 0
        var script = Script()
        script.onStart = { loop in
            for index in payloads.indices {
                let id = try loop.connect(to: address)
                clients[id] = index
                // Sent before the connection exists: it waits.
                payloads[index].withUnsafeBytes { _ = loop.send(copying: $0, to: id) }
            }
        }
        script.onAccepted = { socket, loop in _ = try loop.adopt(socket) }
        script.onReceived = { bytes, id, loop in
            guard let index = clients[id] else {
                loop.send(copying: UnsafeRawBufferPointer(bytes), to: id)
                return
            }
            echoed[index].append(contentsOf: bytes)
            if echoed[index].count == payloads[index].count { loop.finish(id) }
        }
        script.onClosed = { id, reason, loop in
            #expect(reason == .finished)
            finished += 1
            if finished == payloads.count * 2 { loop.stop() }
        }
        try script.run(&loop)
        for index in payloads.indices { #expect(echoed[index] == payloads[index]) }
        #expect(loop.connectionCount == 0)
    }

    @Test func `a slow reader gets shared and private pieces in order, and draining is told once, at the end`() throws {
        var pair = try SocketPair(sendBufferBytes: 4_096)
        let reader = pair.ours
        var loop = try EventLoop()
        var expected: [UInt8] = []
        var drains = 0
        var id: ConnectionID?
        let socket = pair.takeTheirs().release()
        let received = Mutex<[UInt8]>([])
        let thread = try NamedThread(name: "reader") {
            let all = readToEnd(reader, pieceBytes: 777).bytes
            received.withLock { $0 = all }
            shutdown(reader, Int32(SHUT_WR))
        }
        var script = Script()
        script.onStart = { loop in
            let connection = try loop.adopt(Descriptor(owning: socket))
            id = connection
            for number in 0..<3_000 {
                let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 97 + 1)
                expected.append(contentsOf: piece)
                if number % 3 == 0 {
                    loop.send(SharedBytes(piece), to: connection)
                } else {
                    piece.withUnsafeBytes { _ = loop.send(copying: $0, to: connection) }
                }
            }
            #expect(loop.queuedBytes(for: connection) == expected.count)
            loop.notifyWhenDrained(connection)
        }
        script.onDrained = { drained, loop in
            drains += 1
            #expect(drained == id)
            #expect(loop.queuedBytes(for: drained) == 0)
            loop.finish(drained)
        }
        script.onClosed = { _, _, loop in loop.stop() }
        try script.run(&loop)
        thread.join()
        #expect(drains == 1)
        #expect(received.withLock { $0 } == expected)
    }

    @Test func `pieces that are sent over many turns to a blocked socket arrive whole and in order`() throws {
        var pair = try SocketPair(sendBufferBytes: 4_096)
        var loop = try EventLoop(outboundBytesMax: 64 << 20)
        let connection = try loop.adopt(pair.takeTheirs())
        let reader = pair.ours
        var expected: [UInt8] = []
        var turns = 0
        var script = Script()
        script.onStart = { $0.setAlarm($0.now) }
        script.onAlarm = { loop in
            for step in 0..<4 {
                let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: turns &* 4 &+ step), count: 50 + step)
                expected.append(contentsOf: piece)
                if step == 1 {
                    loop.send(SharedBytes(piece), to: connection)
                } else {
                    piece.withUnsafeBytes { _ = loop.send(copying: $0, to: connection) }
                }
            }
            turns += 1
            if turns < 500 { loop.setAlarm(loop.now) } else { loop.finish(connection) }
        }
        let result = Mutex<[UInt8]>([])
        script.onClosed = { _, _, loop in loop.stop() }
        let thread = try NamedThread(name: "reader") {
            usleep(50_000)
            let all = readToEnd(reader).bytes
            result.withLock { $0 = all }
            shutdown(reader, Int32(SHUT_WR))
        }
        try script.run(&loop)
        thread.join()
        #expect(result.withLock { $0 } == expected)
    }

    @Test func `a socket that takes nothing overflows once, and discarding keeps the piece that has begun`() throws {
        var pair = try SocketPair(sendBufferBytes: 4_096)
        var loop = try EventLoop(outboundBytesMax: 100_000)
        let connection = try loop.adopt(pair.takeTheirs())
        var overflows = 0
        let piece = SharedBytes([UInt8](repeating: 7, count: 50_000))
        let last = SharedBytes([UInt8](repeating: 9, count: 10))
        var script = Script()
        script.onStart = { loop in
            for _ in 0..<4 { loop.send(piece, to: connection) }
        }
        script.onOverflowed = { id, loop in
            overflows += 1
            loop.discardQueue(of: id)
            loop.send(last, to: id)
            loop.finish(id)
        }
        script.onClosed = { _, _, loop in loop.stop() }
        let reader = pair.ours
        let result = Mutex<[UInt8]>([])
        let mailbox = try Mailbox<Int>()
        let thread = try NamedThread(name: "reader") {
            mailbox.wait(timeoutMilliseconds: 30_000)
            let all = readToEnd(reader).bytes
            result.withLock { $0 = all }
            shutdown(reader, Int32(SHUT_WR))
        }
        script.onAlarm = { _ in mailbox.post(1) }
        loop.setAlarm(loop.now.advanced(milliseconds: 50))
        try script.run(&loop)
        thread.join()
        #expect(overflows == 1)
        let bytes = result.withLock { $0 }
        // Whole pieces only: what was thrown away left no half behind.
        #expect(bytes.suffix(10) == [UInt8](repeating: 9, count: 10))
        #expect((bytes.count - 10) % 50_000 == 0)
        #expect(bytes.count < 4 * 50_000)
    }

    @Test func `an identifier names nobody else when its slot is used again`() throws {
        var first = try SocketPair()
        var second = try SocketPair()
        var loop = try EventLoop()
        let old = try loop.adopt(first.takeTheirs())
        let socket = second.takeTheirs().release()
        var new: ConnectionID?
        var strays: [ConnectionID] = []
        var script = Script()
        script.onStart = { $0.abort(old) }
        script.onClosed = { id, reason, loop in
            #expect(id == old)
            #expect(reason == .aborted)
            do { new = try loop.adopt(Descriptor(owning: socket)) } catch { Issue.record(error) }
            #expect(new?.slot == old.slot)
            #expect(new != old)
            let isSent = loop.send(SharedBytes([1]), to: old)
            #expect(!isSent)
            loop.abort(old)
            loop.finish(old)
            loop.setDeadline(loop.now, for: old)
            loop.setAlarm(loop.now.advanced(milliseconds: 20))
        }
        script.onDeadline = { id, _ in strays.append(id) }
        script.onReceived = { _, id, _ in strays.append(id) }
        script.onAlarm = { $0.stop() }
        try script.run(&loop)
        #expect(strays.isEmpty)
        #expect(loop.connectionCount == 1)
        let queued = loop.queuedBytes(for: try #require(new))
        #expect(queued == 0)
    }

    @Test func `deadlines come in order, and one that was moved later does not come early`() throws {
        var loop = try EventLoop()
        var pairs: [Int32] = []
        var order: [ConnectionID] = []
        var ids: [ConnectionID] = []
        for _ in 0..<4 {
            var pair = try SocketPair()
            ids.append(try loop.adopt(pair.takeTheirs()))
            pairs.append(dup(pair.ours))
        }
        defer { for number in pairs { close(number) } }
        let start = loop.now
        loop.setDeadline(start.advanced(milliseconds: 30), for: ids[0])
        loop.setDeadline(start.advanced(milliseconds: 10), for: ids[1])
        loop.setDeadline(start.advanced(milliseconds: 20), for: ids[2])
        loop.setDeadline(start.advanced(milliseconds: 5), for: ids[3])
        loop.setDeadline(start.advanced(milliseconds: 60), for: ids[3])
        loop.setDeadline(start.advanced(milliseconds: 25), for: ids[1])
        loop.setDeadline(start.advanced(milliseconds: 12), for: ids[0])
        var script = Script()
        script.onEnded = { _, _ in }
        script.onDeadline = { id, loop in
            order.append(id)
            if id == ids[3] {
                #expect(loop.now >= start.advanced(milliseconds: 60))
                loop.stop()
            }
        }
        try script.run(&loop)
        #expect(order == [ids[0], ids[2], ids[1], ids[3]])
    }

    @Test func `finishing while the peer still sends gives it everything and an orderly end`() throws {
        var pair = try SocketPair()
        var loop = try EventLoop()
        let connection = try loop.adopt(pair.takeTheirs())
        let ours = pair.ours
        let farewell = SharedBytes([UInt8](repeating: 5, count: 300_000))
        let result = Mutex<([UInt8], Int32)>(([], -1))
        let thread = try NamedThread(name: "peer") {
            var junk = [UInt8](repeating: 1, count: 200_000)
            send(ours, &junk, junk.count, Int32(MSG_NOSIGNAL))
            let all = readToEnd(ours)
            result.withLock { $0 = all }
            send(ours, &junk, junk.count, Int32(MSG_NOSIGNAL))
            shutdown(ours, Int32(SHUT_WR))
        }
        var reasons: [CloseReason] = []
        var script = Script()
        script.onReceived = { _, id, loop in
            loop.send(farewell, to: id)
            loop.finish(id)
            let isSent = loop.send(farewell, to: id)
            #expect(!isSent)
        }
        script.onClosed = { _, reason, loop in
            reasons.append(reason)
            loop.stop()
        }
        try script.run(&loop)
        thread.join()
        #expect(reasons == [.finished])
        #expect(result.withLock { $0.0.count } == 300_000)
        #expect(result.withLock { $0.1 } == 0)
        let isSent = loop.send(farewell, to: connection)
        #expect(!isSent)
    }

    @Test func `a peer that does not end its side is let go after the time given`() throws {
        var pair = try SocketPair()
        var loop = try EventLoop()
        let connection = try loop.adopt(pair.takeTheirs())
        var reasons: [CloseReason] = []
        var script = Script()
        script.onStart = { $0.finish(connection, withinMilliseconds: 10) }
        script.onClosed = { _, reason, loop in
            reasons.append(reason)
            loop.stop()
        }
        try script.run(&loop)
        #expect(reasons == [.lingeredTooLong])
        #expect(readToEnd(pair.ours).bytes.isEmpty)
    }

    @Test func `that nothing waits any more is told once, behind every piece that was to be reported, and at once where nothing waits`()
        throws
    {
        var pair = try SocketPair()
        var loop = try EventLoop(outboundBytesMax: 64 << 20)
        let connection = try loop.adopt(pair.takeTheirs())
        let count = 4 << 20
        var told: [String] = []
        var script = Script()
        script.onDrained = { _, _ in told.append("drained") }
        let reader = try NamedThread(name: "reader") { [ours = pair.ours] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var left = count
            while left > 0 { left -= max(0, read(ours, &buffer, buffer.count)) }
        }
        script.onStart = { loop in
            // Nothing waits yet.
            loop.notifyWhenEmpty(connection)
            loop.setAlarm(loop.now.advanced(milliseconds: 20))
        }
        script.onAlarm = { loop in
            told.append("asked")
            for _ in 0..<4 {
                loop.send(SharedBytes([UInt8](repeating: 1, count: count / 4)), to: connection)
                loop.notifyWhenDrained(connection)
            }
            loop.notifyWhenEmpty(connection)
            loop.notifyWhenEmpty(connection)
        }
        script.onEmptied = { _, loop in
            told.append("empty")
            #expect(loop.queuedBytes(for: connection) == 0)
            if told.count > 2 { loop.stop() }
        }
        try script.run(&loop)
        reader.join()
        #expect(told == ["empty", "asked", "drained", "drained", "drained", "drained", "empty"])
    }

    @Test func `reading can be paused and resumed without losing anything`() throws {
        var pair = try SocketPair()
        var loop = try EventLoop()
        let connection = try loop.adopt(pair.takeTheirs())
        var received: [UInt8] = []
        var isPaused = true
        pair.write([1, 2, 3])
        loop.pauseReading(connection)
        var script = Script()
        script.onStart = { $0.setAlarm($0.now.advanced(milliseconds: 20)) }
        script.onAlarm = { loop in
            isPaused = false
            loop.resumeReading(connection)
        }
        script.onReceived = { bytes, _, loop in
            #expect(!isPaused)
            received.append(contentsOf: bytes)
            loop.stop()
        }
        try script.run(&loop)
        #expect(received == [1, 2, 3])
    }

    @Test func `a refused connection is reported with its reason`() throws {
        // Bound but not listening: nobody else can get the port meanwhile.
        let closed = try {
            let listener = try Listener(on: .loopback(port: 0))
            return listener.address
        }()
        var loop = try EventLoop()
        var reasons: [CloseReason] = []
        var script = Script()
        script.onStart = { _ = try $0.connect(to: closed) }
        script.onClosed = { _, reason, loop in
            reasons.append(reason)
            loop.stop()
        }
        try script.run(&loop)
        guard case .connectFailed(let error) = try #require(reasons.first) else {
            Issue.record("expected a failed connection, got \(reasons)")
            return
        }
        #expect(error.code == ECONNREFUSED)
    }

    @Test func `a signal arrives as an event`() throws {
        var loop = try EventLoop()
        try loop.add(SignalSource([.hangUp]))
        var signals: [ProcessSignal] = []
        var script = Script()
        script.onStart = { _ in raise(SIGHUP) }
        script.onSignal = { signal, loop in
            signals.append(signal)
            loop.stop()
        }
        try script.run(&loop)
        #expect(signals == [.hangUp])
    }
}
