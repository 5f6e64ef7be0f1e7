/// A growing run of bytes with one owner.
///
/// An empty writer holds no memory. `finish()` turns what was written into `SharedBytes`; `removeAll()` keeps the
/// memory for the next use.
public struct ByteWriter: ~Copyable {
    @usableFromInline var storage: ByteStorage?
    /// `storage`'s first byte, kept beside it so that writing does not go through the object.
    @usableFromInline var address: UnsafeMutableRawPointer?
    @usableFromInline var used = 0
    @usableFromInline var room = 0

    /// An empty writer, which allocates at the first byte.
    @inlinable public init() {}

    /// An empty writer with room for `capacity` bytes.
    @inlinable public init(capacity: Int) {
        reserve(capacity)
    }

    /// How many bytes have been written.
    @inlinable public var count: Int { used }

    /// Whether nothing has been written.
    @inlinable public var isEmpty: Bool { used == 0 }

    /// How many bytes fit before more memory is needed.
    @inlinable public var capacity: Int { room }

    /// Makes sure that `extra` more bytes fit, growing to at least twice the size if they don't.
    @inlinable public mutating func reserve(_ extra: Int) {
        if room - used < extra { grow(extra) }
    }

    @usableFromInline mutating func grow(_ extra: Int) {
        precondition(extra >= 0 && extra < Int.max / 4, "a writer can't grow by \(extra) bytes")
        let grown = ByteStorage.make(capacity: max(64, used + extra, used + used))
        if let address { grown.address.copyMemory(from: address, byteCount: used) }
        storage = grown
        address = grown.address
        room = grown.header
    }

    /// Appends one byte.
    @inlinable public mutating func append(_ byte: UInt8) {
        reserve(1)
        address.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
    }

    /// Appends a whole number in network byte order (most significant byte first).
    @inlinable public mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        let size = MemoryLayout<Integer>.size
        reserve(size)
        address.unsafelyUnwrapped.storeBytes(of: value.bigEndian, toByteOffset: used, as: Integer.self)
        used += size
    }

    /// Appends `byteCount` bytes from `source`.
    @inlinable public mutating func append(_ source: UnsafeRawPointer, count byteCount: Int) {
        guard byteCount > 0 else { return }
        reserve(byteCount)
        (address.unsafelyUnwrapped + used).copyMemory(from: source, byteCount: byteCount)
        used += byteCount
    }

    /// Appends the bytes of a buffer.
    @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        append(source, count: bytes.count)
    }

    /// Appends shared bytes (as a copy).
    @inlinable public mutating func append(_ bytes: SharedBytes) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends the bytes of an array.
    @inlinable public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a literal's bytes.
    @inlinable public mutating func append(_ text: StaticString) {
        precondition(text.hasPointerRepresentation, "a literal of one scalar has no bytes to copy: append the byte")
        append(text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// Appends a text's UTF-8 bytes.
    @inlinable public mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a whole number in decimal digits.
    @inlinable public mutating func append(decimal value: Int64) {
        reserve(20)
        used = writeDecimal(value, to: address.unsafelyUnwrapped + used) - address.unsafelyUnwrapped
    }

    /// Appends up to `capacity` bytes that `body` writes itself; it returns how many it wrote.
    @inlinable public mutating func append<Failure: Error>(
        upTo byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        reserve(byteCount)
        let written = try body(UnsafeMutableRawBufferPointer(start: address.map { $0 + used }, count: byteCount))
        precondition(written >= 0 && written <= byteCount, "more was written than there was room for")
        used += written
    }

    /// Overwrites the byte at `offset`, which must have been written.
    @inlinable public mutating func patch(_ byte: UInt8, at offset: Int) {
        precondition(offset >= 0 && offset < used, "only a written byte can be patched")
        address.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Overwrites a whole number in network byte order at `offset`; its bytes must have been written.
    @inlinable public mutating func patch<Integer: FixedWidthInteger>(bigEndian value: Integer, at offset: Int) {
        precondition(offset >= 0 && offset <= used - MemoryLayout<Integer>.size, "only written bytes can be patched")
        address.unsafelyUnwrapped.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Integer.self)
    }

    /// Forgets what was written and keeps the memory.
    @inlinable public mutating func removeAll() {
        used = 0
    }

    /// Forgets what was written after the first `count` bytes.
    @inlinable public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= used, "a writer can only be cut to what it holds")
        used = count
    }

    /// Drops the first `count` bytes and moves the others to the front.
    @inlinable public mutating func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= used, "a writer can only drop what it holds")
        guard count > 0, let address else { return }
        used -= count
        address.copyMemory(from: address + count, byteCount: used)
    }

    /// Forgets what was written and gives the memory back.
    @inlinable public mutating func release() {
        storage = nil
        address = nil
        used = 0
        room = 0
    }

    /// What was written, as shared bytes; the writer is empty afterwards.
    ///
    /// The memory is handed over without a copy unless more than a fifth of it is unused: then the bytes are copied into memory
    /// of their own size and the writer keeps the larger one.
    @inlinable public mutating func finish() -> SharedBytes {
        guard used > 0 else { return SharedBytes() }
        if room - used > used / 4 + 32 {
            let copy = withUnsafeBytes { SharedBytes(copying: $0) }
            used = 0
            return copy
        }
        let finished = SharedBytes(storage: storage, used: used)
        release()
        return finished
    }

    /// Lends what has been written; the pointer is valid during the call only.
    @inlinable public borrowing func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(storage) }
        return try body(UnsafeRawBufferPointer(start: address, count: used))
    }

    /// Lends what has been written, to be changed in place; the pointer is valid during the call only.
    @inlinable public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(storage) }
        return try body(UnsafeMutableRawBufferPointer(start: address, count: used))
    }
}
