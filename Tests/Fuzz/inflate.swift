import Bytes
import WebSocket

/// One unmasked-by-zero binary frame, as a client sends it.
private func frame(_ payload: UnsafeRawBufferPointer, isCompressed: Bool) -> [UInt8] {
    var bytes: [UInt8] = [isCompressed ? 0xC2 : 0x82]
    switch payload.count {
    case ..<126: bytes.append(0x80 | UInt8(payload.count))
    case ..<65536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return bytes + [0, 0, 0, 0] + payload
}

private enum Outcome: Equatable {
    case message([UInt8])
    case failed(UInt16)
}

private func receive(
    _ bytes: [UInt8], _ connection: inout WebSocketConnection, _ codec: inout LoopCodec, bytesMax: Int
) -> Outcome {
    var bytes = bytes
    var output = ByteWriter()
    return bytes.withUnsafeMutableBytes { bytes in
        var input = WebSocketInput(bytes)
        switch connection.next(&input, &codec, &output) {
        case .binary(let payload):
            require(payload.count <= bytesMax, "\(payload.count) bytes came out of a bound of \(bytesMax)")
            return .message(Array(payload))
        case .failed(let fault):
            require([1007, 1009].contains(fault.code.rawValue), "an undeclared code \(fault)")
            return .failed(fault.code.rawValue)
        default: fatalError("neither a message nor a fault")
        }
    }
}

/// Compressed data of two messages, with a window and a bound that the fuzzer chooses.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let bits = 8 + (choice & 7)
    let bytesMax = choice & 8 == 0 ? 1 << 16 : 1 << 10
    let agreement = DeflateAgreement(peerTakesContextOver: choice & 16 != 0, peerWindowBits: bits, ownWindowBits: bits)
    var codec = LoopCodec()
    // The bytes as a message that this side compresses: a peer with just that window reads it.
    var output = ByteWriter()
    var sender = WebSocketConnection(role: .client, deflate: agreement)
    sender.send(.binary, input.bytes, &codec, &output)
    var receiver = WebSocketConnection(
        role: .server, deflate: DeflateAgreement(peerTakesContextOver: true, peerWindowBits: bits))
    let back = receive(output.finish().array, &receiver, &codec, bytesMax: 1 << 20)
    require(back == .message(Array(input.bytes)), "what was compressed does not come back")
    // The bytes as the compressed data of two messages: the second may refer back to the first where a context is kept.
    let split = min(input.bytes.count, Int(input.choice()))
    let first = UnsafeRawBufferPointer(rebasing: input.bytes.prefix(split))
    let second = UnsafeRawBufferPointer(rebasing: input.bytes.dropFirst(split))
    var server = WebSocketConnection(role: .server, options: .init(messageBytesMax: bytesMax), deflate: agreement)
    let outcome = receive(frame(first, isCompressed: true), &server, &codec, bytesMax: bytesMax)
    guard case .message = outcome else { return 0 }
    let next = receive(frame(second, isCompressed: true), &server, &codec, bytesMax: bytesMax)
    // Where no context is kept, a message means the same whatever came before it.
    if !agreement.peerTakesContextOver {
        var freshCodec = LoopCodec()
        var fresh = WebSocketConnection(role: .server, options: .init(messageBytesMax: bytesMax), deflate: agreement)
        let alone = receive(frame(second, isCompressed: true), &fresh, &freshCodec, bytesMax: bytesMax)
        require(next == alone, "a trace of the message before")
    }
    return 0
}
