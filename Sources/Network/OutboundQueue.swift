import Bytes
import CLinux

/// What waits to be written to one socket, in order. Holds no memory while it is empty.
///
/// A shared frame is held by reference, so a broadcast stores its bytes once. A connection's own small answers lie one behind the other in the loop's
/// arena for the turn, and are copied out only if the socket did not take them.
struct OutboundQueue: ~Copyable {
    struct Segment {
        /// Keeps the bytes alive; empty where they lie in the arena.
        var owner: SharedBytes
        /// Where the rest begins: an offset into the owner's bytes or into the arena.
        var start: Int
        /// How many bytes are left.
        var count: Int32
        /// Whether somebody wants to know when the last byte has been handed over.
        var isMarked: Bool
        /// Whether a part has been written: what is left must follow, or the peer sees half a frame.
        var isBegun: Bool

        var isInArena: Bool { owner.isEmpty }
    }

    /// How many segments the pooled blocks hold.
    static var blockSegments: Int { 8 }
    /// What a segment costs beside its bytes, counted against the limit so that many tiny ones can't get around it.
    static var segmentOverhead: Int { 64 }

    private(set) var segments: UnsafeMutablePointer<Segment>?
    private var head: Int32 = 0
    private var tail: Int32 = 0
    private var capacity: Int32 = 0
    /// How many segments lie in the arena.
    private var arenaCount: Int32 = 0
    /// How many bytes wait.
    private(set) var byteCount = 0

    var isEmpty: Bool { head == tail }
    var count: Int { Int(tail - head) }

    /// What the queue counts against the limit: all that waits behind the piece which is on its way. One message may be larger than
    /// the limit without its reader being slow.
    var backlogCost: Int {
        guard let segments, !isEmpty else { return 0 }
        return byteCount - Int(segments[Int(head)].count) + (count - 1) * Self.segmentOverhead
    }

    mutating func append(_ bytes: SharedBytes, pool: inout SegmentPool) {
        push(Segment(owner: bytes, start: 0, count: Int32(bytes.count), isMarked: false, isBegun: false), pool: &pool)
    }

    /// Adds `count` bytes that lie in the arena at `offset`; joins them to the last segment where they follow it directly.
    mutating func append(arenaOffset offset: Int, count: Int, pool: inout SegmentPool) {
        if let segments, !isEmpty {
            let last = segments + Int(tail - 1)
            if last.pointee.isInArena, !last.pointee.isMarked, last.pointee.start + Int(last.pointee.count) == offset {
                last.pointee.count += Int32(count)
                byteCount += count
                return
            }
        }
        arenaCount += 1
        push(Segment(owner: SharedBytes(), start: offset, count: Int32(count), isMarked: false, isBegun: false), pool: &pool)
    }

    /// Marks the last segment. The queue must not be empty.
    mutating func markLast() {
        segments?[Int(tail - 1)].isMarked = true
    }

    /// Lays out the first segments for a write of so many bytes at most.
    ///
    /// - Returns: how many pieces were filled in, and the bytes in them.
    func fill(
        _ pieces: UnsafeMutableBufferPointer<iovec>, arena: UnsafeMutableRawPointer, bytesMax: Int = .max
    ) -> (pieces: Int, bytes: Int) {
        guard let segments else { return (0, 0) }
        var filled = 0
        var bytes = 0
        for index in Int(head)..<Int(tail) where filled < pieces.count && bytes < bytesMax {
            let segment = segments + index
            let base = segment.pointee.owner.unsafeAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? arena
            let count = min(Int(segment.pointee.count), bytesMax - bytes)
            pieces[filled] = iovec(iov_base: base + segment.pointee.start, iov_len: count)
            filled += 1
            bytes += count
        }
        return (filled, bytes)
    }

    /// Drops the first `written` bytes.
    ///
    /// - Returns: how many marked segments were among those that are complete now.
    mutating func remove(_ written: Int, pool: inout SegmentPool) -> Int {
        guard let segments else { return 0 }
        byteCount -= written
        var left = written
        var marks = 0
        while left > 0 {
            let first = segments + Int(head)
            if left < Int(first.pointee.count) {
                first.pointee.start += left
                first.pointee.count -= Int32(left)
                first.pointee.isBegun = true
                break
            }
            left -= Int(first.pointee.count)
            if first.pointee.isMarked { marks += 1 }
            if first.pointee.isInArena { arenaCount -= 1 }
            first.deinitialize(count: 1)
            head += 1
        }
        if isEmpty { giveBack(to: &pool) }
        return marks
    }

