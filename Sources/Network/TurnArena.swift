/// The bytes that connections were sent in this turn and that belong to nobody else. Emptied when the turn's output has been written.
struct TurnArena: ~Copyable {
    /// Past so many bytes the loop writes its output before it goes on: what one turn collects stays in the processor's cache.
    static var flushBytes: Int { 256 << 10 }
    /// From so many bytes on, a piece gets memory of its own.
    static var pieceBytesMax: Int { 32 << 10 }

    private(set) var base = UnsafeMutableRawPointer.allocate(byteCount: flushBytes, alignment: 16)
    private var capacity = flushBytes
    private(set) var count = 0

    var isFull: Bool { count >= Self.flushBytes / 2 }

    /// Adds a copy of `bytes`.
    ///
    /// - Returns: the offset at which it lies.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        if count + bytes.count > capacity { grow(to: count + bytes.count) }
        let offset = count
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
        return offset
    }

    /// Makes all of it free again. Offsets into it are void from here on.
    mutating func removeAll() {
        count = 0
        guard capacity > Self.flushBytes else { return }
        base.deallocate()
        base = .allocate(byteCount: Self.flushBytes, alignment: 16)
        capacity = Self.flushBytes
    }

    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: max(needed, capacity * 2), alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
        capacity = max(needed, capacity * 2)
    }

    deinit {
        base.deallocate()
    }
}
