import Bytes
import CLinux
import Crypto
import Glibc
import Network
import Synchronization
import TestSupport
import Testing

/// Notes what happens on encrypted connections of one loop; each test says what its server does.
private struct Script: EventHandler {
    typealias Message = Int
    var onStart: (inout EventLoop) throws -> Void = { _ in }
    var onAccepted: (consuming Descriptor, inout EventLoop) throws -> Void = { _, _ in }
    var onReceived: (UnsafeMutableRawBufferPointer, ConnectionID, inout EventLoop) -> Void = { _, _, _ in }
    var onUnencrypted: (UnsafeRawBufferPointer, ConnectionID, inout EventLoop) -> Void = { $2.abort($1) }
    var onEnded: (ConnectionID, inout EventLoop) -> Void = { $1.finish($0) }
    var onDrained: (ConnectionID, inout EventLoop) -> Void = { _, _ in }
    var onDeadline: (ConnectionID, inout EventLoop) -> Void = { $1.finish($0) }
    var onClosed: (ConnectionID, CloseReason, inout EventLoop) -> Void = { _, _, _ in }

    func started(_ loop: inout EventLoop) {
        do { try onStart(&loop) } catch { Issue.record(error) }
    }
    func accepted(_ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop) {
        do { try onAccepted(socket, &loop) } catch { Issue.record(error) }
    }
    func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) { onReceived(bytes, id, &loop) }
    func receivedUnencrypted(_ bytes: UnsafeRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        onUnencrypted(bytes, id, &loop)
    }
    func ended(_ id: ConnectionID, _ loop: inout EventLoop) { onEnded(id, &loop) }
    func drained(_ id: ConnectionID, _ loop: inout EventLoop) { onDrained(id, &loop) }
    func overflowed(_ id: ConnectionID, _ loop: inout EventLoop) { loop.abort(id) }
    func deadlinePassed(_ id: ConnectionID, _ loop: inout EventLoop) { onDeadline(id, &loop) }
    func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) { onClosed(id, reason, &loop) }

    mutating func run(_ loop: inout EventLoop) throws {
        try loop.run(&self, mailbox: Mailbox<Int>())
    }
}

/// A client that blocks, on a thread of its own: sends and reads as slowly as a test says.
private final class BlockingClient {
    private let socket: Int32
    private var session: TLSSession
    private let wire = TLSWire()
    /// How many bytes one system call moves.
    private let pieceBytes: Int
    private(set) var heard: [UInt8] = []
    private(set) var end: TLSSession.Reading?

    init(_ socket: Int32, _ context: TLSContext, pieceBytes: Int = 65_536) throws {
        self.socket = socket
        self.pieceBytes = pieceBytes
        session = try TLSSession(client: context, host: "localhost")
        _ = session.start(wire)
        flush()
        while !session.isEstablished, end == nil { read() }
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { session.write($0, wire) }
        flush()
    }

    /// Sends the bytes and the end together.
    func sendLast(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { session.write($0, wire) }
        session.end(wire)
        flush()
    }

    func updateKeys() {
        _ = session.updateKeys(wire)
        flush()
    }

    /// Reads once from the socket.
    func read() {
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else {
            end = end ?? .failed(0, "the socket ended first")
            return
        }
        var room = [UInt8](repeating: 0, count: count + TLSSession.readRoomBytes)
        let reading = piece[0..<count].withUnsafeBytes { input in room.withUnsafeMutableBytes { session.read(input, into: $0, wire) } }
        flush()
        switch reading {
        case .open(let plain): heard += room[0..<plain]
        case .ended(let plain), .failed(let plain, _):
            heard += room[0..<plain]
            end = reading
        }
    }

    func readToEnd() {
        while end == nil { read() }
    }

    private func flush() {
        wire.takeOutput { output in
            var place = 0
            while place < output.count {
                let part = UnsafeRawBufferPointer(rebasing: output[place..<min(output.count, place + pieceBytes)])
                let count = Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                place += count
            }
        }
    }
}

@Suite struct TLSLoopTests {
    private let certificate: TestCertificate
    private let serverContext: TLSContext
    private let clientContext: TLSContext

