import Bytes
import Crypto
import Network
import WebSocket

/// Answers each opening handshake, then sends messages back to their sender, or in the room to everyone.
struct EchoHandler: EventHandler, ~Copyable {
    typealias Message = Never

    /// What may wait for a reader that is slow: several of the largest messages.
    static let outboundBytesMax = 256 << 20
    private static let messageBytesMax = 16 << 20
    private static let handshakeMilliseconds = 10_000
    /// Past so much unsent output a connection's input is left alone until it has been sent.
    private static let unsentBytesMax = 1 << 20

    /// One connection: first a request, then frames.
    struct Connection: ~Copyable {
        /// Only while the opening handshake lasts.
        var request: Request? = Request()
        var webSocket: WebSocketConnection?
        /// The place among the room's members, or -1.
        var roomPlace: Int32 = -1
    }

    /// A class, so that a connection that speaks WebSocket does not carry the parser along.
    final class Request {
        var parser = HTTPRequestParser()
    }

    private let handshake = ServerHandshake(origins: .any, deflate: DeflateOptions(allowsPeerContext: true))
    /// What connections are encrypted with, if they are.
    private let context: TLSContext?
    private var connections = ConnectionTable<Connection>()
    private var room: [ConnectionID] = []
    private var codec = LoopCodec()
    private var output = ByteWriter()

    /// A server without connections.
    init(context: TLSContext? = nil) {
        self.context = context
    }

    mutating func accepted(_ socket: consuming Descriptor, from peer: SocketAddress, listener: Int, _ loop: inout EventLoop) {
        // Out of kernel memory for watching it: letting go of the socket refuses the peer.
        guard let id = try? loop.adopt(socket, secured: context) else { return }
        connections.insert(Connection(), for: id)
        loop.setDeadline(loop.now.advanced(milliseconds: Self.handshakeMilliseconds), for: id)
    }

    mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {
        guard let connection = connections.pointer(to: id) else { return }
        var frames = bytes
        if let request = connection.pointee.request {
            switch request.parser.parse(UnsafeRawBufferPointer(bytes)) {
            case .incomplete: return
            case .refused(let fault):
                output.appendHTTPRefusal(fault)
                return sendLast(id, &loop)
            case .head(let head, let consumed):
                guard open(head, connection, id, &loop) else { return }
                frames = UnsafeMutableRawBufferPointer(rebasing: bytes[consumed...])
            }
        }
        read(frames, connection, id, &loop)
    }

    /// Answers the opening handshake.
    ///
    /// - Returns: whether frames follow.
    private mutating func open(
        _ head: HTTPRequestHead, _ connection: UnsafeMutablePointer<Connection>, _ id: ConnectionID, _ loop: inout EventLoop
    ) -> Bool {
        guard ["/", "/echo", "/room"].contains(head.path) else {
            output.appendHTTPRefusal(HTTPFault(404, "There are /echo and /room here."))
            sendLast(id, &loop)
            return false
        }
        switch handshake.answer(head) {
        case .reject(let rejection):
            rejection.append(to: &output)
            sendLast(id, &loop)
            return false
        case .accept(let acceptance):
            loop.send(acceptance.response, to: id)
            loop.setDeadline(.distantFuture, for: id)
            connection.pointee.request = nil
            connection.pointee.webSocket = WebSocketConnection(
                role: .server, options: WebSocketConnection.Options(messageBytesMax: Self.messageBytesMax), deflate: acceptance.deflate)
            if head.path == "/room" {
                connection.pointee.roomPlace = Int32(room.count)
                room.append(id)
            }
            return true
        }
    }

    private mutating func read(
        _ bytes: UnsafeMutableRawBufferPointer, _ connection: UnsafeMutablePointer<Connection>, _ id: ConnectionID, _ loop: inout EventLoop
    ) {
        var input = WebSocketInput(bytes)
        while let event = connection.pointee.webSocket?.next(&input, &codec, &output) {
            switch event {
            case .needsBytes:
                loop.send(emptying: &output, to: id)
                if loop.queuedBytes(for: id) > Self.unsentBytesMax { hold(id, &loop) }
                return
            case .text(let text): take(text, .text, connection, &loop)
            case .binary(let bytes): take(bytes, .binary, connection, &loop)
            case .ping, .pong: break
            case .closed, .failed: return sendLast(id, &loop)
            }
            if output.count > Self.unsentBytesMax { loop.send(emptying: &output, to: id) }
        }
    }

    private mutating func take(
        _ message: UnsafeRawBufferPointer, _ kind: Opcode, _ connection: UnsafeMutablePointer<Connection>, _ loop: inout EventLoop
    ) {
        if connection.pointee.roomPlace < 0 {
            _ = connection.pointee.webSocket?.send(kind, message, &codec, &output)
        } else {
            var frame = ByteWriter(capacity: message.count + 10)
            frame.appendFrame(kind, message)
            loop.send(frame.finish(), to: room)
        }
    }

    private mutating func sendLast(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.send(emptying: &output, to: id)
        loop.finish(id)
    }

    private func hold(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.pauseReading(id)
        loop.notifyWhenDrained(id)
    }

    mutating func listenerTroubled(_ listener: Int, _ error: SystemError) {
        complain("\(error)")
    }

    mutating func drained(_ id: ConnectionID, _ loop: inout EventLoop) {
        loop.resumeReading(id)
    }

    mutating func closed(_ id: ConnectionID, _ reason: CloseReason, _ loop: inout EventLoop) {
        guard let connection = connections.remove(id) else { return }
        let place = connection.roomPlace
        guard place >= 0 else { return }
        let last = room.removeLast()
        if last != id {
            room[Int(place)] = last
            connections.pointer(to: last)?.pointee.roomPlace = place
        }
    }
}
