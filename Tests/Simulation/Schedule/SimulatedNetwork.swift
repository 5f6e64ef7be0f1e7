import TestSupport

/// One direction of a simulated connection: bytes that are under way, up to what socket buffers hold.
final class Pipe {
    /// Draws how the bytes of this direction are cut and delayed: apart from all others, so that no order among them matters.
    var random: SplitMix
    /// What may be under way at once.
    let capacity: Int
    private var bytes: [UInt8] = []
    private var start = 0
    /// After so many more bytes the connection is cut.
    var bytesToCut: Int?
    /// The reader takes nothing before then.
    var stalledUntil: Int64 = 0
    /// Whether a delivery is planned already.
    var isDelivering = false
    /// Nothing comes through any more; the writer need not know.
    private(set) var isCut = false
    /// The writer is done: behind the last byte the reader sees the end.
    var isEnded = false

    init(capacity: Int, random: SplitMix) {
        self.capacity = capacity
        self.random = random
    }

    var count: Int { bytes.count - start }
    var room: Int { isCut ? .max : max(0, capacity - count) }

    /// Puts bytes on their way; on a cut line they are lost.
    func write(_ more: some Sequence<UInt8>) {
        if !isCut { bytes.append(contentsOf: more) }
    }

    func cut() {
        isCut = true
        bytes = []
        start = 0
    }

    /// The next piece that arrives, of a random size; empty where there is none.
    ///
    /// - Returns: the piece, and whether the connection breaks behind it.
    func take() -> (piece: [UInt8], breaks: Bool) {
        let most = [1, 7, 60, 1000, 20_000][random.next(upTo: 5)]
        var size = min(count, 1 + random.next(upTo: most))
        var breaks = false
        if let left = bytesToCut {
            if size >= left {
                size = left
                breaks = true
            }
            bytesToCut = left - size
        }
        let piece = Array(bytes[start..<(start + size)])
        start += size
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        }
        return (piece, breaks)
    }

    /// How long the next piece takes.
    func delay() -> Int64 { Int64([0, 0, 1, 3, 40][random.next(upTo: 5)]) }
}

/// A connection between a client and the server.
final class Link {
    let number: UInt64
    let client: Int
    let toServer: Pipe
    let toClient: Pipe
    /// Whether that end has learnt that the connection is over.
    var isOverAtServer = false
    var isOverAtClient = false

    init(number: UInt64, client: Int, _ random: inout SplitMix) {
        self.number = number
        self.client = client
        toServer = Pipe(capacity: .max, random: SplitMix(seed: random.next()))
        toClient = Pipe(capacity: [300, 2000, 60_000][random.next(upTo: 3)], random: SplitMix(seed: random.next()))
        // Some connections end at a byte that is drawn when they begin.
        switch random.next(upTo: 10) {
        case 0: toServer.bytesToCut = 1 + random.next(upTo: [200, 1500][random.next(upTo: 2)])
        case 1: toClient.bytesToCut = 1 + random.next(upTo: [300, 5000][random.next(upTo: 2)])
        default: break
        }
    }

    func pipe(_ direction: Direction) -> Pipe { direction == .toServer ? toServer : toClient }
}

/// Which way bytes go.
enum Direction {
    case toServer
    case toClient
}
