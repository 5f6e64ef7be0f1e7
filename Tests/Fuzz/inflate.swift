import Bytes
import WebSocket

/// How messages are sent.
private struct Sending {
    var isText: Bool
    /// Payload bytes in each frame, in turn; one frame if there are none.
    var frames: [Int] = []
    /// Bytes in each read, in turn; one read if there are none.
    var reads: [Int] = []
}

/// Frames of one compressed message under masks of zero, as a client sends them.
private func frames(_ payload: UnsafeRawBufferPointer, _ sending: Sending) -> [UInt8] {
    var bytes: [UInt8] = []
    var begin = 0
    var turn = 0
    repeat {
        let end = sending.frames.isEmpty ? payload.count : min(payload.count, begin + sending.frames[turn % sending.frames.count])
        var first: UInt8 = begin == 0 ? (sending.isText ? 0x41 : 0x42) : 0
        if end == payload.count { first |= 0x80 }
        bytes += header(first, end - begin) + payload[begin..<end]
        begin = end
        turn += 1
    } while begin < payload.count
    return bytes
}

private func header(_ first: UInt8, _ count: Int) -> [UInt8] {
    let length: [UInt8]
    switch count {
    case ..<126: length = [0x80 | UInt8(count)]
    case ..<65536: length = [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: length = [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    return [first] + length + [0, 0, 0, 0]
}

private enum Outcome: Equatable {
    case message([UInt8])
    case failed(UInt16, String)
}

/// A server's connection, and what it makes of the messages that are sent to it.
private struct Receiver: ~Copyable {
    var connection: WebSocketConnection
    var codec = LoopCodec()
    let bytesMax: Int
    let sending: Sending

    init(_ agreement: DeflateAgreement, bytesMax: Int, _ sending: Sending) {
        connection = WebSocketConnection(role: .server, options: .init(messageBytesMax: bytesMax), deflate: agreement)
        self.bytesMax = bytesMax
        self.sending = sending
    }

    mutating func receive(_ payload: UnsafeRawBufferPointer) -> Outcome {
        frames(payload, sending).withUnsafeBytes { receive(frames: $0) }
    }

    mutating func receive(frames bytes: UnsafeRawBufferPointer) -> Outcome {
        var outcome: Outcome?
        var output = ByteWriter()
        FuzzInput.feed(bytes, cutAt: sending.reads) { piece in
            var input = WebSocketInput(piece)
            while true {
                switch connection.next(&input, &codec, &output) {
                case .needsBytes: return outcome == nil
                case .binary(let payload), .text(let payload):
                    require(outcome == nil, "two messages came of one")
                    require(payload.count <= bytesMax, "\(payload.count) bytes came out of a bound of \(bytesMax)")
                    outcome = .message(Array(payload))
                case .failed(let fault):
                    require(outcome == nil, "a fault after the message")
                    require([1007, 1009].contains(fault.code.rawValue), "an undeclared code \(fault)")
                    outcome = .failed(fault.code.rawValue, fault.sentence)
                default: fatalError("neither a message nor a fault")
                }
            }
        }
        guard let outcome else { fatalError("neither a message nor a fault") }
        return outcome
    }
}

/// What this side compresses, with the window that the fuzzer chooses, comes back at a peer with just that window, whole and in pieces.
private func compressAndBack(_ bytes: UnsafeRawBufferPointer, bits: UInt8, _ pieces: Sending) {
    var codec = LoopCodec()
    var output = ByteWriter()
    var sender = WebSocketConnection(role: .client, deflate: DeflateAgreement(ownWindowBits: bits))
    sender.send(.binary, bytes, &codec, &output)
    let sent = output.finish().array
    let agreement = DeflateAgreement(peerTakesContextOver: true, peerWindowBits: bits)
    for sending in [Sending(isText: false), Sending(isText: false, reads: pieces.reads)] {
        var receiver = Receiver(agreement, bytesMax: 1 << 20, sending)
        for _ in 0..<2 {
            let back = sent.withUnsafeBytes { receiver.receive(frames: $0) }
            require(back == .message(Array(bytes)), "what was compressed does not come back")
        }
    }
}

/// Compressed data of two messages, with a window and a bound that the fuzzer chooses: the same comes out of them whole and in pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let bits = 8 + (choice & 7)
    let bytesMax = choice & 8 == 0 ? 1 << 16 : 1 << 10
    let takesContextOver = choice & 16 != 0
    let agreement = DeflateAgreement(peerTakesContextOver: takesContextOver, peerWindowBits: bits, ownWindowBits: bits)
    let all = input.bytes
    let split = input.choice()
    let sizes = [Int(split & 15) + 1, Int(split >> 4) * 8 + 1]
    var pieces = Sending(isText: choice & 32 != 0)
    if choice & 64 != 0 { pieces.frames = sizes }
    if choice & 64 == 0 || choice & 128 != 0 { pieces.reads = sizes.reversed() }
    compressAndBack(all, bits: bits, pieces)
    // The bytes as the compressed data of two messages: the second may refer back to the first where a context is kept.
    let first = UnsafeRawBufferPointer(rebasing: input.bytes.prefix(Int(split)))
    let second = UnsafeRawBufferPointer(rebasing: input.bytes.dropFirst(Int(split)))
    var server = Receiver(agreement, bytesMax: bytesMax, Sending(isText: pieces.isText))
    var cut = Receiver(agreement, bytesMax: bytesMax, pieces)
    for (index, payload) in [first, second].enumerated() {
        let outcome = server.receive(payload)
        let inPieces = cut.receive(payload)
        // References beyond a smaller window are found out or not, as the cuts have it; and the header of one large frame says more
        // than those of many small ones.
        let mustAgree = (!takesContextOver || bits == 15) && (pieces.frames.isEmpty || payload.count <= bytesMax)
        if mustAgree { require(inPieces == outcome, "whole: \(outcome)\nin pieces: \(inPieces)") }
        // Where no context is kept, a message means the same whatever came before it.
        if index == 1 && !takesContextOver {
            var fresh = Receiver(agreement, bytesMax: bytesMax, Sending(isText: pieces.isText))
            require(fresh.receive(payload) == outcome, "a trace of the message before")
        }
        guard case .message = outcome, case .message = inPieces else { return 0 }
    }
    return 0
}
