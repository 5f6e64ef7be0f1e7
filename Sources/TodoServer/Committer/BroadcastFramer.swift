import Bytes
import Synchronization
import WebSocket

/// Frames what goes to many sessions: each text once a turn, and compressed once, however many loops and sessions it goes to. Belongs to the committer's thread.
struct BroadcastFramer: ~Copyable {
    /// Smaller texts are not compressed: what they would save is less than the work on both sides is worth.
    static let compressedBytesMin = 256

    private let status: ServerStatus
    private var codec = LoopCodec()
    /// This turn's messages by the address of their text, which is kept so that no other text can get that address.
    private var messages: [UnsafeRawPointer: (text: SharedBytes, message: SharedMessage)] = [:]

    /// A framer that compresses while `status` counts sessions that take compressed messages.
    init(status: ServerStatus) {
        self.status = status
    }

    /// The text as a message: the same one for every loop until the turn ends.
    mutating func message(_ text: SharedBytes) -> SharedMessage {
        guard let address = text.unsafeAddress else {
            return SharedMessage(frame: SharedFrame.text(UnsafeRawBufferPointer(start: nil, count: 0)), payloadCount: 0)
        }
        if let known = messages[address] { return known.message }
        let message = text.withUnsafeBytes { frame($0) }
        if status.loops.count > 1 { messages[address] = (text, message) }
        return message
    }

    /// Forgets the messages of this turn.
    mutating func endTurn() {
        if !messages.isEmpty { messages.removeAll(keepingCapacity: true) }
    }

    private mutating func frame(_ text: UnsafeRawBufferPointer) -> SharedMessage {
        guard text.count >= Self.compressedBytesMin, status.deflatingSessions.load(ordering: .relaxed) > 0 else {
            return SharedMessage(frame: SharedFrame.text(text), payloadCount: text.count)
        }
        status.broadcastsCompressed.add(1, ordering: .relaxed)
        return SharedMessage(text: text, &codec)
    }
}
