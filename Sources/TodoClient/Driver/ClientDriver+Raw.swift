internal import Bytes
internal import Network
internal import WebSocket

/// A raw connection on the clients' thread.
final class RawConnectionState {
    let core: RawCore
    var socket: ClientSocket

    init(_ core: RawCore, _ socket: consuming ClientSocket) {
        self.core = core
        self.socket = socket
    }
}

/// Connections without a session: messages as they are.
extension ClientDriver {
    private static var messageBytesMax: Int { 64 << 20 }

    mutating func openRaw(_ core: RawCore, _ addresses: [SocketAddress], _ loop: inout EventLoop) {
        guard let address = addresses.first else { return core.end(.badURL("The host \(core.endpoint.host) has no address.")) }
        do {
            let handshake = try ClientHandshake(
                host: core.endpoint.authority, target: core.endpoint.target, subprotocols: core.subprotocols, headers: core.headers)
            let raw = RawConnectionState(core, ClientSocket(handshake, messageBytesMax: Self.messageBytesMax))
            let id = try loop.connect(to: address, secured: core.context, host: core.endpoint.host)
            purposes.insert(.raw(raw), for: id)
            raws[ObjectIdentifier(core)] = id
            loop.send(handshake.request, to: id)
        } catch let error as SystemError {
            core.end(.cannotConnect(error))
        } catch {
            core.end(.violation("The upgrade can't be asked for: \(error)"))
        }
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ raw: RawConnectionState, _ id: ConnectionID, _ loop: inout EventLoop) {
        var input = ClientInput(bytes)
        while true {
            switch raw.socket.next(&input, &workspace.codec, &workspace.output) {
            case .needsBytes: return
            case .opened(let subprotocol): raw.core.opened(subprotocol)
            case .refused(let status, let sentence):
                raw.core.end(.refused(status: status, sentence))
                return loop.abort(id)
            case .text(let text): raw.core.received(String(decoding: text, as: UTF8.self))
            case .binary: raw.core.end(.violation("A binary message came."))
            case .closed(let code, let reason):
                raw.core.end(.closed(code: code, reason: reason))
                send(to: id, &loop)
                return loop.finish(id)
            }
        }
    }

    mutating func take(_ action: RawAction, of core: RawCore, _ loop: inout EventLoop) {
        guard let id = raws[ObjectIdentifier(core)], case .raw(let raw) = purposes.pointer(to: id)?.pointee else { return }
        switch action {
        case .text(let text):
            var text = text
            text.withUTF8 { raw.socket.send(UnsafeRawBufferPointer($0), &workspace.codec, &workspace.output) }
        case .binary(let bytes): bytes.withUnsafeBytes { raw.socket.send(binary: $0, &workspace.codec, &workspace.output) }
        case .bytes(let bytes): workspace.output.append(bytes)
        case .ping: raw.socket.ping(&workspace.codec, &workspace.output)
        case .close(let code, let reason): raw.socket.close(code: code, reason: reason, &workspace.codec, &workspace.output)
        case .drop: loop.abort(id)
        case .pause: loop.pauseReading(id)
        case .resume: loop.resumeReading(id)
        }
        send(to: id, &loop)
    }
}
