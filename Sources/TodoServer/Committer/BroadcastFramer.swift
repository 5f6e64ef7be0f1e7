import Bytes
import Synchronization
import WebSocket

/// Frames texts, and compresses them if anybody takes that. Belongs to one thread.
struct TextFramer: ~Copyable {
    /// Smaller texts are not compressed: what they would save is less than the work on both sides is worth.
    static let compressedBytesMin = 256

    private let status: ServerStatus
    private var codec: LoopCodec

    /// A framer that compresses texts up to that size while `status` counts sessions that take compressed messages.
    init(status: ServerStatus, compressedBytesMax: Int = .max) {
        self.status = status
        codec = LoopCodec(compressedBytesMax: compressedBytesMax)
    }

    mutating func frame(_ text: SharedBytes) -> SharedMessage {
        text.withUnsafeBytes { bytes in
            guard bytes.count >= Self.compressedBytesMin, status.deflatingSessions.load(ordering: .relaxed) > 0 else {
                return SharedMessage(frame: SharedFrame.text(bytes), payloadCount: bytes.count)
            }
            status.broadcastsCompressed.add(1, ordering: .relaxed)
            return SharedMessage(text: bytes, &codec)
        }
    }
}

/// Frames what goes to many sessions: each text once a turn, and compressed once, however many loops and sessions it goes to. Belongs to the committer's thread.
struct BroadcastFramer: ~Copyable {
    private let status: ServerStatus
    private var framer: TextFramer
    /// This turn's messages by the address of their text, which is kept so that no other text can get that address.
    private var messages: [UnsafeRawPointer: (text: SharedBytes, message: SharedMessage)] = [:]
    /// Messages that other sessions get in later turns, in the same way, with the turn in which each was last asked for.
    private var kept: [UnsafeRawPointer: (text: SharedBytes, message: SharedMessage, turn: Int)] = [:]
    private var keptBytes = 0
    private var turn = 0

    /// A framer that compresses while `status` counts sessions that take compressed messages.
    init(status: ServerStatus) {
        self.status = status
        framer = TextFramer(status: status, compressedBytesMax: Self.compressedBytesMax)
    }

    /// The text as a message: the same one for every loop until the turn ends.
    mutating func message(_ text: SharedBytes) -> SharedMessage {
        guard let address = text.unsafeAddress else {
            return SharedMessage(frame: SharedFrame.text(UnsafeRawBufferPointer(start: nil, count: 0)), payloadCount: 0)
        }
        if let known = messages[address] { return known.message }
        let message = framer.frame(text)
        if status.loops.count > 1 { messages[address] = (text, message) }
        return message
    }

    /// The text as a message that is asked for in later turns too: a short first list, or what happened since a version, which each session comes to at its own pace.
    mutating func lasting(_ text: SharedBytes) -> SharedMessage {
        guard let address = text.unsafeAddress else { return message(text) }
        if let known = kept[address] {
            kept[address]?.turn = turn
            return known.message
        }
        let message = framer.frame(text)
        kept[address] = (text, message, turn)
        keptBytes += Self.size(text, message)
        return message
    }

    /// Forgets the messages of this turn, and those that nobody has asked for in a while.
    mutating func endTurn() {
        if !messages.isEmpty { messages.removeAll(keepingCapacity: true) }
        turn += 1
        guard !kept.isEmpty, keptBytes > Self.keptBytesMax || turn % Self.turnsKept == 0 else { return }
        let oldest = keptBytes > Self.keptBytesMax ? turn - 1 : turn - Self.turnsKept
        kept = kept.filter { $0.value.turn >= oldest }
        keptBytes = kept.values.reduce(0) { $0 + Self.size($1.text, $1.message) }
    }

    /// Commits wait for no more than this, some 5 ms: a larger message goes out as it is.
    private static let compressedBytesMax = 256 << 10
    /// A crowd takes a part within a few turns.
    private static let turnsKept = 64
    /// Past so many bytes only what this turn asked for stays.
    private static let keptBytesMax = 32 << 20

    private static func size(_ text: SharedBytes, _ message: SharedMessage) -> Int {
        text.count + message.frame.count + (message.compressedFrame?.count ?? 0)
    }
}