    /// Copies out of the arena whatever still lies there: its memory is about to be used again.
    mutating func leaveArena(_ arena: UnsafeMutableRawPointer) {
        guard let segments else { return }
        // They came in this turn, so the search starts at the back.
        var index = Int(tail)
        while arenaCount > 0 {
            index -= 1
            guard segments[index].isInArena else { continue }
            let bytes = UnsafeRawBufferPointer(start: arena + segments[index].start, count: Int(segments[index].count))
            segments[index].owner = SharedBytes(copying: bytes)
            segments[index].start = 0
            arenaCount -= 1
        }
    }

    /// Drops all that waits but the rest of a segment that has begun: the peer sees whole frames only.
    mutating func discard(pool: inout SegmentPool) {
        guard let segments, !isEmpty else { return }
        let kept: Int32 = segments[Int(head)].isBegun ? 1 : 0
        arenaCount = kept == 1 && segments[Int(head)].isInArena ? 1 : 0
        (segments + Int(head + kept)).deinitialize(count: Int(tail - head - kept))
        tail = head + kept
        byteCount = kept == 1 ? Int(segments[Int(head)].count) : 0
        if isEmpty { giveBack(to: &pool) }
    }

    /// Drops everything.
    mutating func removeAll(pool: inout SegmentPool) {
        guard let segments else { return }
        (segments + Int(head)).deinitialize(count: count)
        head = tail
        byteCount = 0
        arenaCount = 0
        giveBack(to: &pool)
    }

    private mutating func push(_ segment: consuming Segment, pool: inout SegmentPool) {
        byteCount += Int(segment.count)
        if tail == capacity { makeRoom(pool: &pool) }
        (segments.unsafelyUnwrapped + Int(tail)).initialize(to: segment)
        tail += 1
    }

    private mutating func makeRoom(pool: inout SegmentPool) {
        guard let old = segments else {
            segments = pool.take()
            capacity = Int32(Self.blockSegments)
            return
        }
        // Moving to the front is enough where half the room is free there.
        if head >= capacity / 2 {
            old.moveInitialize(from: old + Int(head), count: count)
        } else {
            let larger = UnsafeMutablePointer<Segment>.allocate(capacity: Int(capacity) * 2)
            larger.moveInitialize(from: old + Int(head), count: count)
            release(old, to: &pool)
            segments = larger
            capacity *= 2
        }
        tail -= head
        head = 0
    }

    private mutating func giveBack(to pool: inout SegmentPool) {
        if let segments { release(segments, to: &pool) }
        segments = nil
        head = 0
        tail = 0
        capacity = 0
    }

    private func release(_ block: UnsafeMutablePointer<Segment>, to pool: inout SegmentPool) {
        if capacity == Int32(Self.blockSegments) { pool.put(block) } else { block.deallocate() }
    }

    deinit {
        if let segments {
            (segments + Int(head)).deinitialize(count: count)
            segments.deallocate()
        }
    }
}

/// Blocks of segments that queues borrow while they are not empty: in the steady state nothing is allocated for a message.
struct SegmentPool: ~Copyable {
    /// Beyond so many, blocks go back to the system: a burst over all connections leaves no more than this behind.
    private static var sparesMax: Int { 4096 }
    private var spares: [UnsafeMutablePointer<OutboundQueue.Segment>] = []

    mutating func take() -> UnsafeMutablePointer<OutboundQueue.Segment> {
        spares.popLast() ?? .allocate(capacity: OutboundQueue.blockSegments)
    }

    mutating func put(_ block: UnsafeMutablePointer<OutboundQueue.Segment>) {
        if spares.count < Self.sparesMax { spares.append(block) } else { block.deallocate() }
    }

    deinit {
        for block in spares { block.deallocate() }
    }
}
