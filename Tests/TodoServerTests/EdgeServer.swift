import Bytes
import Network
import Testing
import WebSocket

@testable import TodoServer

/// A session layer that does what its clients say: enough to reach every door of the edge.
struct ObedientSessions: SessionHandler, ~Copyable {
    typealias Message = String

    let log: Mailbox<String>
    var all: [ConnectionID] = []

    mutating func opened(_ id: ConnectionID, _ client: ClientInfo, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        all.append(id)
        log.post("opened \(client.address) \(client.userAgent)")
    }

    mutating func received(_ text: UnsafeRawBufferPointer, _ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) -> Int {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "echo": send(rest, to: id, &sockets, &loop)
        case "all":
            let message = SharedBytes(utf8: rest).withUnsafeBytes { SharedMessage(text: $0, &sockets.codec) }
            sockets.send(message, to: all, &loop)
        case "close": sockets.close(id, CloseCode(rawValue: UInt16(rest) ?? 1_000), reason: "as asked", &loop)
        case "later": sockets.setDeadline(loop.now.advanced(milliseconds: 20), for: id, &loop)
        case "flood":
            let message = SharedBytes([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)).withUnsafeBytes {
                SharedMessage(text: $0, &sockets.codec)
            }
            for _ in 0..<16 { sockets.send(message, to: id, &loop) }
        case "drained": loop.notifyWhenDrained(id)
        default: send("unknown", to: id, &sockets, &loop)
        }
        return 1
    }

    mutating func deadlinePassed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        send("later", to: id, &sockets, &loop)
    }

    mutating func drained(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        send("drained", to: id, &sockets, &loop)
    }

    mutating func closed(_ id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        all.removeAll { $0 == id }
        log.post("closed")
    }

    mutating func posted(_ message: String, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        for id in all { send(message, to: id, &sockets, &loop) }
    }

    private func send(_ text: String, to id: ConnectionID, _ sockets: inout Sockets, _ loop: inout EventLoop) {
        SharedBytes(utf8: text).withUnsafeBytes { sockets.send(text: $0, to: id, &loop) }
    }
}

/// An edge on a port of its own, each loop on a thread of its own.
final class EdgeServer {
    let port: Int
    /// Those of the loops, of which the first accepts.
    let mailboxes: [Mailbox<EdgeMessage<String>>]
    let status: ServerStatus
    private let log: Mailbox<String>
    private let done: Mailbox<Bool>

    init(limits: EdgeLimits = EdgeLimits(), files: StaticFiles = StaticFiles(), loops: Int = 1) throws {
        status = ServerStatus(loops: loops) { [Metric("commits_total", .counter, 7, help: "Commits.")] }
        let started = try Mailbox<Int>()
        let mailboxes = try (0..<loops).map { _ in try Mailbox<EdgeMessage<String>>() }
        let log = try Mailbox<String>()
        let done = try Mailbox<Bool>()
        let router = HTTPRouter(files: files, status: status, limits: limits)
        for index in 0..<loops {
            _ = try NamedThread(name: "edge \(index)") {
                do {
                    var loop = try EventLoop(outboundBytesMax: limits.outboundBytesMax)
                    if index == 0 {
                        let listener = try Listener(on: .loopback(port: 0))
                        let port = listener.address.port ?? 0
                        try loop.add(listener)
                        started.post(port)
                    }
                    var edge = Edge(index: index, sessions: ObedientSessions(log: log), router: router, mailboxes: mailboxes) { _, _ in }
                    try loop.run(&edge, mailbox: mailboxes[index])
                    done.post(true)
                } catch {
                    started.post(0)
                    done.post(false)
                }
            }
        }
        var ports: [Int] = []
        started.wait(timeoutMilliseconds: 30_000)
        started.takeAll(into: &ports)
        port = try #require(ports.first)
        self.mailboxes = mailboxes
        self.log = log
        self.done = done
    }

    /// Whether all loops have come to their end in order.
    func hasEnded() -> Bool {
        var ends: [Bool] = []
        while ends.count < mailboxes.count, done.wait(timeoutMilliseconds: 30_000) {
            var some: [Bool] = []
            done.takeAll(into: &some)
            ends += some
        }
        return ends.count == mailboxes.count && ends.allSatisfy { $0 }
    }

    /// Posts to all loops.
    func shutDown() {
        for mailbox in mailboxes { mailbox.post(.shutDown) }
    }

    /// What the session layer noted, once it has noted so much.
    func notes(_ count: Int) -> [String] {
        var all: [String] = []
        while all.count < count, log.wait(timeoutMilliseconds: 30_000) {
            var some: [String] = []
            log.takeAll(into: &some)
            all += some
        }
        return all
    }

    deinit {
        shutDown()
    }
}
