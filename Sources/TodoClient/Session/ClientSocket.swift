internal import Bytes
internal import Crypto
internal import WebSocket

/// The client's end of one connection, without a socket: the upgrade from HTTP, then WebSocket messages.
struct ClientSocket: ~Copyable {
    /// What a piece of bytes led to. Views are valid until the next call.
    enum Event {
        /// All bytes were taken; read more.
        case needsBytes
        /// The server has upgraded the connection.
        case opened(subprotocol: String?)
        /// The server has refused the upgrade with that status; 0 where its answer is none.
        case refused(status: Int, String)
        /// A text message.
        case text(UnsafeRawBufferPointer)
        /// A binary message.
        case binary(UnsafeRawBufferPointer)
        /// The connection is closed, in order or for what the server did wrong: send what there is to send and close the socket.
        case closed(code: UInt16, reason: String)
    }

    private enum Stage {
        case upgrading
        case open
        case over
    }

    private let handshake: ClientHandshake
    private let messageBytesMax: Int
    private var parser = HTTPResponseParser()
    private var connection: WebSocketConnection
    private var stage = Stage.upgrading

    /// An end that has yet to ask for the upgrade.
    init(_ handshake: ClientHandshake, messageBytesMax: Int) {
        self.handshake = handshake
        self.messageBytesMax = messageBytesMax
        connection = WebSocketConnection(role: .client)
    }

    /// Whether messages can be sent.
    var isOpen: Bool { stage == .open && connection.state == .open }

    /// The request for the upgrade.
    var request: SharedBytes { handshake.request }

    /// Takes bytes from `input` until there is something to tell.
    mutating func next(_ input: inout ClientInput, _ codec: inout LoopCodec, _ output: inout ByteWriter) -> Event {
        if stage == .upgrading { return upgrade(&input) }
        guard stage == .open else { return .needsBytes }
        while true {
            switch connection.next(&input.frames, &codec, &output) {
            case .needsBytes: return .needsBytes
            case .text(let text): return .text(text)
            case .binary(let bytes): return .binary(bytes)
            case .ping, .pong: continue
            case .closed(let closure):
                stage = .over
                return .closed(code: closure.code.rawValue, reason: closure.reason)
            case .failed(let fault):
                stage = .over
                return .closed(code: fault.code.rawValue, reason: fault.sentence)
            }
        }
    }

    private mutating func upgrade(_ input: inout ClientInput) -> Event {
        switch parser.parse(input.unread) {
        case .incomplete:
            input.skip(input.unread.count)
            return .needsBytes
        case .refused(let fault): return refuse(0, "The answer to the upgrade is no HTTP response: \(fault.sentence)")
        case .head(let head, let consumed):
            input.skip(consumed)
            do {
                let agreement = try handshake.check(head)
                let options = WebSocketConnection.Options(messageBytesMax: messageBytesMax)
                connection = WebSocketConnection(role: .client, options: options, deflate: agreement.deflate)
                stage = .open
                return .opened(subprotocol: agreement.subprotocol)
            } catch {
                switch error {
                case .refused(let status): return refuse(status, Self.firstLine(input.unread) ?? httpReason(status))
                case .malformed(let sentence): return refuse(0, sentence)
                }
            }
        }
    }

    private mutating func refuse(_ status: Int, _ sentence: String) -> Event {
        stage = .over
        return .refused(status: status, sentence)
    }

    /// The sentence that a refusal has as its body, as far as it has arrived together with the head.
    private static func firstLine(_ body: UnsafeRawBufferPointer) -> String? {
        let line = body.prefix(200).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty, line.first != UInt8(ascii: "<"), UTF8Validator.isValid(UnsafeRawBufferPointer(rebasing: line)) else {
            return nil
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends a text message; nothing once the connection is closing.
    mutating func send(_ text: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        if stage == .open { connection.send(.text, text, &codec, &output) }
    }

    /// Appends a binary message; nothing once the connection is closing.
    mutating func send(binary bytes: UnsafeRawBufferPointer, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        if stage == .open { connection.send(.binary, bytes, &codec, &output) }
    }

    /// Appends a ping: any answer is a sign of life.
    mutating func ping(_ codec: inout LoopCodec, _ output: inout ByteWriter) {
        if stage == .open { connection.ping(UnsafeRawBufferPointer(start: nil, count: 0), &codec, &output) }
    }

    /// Begins to close; `closed` follows when the server has answered.
    mutating func close(code: UInt16, reason: String, _ codec: inout LoopCodec, _ output: inout ByteWriter) {
        if stage == .open { connection.close(CloseCode(rawValue: code), reason, &codec, &output) }
    }
}
