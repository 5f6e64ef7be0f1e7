import Bytes
import Network
import TodoClient
import TodoProtocol
import WebSocket

/// The connections of an idle run, from the opening handshake to the closing one.
extension IdleRun {
    /// Every so-manieth of those that come and go is cut instead of closed in order.
    private static var cutEvery: Int { 4 }

    mutating func connect(_ number: Int, isLasting: Bool, _ loop: inout EventLoop) {
        do {
            let handshake = try ClientHandshake(
                host: endpoint.authority, target: endpoint.target, subprotocols: [ProtocolVersion.name], deflate: nil)
            let id = try loop.connect(to: address, secured: context, host: endpoint.host)
            connections.insert(IdleConnection(number: number, isLasting: isLasting, handshake: handshake), for: id)
            if isLasting { lasting.append(id) }
            loop.send(handshake.request, to: id)
        } catch {
            fail("Connection \(number + 1) could not be made: \(error)", &loop)
        }
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        var frames = bytes
        if let upgrade = connection.pointee.upgrade {
            switch upgrade.parser.parse(UnsafeRawBufferPointer(bytes)) {
            case .incomplete: return
            case .refused(let fault): return fail("The answer to an upgrade is no HTTP response: \(fault.sentence)", &loop)
            case .head(let head, let consumed):
                do throws(ClientHandshake.Failure) {
                    _ = try upgrade.handshake.check(head)
                } catch {
                    return fail("Connection \(connection.pointee.number + 1) was not upgraded: \(error)", &loop)
                }
                frames = UnsafeMutableRawBufferPointer(rebasing: bytes[consumed...])
            }
            connection.pointee.upgrade = nil
            connection.pointee.webSocket = WebSocketConnection(role: .client)
            opened(connection, id, &loop)
        }
        read(frames, connection, id, &loop)
    }

    private mutating func opened(_ connection: UnsafeMutablePointer<IdleConnection>, _ id: ConnectionID, _ loop: inout EventLoop) {
        connection.pointee.stage = .open
        if connection.pointee.isLasting { return advance(&loop) }
        if connection.pointee.number % Self.cutEvery == 0 {
            connection.pointee.stage = .leaving
            loop.abort(id)
        } else {
            leave(id, &loop)
        }
    }

    /// Begins the closing handshake.
    mutating func leave(_ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        connection.pointee.stage = .leaving
        connection.pointee.webSocket?.close(.normal, "", &codec, &output)
        loop.send(emptying: &output, to: id)
    }

    mutating func logIn(_ number: Int, _ loop: inout EventLoop) {
        let id = lasting[number]
        guard let connection = connections.pointer(to: id) else { return }
        connection.pointee.stage = .loggingIn
        writer.removeAll()
        RequestEncoder.login(id: 1, .nickname("idle-\(number + 1)"), into: &writer)
        writer.finish().withUnsafeBytes { _ = connection.pointee.webSocket?.send(.text, $0, &codec, &output) }
        loop.send(emptying: &output, to: id)
    }

    private mutating func read(
        _ bytes: UnsafeMutableRawBufferPointer, _ connection: UnsafeMutablePointer<IdleConnection>, _ id: ConnectionID,
        _ loop: inout EventLoop
    ) {
        var input = WebSocketInput(bytes)
        while let event = connection.pointee.webSocket?.next(&input, &codec, &output) {
            switch event {
            case .needsBytes: return loop.send(emptying: &output, to: id)
            case .text(let text): answered(String(decoding: text, as: UTF8.self), connection, &loop)
            case .binary, .ping, .pong: break
            case .closed, .failed:
                loop.send(emptying: &output, to: id)
                return loop.finish(id)
            }
        }
    }

    private mutating func answered(_ text: String, _ connection: UnsafeMutablePointer<IdleConnection>, _ loop: inout EventLoop) {
        guard connection.pointee.stage == .loggingIn else { return }
        guard text.contains("\"result\"") else { return fail("A log-in was refused: \(text)", &loop) }
        connection.pointee.stage = .loggedIn
        advance(&loop)
    }

    mutating func ended(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.finish(id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard let connection = connections.remove(id), phase != .over else { return }
        guard connection.stage != .leaving else { return advance(&loop) }
        fail("Connection \(connection.number + 1) was lost: \(reason.sentence)", &loop)
    }
}