    init() throws {
        certificate = try TestCertificate()
        serverContext = try TLSContext(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
        clientContext = try TLSContext(trusting: certificate.certificateFile)
    }

    /// Runs a loop with one encrypted connection, whose other side `client` drives on a thread of its own.
    private func serve(
        sendBufferBytes: Int32? = nil, _ script: inout Script, start: @escaping (ConnectionID, inout EventLoop) -> Void = { _, _ in },
        client: @escaping @Sendable (Int32, TLSContext) -> Void
    ) throws {
        var pair = try SocketPair(sendBufferBytes: sendBufferBytes)
        let ours = pair.ours
        let theirs = pair.takeTheirs().release()
        let (serverContext, clientContext) = (serverContext, clientContext)
        var loop = try EventLoop()
        script.onStart = { loop in
            let id = try loop.adopt(Descriptor(owning: theirs), secured: serverContext)
            start(id, &loop)
        }
        let thread = try NamedThread(name: "client") { client(ours, clientContext) }
        try script.run(&loop)
        thread.join()
        #expect(loop.connectionCount == 0)
    }

    @Test func `an encrypted echo over loopback gives every client its own bytes back, whatever their size`() throws {
        var loop = try EventLoop(outboundBytesMax: 64 << 20)
        let listener = try Listener(on: .loopback(port: 0))
        let address = listener.address
        try loop.add(listener)
        let payloads = [1, 2, 1_000, 16_384, 16_385, 65_536, 1 << 20, 5 << 20].map { size in
            (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
        }
        var clients: [ConnectionID: Int] = [:]
        var echoed: [[UInt8]] = payloads.map { _ in [] }
        var finished = 0
        var script = Script()
        script.onStart = { loop in
            for index in payloads.indices {
                let id = try loop.connect(to: address, secured: clientContext, host: "localhost")
                clients[id] = index
                // Sent before the connection exists, let alone its encryption: it waits.
                payloads[index].withUnsafeBytes { _ = loop.send(copying: $0, to: id) }
            }
        }
        script.onAccepted = { socket, loop in _ = try loop.adopt(socket, secured: serverContext) }
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

    @Test(arguments: [1, 777])
    func `a slow reader gets shared and private pieces in order, then the end, through a narrow socket`(pieceBytes: Int) throws {
        var expected: [UInt8] = []
        let heard = Mutex<(bytes: [UInt8], end: TLSSession.Reading?)>(([], nil))
        var drains = 0
        var script = Script()
        script.onDrained = { id, loop in
            drains += 1
            loop.finish(id, withinMilliseconds: 60_000)
        }
        script.onClosed = { _, reason, loop in
            #expect(reason == .finished)
            loop.stop()
        }
        let count = pieceBytes == 1 ? 300 : 8_000
        try serve(
            sendBufferBytes: 4_096, &script,
            start: { id, loop in
                for number in 0..<count {
                    let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 97 + 1)
                    expected.append(contentsOf: piece)
                    if number % 3 == 0 {
                        loop.send(SharedBytes(piece), to: id)
                    } else {
                        piece.withUnsafeBytes { _ = loop.send(copying: $0, to: id) }
                    }
                }
                loop.notifyWhenDrained(id)
            },
            client: { socket, context in
                guard let client = try? BlockingClient(socket, context, pieceBytes: pieceBytes) else { return }
                client.readToEnd()
                heard.withLock { $0 = (client.heard, client.end) }
                shutdown(socket, Int32(SHUT_WR))
            })
        #expect(drains == 1)
        let (bytes, end) = heard.withLock { $0 }
        #expect(bytes == expected)
        guard case .ended = end else {
            Issue.record("the end was not announced")
            return
        }
    }

    @Test func `who ends its side behind a question still gets the whole answer`() throws {
        var script = Script()
        var question: [UInt8] = []
        var ends = 0
        let answer = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        script.onReceived = { bytes, _, _ in question += Array(bytes) }
        script.onEnded = { id, loop in
            ends += 1
            loop.send(SharedBytes(answer), to: id)
            loop.finish(id)
        }
        script.onClosed = { _, reason, loop in
            #expect(reason == .finished)
            loop.stop()
        }
        let heard = Mutex<(bytes: [UInt8], end: TLSSession.Reading?)>(([], nil))
        try serve(
            &script,
            client: { socket, context in
                guard let client = try? BlockingClient(socket, context) else { return }
                // The socket itself stays open: the end is in the encrypted bytes only.
                client.sendLast([1, 2, 3])
                client.readToEnd()
                heard.withLock { $0 = (client.heard, client.end) }
            })
        #expect(question == [1, 2, 3])
        #expect(ends == 1)
        #expect(heard.withLock { $0.bytes } == answer)
        guard case .ended = heard.withLock({ $0.end }) else {
            Issue.record("the end was not announced")
            return
        }
    }

    @Test func `a peer that asks for new keys again and again and reads nothing is held back, and loses nothing`() throws {
        var script = Script()
        var received = 0
        script.onReceived = { bytes, id, loop in
            received += bytes.count
            loop.send(copying: UnsafeRawBufferPointer(bytes), to: id)
        }
        script.onClosed = { _, reason, loop in loop.stop() }
        let heard = Mutex<[UInt8]>([])
        try serve(
            sendBufferBytes: 4_096, &script,
            client: { socket, context in
                guard let client = try? BlockingClient(socket, context) else { return }
                var sent = 0
                // As long as the socket takes it without anything being read.
                for number in 0..<2_000 {
                    client.updateKeys()
                    if number % 100 == 0 {
                        client.send([UInt8(truncatingIfNeeded: number)])
                        sent += 1
                    }
                }
                while client.heard.count < sent, client.end == nil { client.read() }
                client.sendLast([])
                client.readToEnd()
                heard.withLock { $0 = client.heard }
            })
        #expect(received == 20)
        #expect(heard.withLock { $0 } == (0..<20).map { UInt8(truncatingIfNeeded: $0 * 100) })
    }

    @Test func `a certificate that is not trusted ends both sides with words`() throws {
        let other = try TestCertificate()
        let stranger = try TLSContext(trusting: other.certificateFile)
        var loop = try EventLoop()
        let listener = try Listener(on: .loopback(port: 0))
        let address = listener.address
        try loop.add(listener)
        var reasons: [CloseReason] = []
        var script = Script()
        script.onStart = { loop in _ = try loop.connect(to: address, secured: stranger, host: "localhost") }
        script.onAccepted = { socket, loop in _ = try loop.adopt(socket, secured: serverContext) }
        script.onClosed = { _, reason, loop in
            reasons.append(reason)
            if reasons.count == 2 { loop.stop() }
        }
        try script.run(&loop)
        for reason in reasons {
            guard case .insecure(let sentence) = reason else {
                Issue.record("ended as \(reason)")
                continue
            }
            #expect(sentence.contains("not trusted") || sentence.contains("unknown ca"), "\(sentence)")
        }
    }

    @Test func `a plain request is handed over as such, and answered plainly`() throws {
        var script = Script()
        var request = ""
        script.onUnencrypted = { bytes, id, loop in
            request = String(decoding: bytes, as: UTF8.self)
            loop.send(SharedBytes(utf8: "use TLS"), to: id)
            loop.finish(id)
        }
        script.onReceived = { _, _, _ in Issue.record("nothing was decrypted") }
        script.onClosed = { _, reason, loop in
            #expect(reason == .finished)
            loop.stop()
        }
        let heard = Mutex<[UInt8]>([])
        try serve(
            &script,
            client: { socket, _ in
                _ = Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                let all = readToEnd(socket).bytes
                heard.withLock { $0 = all }
                shutdown(socket, Int32(SHUT_WR))
            })
        #expect(request == "GET / HTTP/1.1\r\n\r\n")
        #expect(heard.withLock { $0 } == Array("use TLS".utf8))
    }

    @Test func `a handshake that stops half-way is cut at its deadline`() throws {
        var script = Script()
        var reason: CloseReason?
        script.onReceived = { _, _, _ in Issue.record("nothing was decrypted") }
        script.onClosed = { _, given, loop in
            reason = given
            loop.stop()
        }
        try serve(
            &script, start: { id, loop in loop.setDeadline(loop.now.advanced(milliseconds: 50), for: id) },
            client: { socket, _ in
                _ = [UInt8]([22, 3, 1, 2, 0, 1]).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                _ = readToEnd(socket)
            })
        #expect(reason == .aborted)
    }

    @Test func `a socket that breaks off without the encrypted end is an end`() throws {
        var script = Script()
        var received: [UInt8] = []
        var ends = 0
        script.onReceived = { bytes, _, _ in received += Array(bytes) }
        script.onEnded = { id, loop in
            ends += 1
            loop.finish(id)
        }
        script.onClosed = { _, _, loop in loop.stop() }
        try serve(
            &script,
            client: { socket, context in
                guard let client = try? BlockingClient(socket, context) else { return }
                client.send([9, 9])
                shutdown(socket, Int32(SHUT_WR))
                client.readToEnd()
            })
        #expect(received == [9, 9])
        #expect(ends == 1)
    }
}
