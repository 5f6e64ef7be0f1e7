import Bytes
import CLinux
import Glibc
import Network
import Testing
import WebSocket

/// A blocking client that sends exactly what a test says.
final class RawClient {
    private let socket: Int32
    private var buffered: [UInt8] = []

    init(port: Int, receiveBufferBytes: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var bytes = receiveBufferBytes { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        try #require(result == 0)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            done += count
        }
    }

    func endWriting() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// The next bytes, at least one; empty at the end or after a reset.
    func some() -> [UInt8] {
        if !buffered.isEmpty {
            defer { buffered = [] }
            return buffered
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &piece, piece.count, 0)
        return count > 0 ? Array(piece[0..<count]) : []
    }

    /// Everything to the end.
    func rest() -> String {
        var all: [UInt8] = []
        while true {
            let piece = some()
            if piece.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += piece
        }
    }

    /// One HTTP answer: its head's lines in lower case up to the colon, and its body.
    func response(toHead isHead: Bool = false) -> Response? {
        var all: [UInt8] = []
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        while true {
            if let place = all.firstRange(of: end) {
                var response = Response(head: String(decoding: all[..<place.lowerBound], as: UTF8.self), body: [])
                let length = isHead ? 0 : Int(response["content-length"] ?? "0") ?? 0
                while all.count < place.upperBound + length {
                    let piece = some()
                    if piece.isEmpty { return nil }
                    all += piece
                }
                response.body = Array(all[place.upperBound..<place.upperBound + length])
                buffered = Array(all[(place.upperBound + length)...])
                return response
            }
            let piece = some()
            if piece.isEmpty { return nil }
            all += piece
        }
    }

    struct Response {
        var head: String
        var body: [UInt8]

        var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
                return line.drop { $0 != ":" }.dropFirst().drop { $0 == " " }.description
            }
            return nil
        }
    }

    deinit {
        close(socket)
    }
}

/// A client that speaks WebSocket over a raw one.
final class FrameClient {
    enum Event: Equatable {
        case text(String)
        case ping
        case closed(UInt16)
        case failed(UInt16)
        case end
    }

    let raw: RawClient
    let answer: RawClient.Response
    private var connection: WebSocketConnection
    private var codec = LoopCodec()
    private var output = ByteWriter()
    private var pending: [Event] = []
    private var isAnswering = true

    init(port: Int, headers: String = "", deflate: Bool = false, receiveBufferBytes: Int32? = nil) throws {
        raw = try RawClient(port: port, receiveBufferBytes: receiveBufferBytes)
        let offer =
            deflate ? "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n" : ""
        raw.send(FrameClient.request(headers + offer))
        answer = try #require(raw.response())
        connection = WebSocketConnection(
            role: .client, options: WebSocketConnection.Options(messageBytesMax: 32 << 20), deflate: deflate ? DeflateAgreement() : nil)
    }

    static func request(_ headers: String = "") -> String {
        "GET /sync HTTP/1.1\r\nHost: todo.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(headers)\r\n"
    }

    func send(_ text: String) {
        _ = connection.send(text, &codec, &output)
        flush()
    }

    func sendBinary(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = connection.send(.binary, $0, &codec, &output) }
        flush()
    }

    func close(_ code: CloseCode) {
        connection.close(code, "", &codec, &output)
        flush()
    }

    /// From here on pings stay unanswered.
    func playDead() {
        isAnswering = false
    }

    private func flush() {
        raw.send(output.withUnsafeBytes { Array($0) })
        output.removeAll()
    }

    /// What comes next.
    func next() -> Event {
        while pending.isEmpty {
            var bytes = raw.some()
            if bytes.isEmpty { return .end }
            bytes.withUnsafeMutableBytes { buffer in
                var input = WebSocketInput(buffer)
                take(&input)
            }
            if isAnswering { flush() } else { output.removeAll() }
        }
        return pending.removeFirst()
    }

    private func take(_ input: inout WebSocketInput) {
        while true {
            switch connection.next(&input, &codec, &output) {
            case .needsBytes: return
            case .text(let text): pending.append(.text(String(decoding: text, as: UTF8.self)))
            case .binary, .pong: break
            case .ping: pending.append(.ping)
            case .closed(let closure):
                pending.append(.closed(closure.code.rawValue))
                return
            case .failed(let fault):
                pending.append(.failed(fault.code.rawValue))
                return
            }
        }
    }
}
