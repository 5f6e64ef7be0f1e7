/// Immutable bytes on the heap, shared by reference: one allocation, counted, safe to hand to another thread.
///
/// One encoded frame is one `SharedBytes`, however many connections it goes to. Copying the value copies a reference.
public struct SharedBytes: Sendable {
    /// Never written after `init`, or never written again once `ByteWriter` has handed it over: that is what makes
    /// sharing it between threads sound, which the compiler can't see through the pointers of `ManagedBuffer`.
    @usableFromInline nonisolated(unsafe) let storage: ByteStorage?
    @usableFromInline let used: Int

    @inlinable init(storage: ByteStorage?, used: Int) {
        self.storage = storage
        self.used = used
    }

    /// No bytes; takes no memory.
    @inlinable public init() {
        self.init(storage: nil, used: 0)
    }

    /// A copy of `bytes`.
    @inlinable public init(copying bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else {
            self.init()
            return
        }
        let storage = ByteStorage.make(capacity: bytes.count)
        storage.address.copyMemory(from: source, byteCount: bytes.count)
        self.init(storage: storage, used: bytes.count)
    }

    /// A copy of the array's bytes.
    @inlinable public init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { SharedBytes(copying: $0) }
    }

    /// The text's UTF-8 bytes.
    @inlinable public init(utf8 text: String) {
        var text = text
        self = text.withUTF8 { SharedBytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// How many bytes.
    @inlinable public var count: Int { used }

    /// Whether there are none.
    @inlinable public var isEmpty: Bool { used == 0 }

    /// The byte at `index`, which must lie in `0..<count`.
    @inlinable public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < used, "index outside the shared bytes")
        return withUnsafeBytes { $0[index] }
    }

    /// Lends the bytes; the pointer is valid during the call only.
    @inlinable public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let storage else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        defer { extendLifetime(storage) }
        return try body(UnsafeRawBufferPointer(start: storage.address, count: used))
    }

    /// Where the bytes are, for a system call that takes addresses. Valid as long as the caller keeps a copy of this value.
    @inlinable public var unsafeAddress: UnsafeRawPointer? {
        guard let storage else { return nil }
        return UnsafeRawPointer(storage.address)
    }

    /// The bytes as an array.
    @inlinable public var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// The bytes as text; what is not UTF-8 becomes U+FFFD.
    @inlinable public var string: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

extension SharedBytes: Hashable {
    /// Compares the bytes, not the reference.
    @inlinable public static func == (one: SharedBytes, other: SharedBytes) -> Bool {
        guard one.used == other.used else { return false }
        return one.storage === other.storage || one.withUnsafeBytes { a in other.withUnsafeBytes { b in a.elementsEqual(b) } }
    }

    /// Hashes the bytes.
    @inlinable public func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension SharedBytes: CustomStringConvertible {
    /// The number of bytes; the content may be secret, and is left out.
    public var description: String { "SharedBytes(\(used))" }
}

/// The heap object behind `SharedBytes` and `ByteWriter`: the bytes stand right behind its header.
@usableFromInline final class ByteStorage: ManagedBuffer<Int, UInt8> {
    @inlinable static func make(capacity: Int) -> ByteStorage {
        unsafeDowncast(ByteStorage.create(minimumCapacity: capacity) { _ in capacity }, to: ByteStorage.self)
    }

    /// The first byte. The bytes live as long as the object does and don't move.
    @inlinable var address: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
}
