import Network

/// What was read from one connection and has yet to be taken: in memory of its own, because the loop reads the next connection into its buffer.
///
/// It is at most what one read brings, as nothing more is read before all of it is taken; only of a connection that is broken already more may come.
final class UnreadInput {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var first = 0
    private var end = 0

    /// What is left. As in the loop's buffer, `EventLoop.readPaddingBytes` readable bytes follow, and it may be changed in place.
    var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[first..<end]) }

    /// Adds what was read next.
    func append(_ further: UnsafeRawBufferPointer) {
        let rest = UnsafeRawBufferPointer(bytes)
        let count = rest.count + further.count
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count + EventLoop.readPaddingBytes, alignment: 16)
        larger.initializeMemory(as: UInt8.self, repeating: 0)
        larger.copyBytes(from: rest)
        UnsafeMutableRawBufferPointer(rebasing: larger[rest.count...]).copyBytes(from: further)
        memory.deallocate()
        memory = larger
        first = 0
        end = count
    }

    /// Drops what was taken.
    func drop(_ count: Int) {
        first += count
    }

    deinit { memory.deallocate() }
}
