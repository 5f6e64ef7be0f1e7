import CLinux
internal import Crypto
import Glibc

/// The encrypted session of one connection, and what it has encrypted that the socket has not taken. A class, because the payload of an enum can't be
/// changed in place.
///
/// OpenSSL never sees the socket: reading takes everything that has arrived, so nothing is left behind in the session that epoll would not report, and
/// writing always has room. What remains of the interplay is here: while a write waits for the peer's part of the handshake the owner waits for
/// readability, and a peer that makes the session answer but reads nothing is not read from.
final class TLSLink {
    private var session: TLSSession
    private let isServer: Bool
    /// Encrypted bytes that the socket did not take.
    private var unsent: [UInt8] = []
    private var unsentStart = 0
    /// Whether the peer has sent anything.
    private var isBegun = false
    private var isEnded = false

    /// From so many encrypted bytes on they are written, and nothing more is encrypted before the socket has taken all.
    private static var batchBytes: Int { 64 << 10 }
    /// Past so many unsent bytes nothing is read: more than writing leaves behind, so only a peer that keeps the session itself answering gets there.
    private static var unsentBytesMax: Int { 256 << 10 }

    /// The server's end of a connection.
    init(server context: TLSContext) throws(CryptoError) {
        session = try TLSSession(server: context)
        isServer = true
    }

    /// The client's end of a connection to the server of that name.
    init(client context: TLSContext, host: String) throws(CryptoError) {
        session = try TLSSession(client: context, host: host)
        isServer = false
    }

    var unsentCount: Int { unsent.count - unsentStart }
    var isEstablished: Bool { session.isEstablished }

    /// Begins the handshake of a client.
    func start(to socket: borrowing Descriptor, _ shared: borrowing TLSBuffers) -> TransportResult {
        let writing = session.start(shared.wire)
        let flushed = flush(to: socket, shared)
        if case .failed(let sentence) = writing { return .insecure(0, sentence) }
        return flushed
    }

    /// Reads once from the socket; the plain bytes are in `room`.
    func read(
        into room: UnsafeMutableRawBufferPointer, from socket: borrowing Descriptor, _ shared: borrowing TLSBuffers
    ) -> TransportResult {
        if unsentCount > Self.unsentBytesMax { return .needsWritable }
        let received = socket.receive(into: shared.encrypted)
        guard case .moved(let count) = received else { return received }
        let input = UnsafeRawBufferPointer(rebasing: shared.encrypted[0..<count])
        if isServer, !isBegun, Self.looksLikeHTTP(input[0]) {
            room.copyMemory(from: input)
            return .unencrypted(count)
        }
        isBegun = true
        let reading = session.read(input, into: room, shared.wire)
        let flushed = flush(to: socket, shared)
        switch reading {
        case .failed(let count, let sentence): return .insecure(count, sentence)
        case .ended(let count): return count == 0 ? .ended : .movedLast(count)
        case .open(let count):
            if case .failed = flushed { return flushed }
            return count == 0 ? .needsReadable : .moved(count)
        }
    }

    /// Encrypts and writes as much of the pieces as the socket takes, small ones together in one record.
    ///
    /// - Returns: how many plain bytes were taken: the last of them may still wait here (`unsentCount`).
    func write(
        _ pieces: UnsafeMutableBufferPointer<iovec>, to socket: borrowing Descriptor, _ shared: borrowing TLSBuffers
    ) -> TransportResult {
        var taken = 0
        var place = (piece: 0, offset: 0)
        while true {
            // What was encrypted goes out when there is enough for a call, or nothing more to encrypt.
            if shared.wire.outputCount >= Self.batchBytes || unsentCount > 0 || place.piece == pieces.count {
                switch flush(to: socket, shared) {
                case .moved: break
                case .needsWritable: return taken > 0 ? .moved(taken) : .needsWritable
                case let other: return other
                }
                if place.piece == pieces.count { return .moved(taken) }
            }
            let count = gather(pieces, from: &place, shared.record)
            let writing = session.write(UnsafeRawBufferPointer(rebasing: shared.record[0..<count]), shared.wire)
            if writing == .done {
                taken += count
                continue
            }
            let flushed = flush(to: socket, shared)
            if case .failed(let sentence) = writing { return .insecure(0, sentence) }
            if case .moved = flushed { return .needsReadable }
            return flushed
        }
    }

    /// Copies what fits into one record.
    private func gather(
        _ pieces: UnsafeMutableBufferPointer<iovec>, from place: inout (piece: Int, offset: Int), _ record: UnsafeMutableRawBufferPointer
    ) -> Int {
        var filled = 0
        while place.piece < pieces.count, filled < record.count {
            let piece = UnsafeRawBufferPointer(start: pieces[place.piece].iov_base, count: pieces[place.piece].iov_len)
            let count = min(piece.count - place.offset, record.count - filled)
            let part = UnsafeRawBufferPointer(rebasing: piece[place.offset..<place.offset + count])
            UnsafeMutableRawBufferPointer(rebasing: record[filled..<filled + count]).copyMemory(from: part)
            filled += count
            place.offset += count
            if place.offset == piece.count { place = (place.piece + 1, 0) }
        }
        return filled
    }

    /// Writes what is encrypted. Nothing of this session is left on the wire that all share.
    ///
    /// - Returns: `.moved` if nothing is left here either.
    func flush(to socket: borrowing Descriptor, _ shared: borrowing TLSBuffers) -> TransportResult {
        shared.wire.takeOutput { output in
            if unsentCount > 0 {
                unsent.append(contentsOf: output)
                return sendUnsent(to: socket)
            }
            if output.isEmpty { return .moved(0) }
            let result = socket.send(output)
            switch result {
            case .moved(let count) where count == output.count: return result
            case .moved(let count): unsent = Array(output[count...])
            case .needsWritable: unsent = Array(output)
            default: return result
            }
            return .needsWritable
        }
    }

    private func sendUnsent(to socket: borrowing Descriptor) -> TransportResult {
        let result = unsent.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[unsentStart...])) }
        guard case .moved(let count) = result else { return result }
        unsentStart += count
        if unsentCount > 0 { return .needsWritable }
        unsent = []
        unsentStart = 0
        return result
    }

    /// Tells the peer that nothing more comes.
    ///
    /// - Returns: whether the socket has taken everything.
    func endWriting(to socket: borrowing Descriptor, _ shared: borrowing TLSBuffers) -> Bool {
        if !isEnded {
            isEnded = true
            session.end(shared.wire)
        }
        return flush(to: socket, shared) != .needsWritable
    }

    /// A TLS record never begins with a letter; a request to a port that was taken for plain HTTP begins with its method.
    private static func looksLikeHTTP(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}

/// What the encrypted connections of one loop share, so that an idle one has no buffers. Takes no memory of the process before it is used.
struct TLSBuffers: ~Copyable {
    let wire = TLSWire()
    /// What was read from a socket.
    let encrypted: UnsafeMutableRawBufferPointer
    /// Small pieces on their way into one record.
    let record: UnsafeMutableRawBufferPointer

    init() {
        encrypted = .allocate(byteCount: 128 << 10, alignment: 64)
        record = .allocate(byteCount: TLSSession.recordBytesMax, alignment: 64)
    }

    deinit {
        encrypted.deallocate()
        record.deallocate()
    }
}
