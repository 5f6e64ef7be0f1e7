import Bytes
import WebSocket

/// What a connection made of its input.
private struct Trace: Equatable {
    var events: [[UInt8]] = []
    var output: [UInt8] = []
    var state = WebSocketConnection.State.open
    var pings = 0

    mutating func note(_ kind: String, _ payload: UnsafeRawBufferPointer) {
        events.append(Array(kind.utf8) + Array(payload))
    }
}

private struct Setup {
    var options: WebSocketConnection.Options
    var deflate: DeflateAgreement?
    /// This side begins to close before it reads.
    var closesFirst: Bool

    init(_ choice: UInt8) {
        options = .init(messageBytesMax: choice & 1 == 0 ? 1 << 16 : 100, isTextOnly: choice & 2 != 0)
        // A peer that does not keep to a smaller window is found out or not, as the cuts have it: that is for the target `inflate`.
        if choice & 4 != 0 { deflate = DeflateAgreement(peerTakesContextOver: choice & 8 != 0) }
        closesFirst = choice & 32 != 0
    }
}

private func trace(_ bytes: UnsafeRawBufferPointer, cutAt sizes: [Int], _ setup: Setup) -> Trace {
    var connection = WebSocketConnection(role: .server, options: setup.options, deflate: setup.deflate)
    var codec = LoopCodec()
    var output = ByteWriter()
    var trace = Trace()
    if setup.closesFirst { connection.close(.goingAway, "bye", &codec, &output) }
    FuzzInput.feed(bytes, cutAt: sizes) { piece in
        var input = WebSocketInput(piece)
        while true {
            switch connection.next(&input, &codec, &output) {
            case .needsBytes:
                require(input.count == 0, "input is left over")
                return true
            case .text(let payload):
                require(String(validating: payload, as: UTF8.self) != nil, "a text that is not UTF-8")
                require(payload.count <= setup.options.messageBytesMax, "a text of \(payload.count) bytes")
                require(!setup.closesFirst, "a message while closing")
                trace.note("text ", payload)
            case .binary(let payload):
                require(!setup.options.isTextOnly, "a binary message")
                require(payload.count <= setup.options.messageBytesMax, "a message of \(payload.count) bytes")
                trace.note("binary ", payload)
            case .ping(let payload):
                require(payload.count <= 125, "a ping of \(payload.count) bytes")
                trace.pings += 1
                trace.note("ping ", payload)
            case .pong(let payload): trace.note("pong ", payload)
            case .closed(let closure):
                trace.events.append(Array("closed \(closure.code) \(closure.startedByPeer) \(closure.reason)".utf8))
                require(connection.state == .closed, "not closed")
            case .failed(let fault):
                require([1002, 1003, 1007, 1009].contains(fault.code.rawValue), "an undeclared code \(fault)")
                trace.events.append(Array("failed \(fault.code) \(fault.sentence)".utf8))
                require(connection.state == .failed, "not failed")
            }
        }
    }
    // What a peer can make this side hold is bounded by the message it may send, and where it does not take its context over by what it
    // has sent; and by zlib's memory.
    let takesContextOver = setup.deflate?.peerTakesContextOver == true
    let zlibBytesMax = setup.deflate == nil ? 0 : 40 << 10
    let payloadMax = 2 * setup.options.messageBytesMax + 4096
    let bytesMax = (takesContextOver ? payloadMax : min(payloadMax, 2 * bytes.count + 64)) + zlibBytesMax
    require(connection.heldBytes <= bytesMax, "\(connection.heldBytes) bytes are held")
    if !connection.isInMessage && !takesContextOver {
        require(connection.heldBytes == 0, "\(connection.heldBytes) bytes are held for nothing")
    }
    trace.state = connection.state
    trace.output = output.finish().array
    return trace
}

/// A client reads what the server wrote, whole.
private func verifyOutput(_ trace: Trace) {
    var client = WebSocketConnection(role: .client)
    var codec = LoopCodec()
    var answers = ByteWriter()
    FuzzInput.feed(trace.output.withUnsafeBytes { $0 }, cutAt: []) { piece in
        var input = WebSocketInput(piece)
        while true {
            switch client.next(&input, &codec, &answers) {
            case .needsBytes: return true
            case .failed(let fault): fatalError("the client refuses what was written: \(fault)")
            case .text, .binary, .ping: fatalError("nobody sent a message or a ping")
            case .pong, .closed: continue
            }
        }
    }
    let isOver = trace.state == .closed || trace.state == .failed || trace.state == .closing
    require((client.state == .closed) == isOver, "the client is \(client.state), the server \(trace.state)")
    require(!client.isInMessage, "half a frame was written")
}

/// Frames from a client, cut as the fuzzer likes: the same comes out however they are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let setup = Setup(input.choice())
    let sizes = input.cuts()
    let whole = trace(input.bytes, cutAt: [], setup)
    var cut = trace(input.bytes, cutAt: sizes, setup)
    verifyOutput(whole)
    verifyOutput(cut)
    // Of many pings in one input some are passed over: then the answers depend on how the input is cut.
    if whole.pings > 32 { cut.output = whole.output }
    require(whole == cut, "whole: \(whole)\ncut: \(cut)")
    return 0
}
