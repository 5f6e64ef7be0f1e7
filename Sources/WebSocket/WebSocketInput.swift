/// Bytes that were read from a socket, on their way through `WebSocketConnection.next`.
///
/// The memory is the event loop's own read buffer: payloads are unmasked in place and lent out from it, so it must stay
/// as it is until `next` has answered `.needsBytes`.
public struct WebSocketInput {
    private var rest: UnsafeMutableRawBufferPointer
    /// How many frames have begun in this input.
    public internal(set) var frames = 0
    /// How many of them bring nothing of a message: pings, pongs and empty fragments.
    public internal(set) var emptyFrames = 0
    /// How many pings of this input have been answered, or passed over.
    var pongs = 0
    /// After so many pings in one input, a ping that another one follows at once is not answered.
    static let pongsMax = 32

    /// What was read.
    public init(_ bytes: UnsafeMutableRawBufferPointer) {
        rest = bytes
    }

    /// How many bytes have not been looked at.
    public var count: Int { rest.count }

    var isEmpty: Bool { rest.isEmpty }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rest) }

    /// Takes the first `count` bytes off.
    mutating func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let taken = UnsafeMutableRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        return taken
    }

    /// Whether a whole ping comes next.
    func continuesWithPing(isMasked: Bool) -> Bool {
        guard rest.count >= 2, rest[0] == 0x80 | Opcode.ping.rawValue, (rest[1] & 0x80 != 0) == isMasked else { return false }
        let length = Int(rest[1] & 0x7F)
        return length <= 125 && rest.count >= 2 + (isMasked ? 4 : 0) + length
    }

    mutating func takeAll() {
        rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}
