import Bytes
import WebSocket

/// A connection with its codec and collected output, driven byte by byte in tests. Events are noted as text.
struct ConnectionPlayer: ~Copyable {
    var connection: WebSocketConnection
    var codec = LoopCodec()
    var output = ByteWriter()
    var events: [String] = []

    init(role: WebSocketConnection.Role, options: WebSocketConnection.Options = .init(), deflate: DeflateAgreement? = nil) {
        connection = WebSocketConnection(role: role, options: options, deflate: deflate)
    }

    /// Feeds one piece from memory of its own, which is overwritten afterwards: no view may be kept beyond the read.
    mutating func feed(_ piece: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(piece.count, 1), alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: piece)
        var input = WebSocketInput(UnsafeMutableRawBufferPointer(rebasing: memory[..<piece.count]))
        while true {
            switch connection.next(&input, &codec, &output) {
            case .needsBytes:
                memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
                return
            case .text(let view): events.append("text " + describe(view))
            case .binary(let view): events.append("binary " + describe(view))
            case .ping(let view): events.append("ping " + describe(view))
            case .pong(let view): events.append("pong " + describe(view))
            case .closed(let closure):
                events.append("closed \(closure.code) \"\(closure.reason)\" \(closure.startedByPeer ? "peer" : "self")")
            case .failed(let fault): events.append("failed \(fault.code)")
            }
        }
    }

    mutating func takeOutput() -> [UInt8] { output.finish().array }
}

/// Bytes as hexadecimal digits; long ones as count and checksum.
func describe(_ bytes: UnsafeRawBufferPointer) -> String { describe(Array(bytes)) }

func describe(_ bytes: [UInt8]) -> String {
    if bytes.count > 200 {
        let sum = bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return "\(bytes.count) bytes \(sum)"
    }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
