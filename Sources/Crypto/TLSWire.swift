internal import COpenSSL

/// The encrypted side of TLS sessions: what came from a socket and what is to be written to it. One serves any number of sessions of a thread, one after the
/// other, so an idle session has no buffer of its own.
public struct TLSWire: ~Copyable {
    struct State {
        var input = UnsafeRawBufferPointer(start: nil, count: 0)
        var output: [UInt8] = []
    }

    /// On the heap, because OpenSSL's callbacks are given the address.
    let state: UnsafeMutablePointer<State>

    /// A wire with nothing on it.
    public init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// How many encrypted bytes wait to be taken.
    public var outputCount: Int { state.pointee.output.count }

    /// Lends the encrypted bytes that are to be written to the socket, then forgets them.
    public func takeOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        defer {
            // A burst leaves no large buffer behind.
            state.pointee.output.removeAll(keepingCapacity: state.pointee.output.capacity <= Self.bytesKeptMax)
        }
        return state.pointee.output.withUnsafeBytes(body)
    }

    private static var bytesKeptMax: Int { 256 << 10 }
}

/// The way between OpenSSL and a `TLSWire`: reading takes from its input, and asks to come again when that is empty; writing always succeeds.
enum TLSWireMethod {
    /// Made once and never changed.
    nonisolated(unsafe) static let shared: OpaquePointer? = make()

    private static func make() -> OpaquePointer? {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire") else { return nil }
        BIO_meth_set_create(method) { bio in
            BIO_set_init(bio, 1)
            return 1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        BIO_meth_set_read(method) { bio, room, count in
            BIO_clear_flags(bio, TLSWireMethod.retryFlags)
            guard let room, count > 0, let state = TLSWireMethod.state(of: bio), !state.pointee.input.isEmpty else {
                BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
            let taken = min(Int(count), state.pointee.input.count)
            UnsafeMutableRawPointer(room).copyMemory(from: state.pointee.input.baseAddress.unsafelyUnwrapped, byteCount: taken)
            state.pointee.input = UnsafeRawBufferPointer(rebasing: state.pointee.input[taken...])
            return Int32(taken)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bytes, count > 0, let state = TLSWireMethod.state(of: bio) else { return 0 }
            state.pointee.output.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        return method
    }

    private static let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

    private static func state(of bio: OpaquePointer?) -> UnsafeMutablePointer<TLSWire.State>? {
        BIO_get_data(bio)?.assumingMemoryBound(to: TLSWire.State.self)
    }
}
