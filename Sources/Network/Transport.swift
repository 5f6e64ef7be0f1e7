import CLinux
internal import Crypto
import Glibc

/// What one attempt to read or write came to.
enum TransportResult: Equatable {
    /// So many bytes were moved; fewer than asked for in a write means that the rest would block.
    case moved(Int)
    /// So many bytes were read, then the peer ended its side in order, although its socket may still be open.
    case movedLast(Int)
    /// Nothing can be moved before the socket is readable.
    case needsReadable
    /// Nothing can be moved before the socket is writable.
    case needsWritable
    /// The peer has ended its side in order.
    case ended
    /// The connection is broken: the value of `errno`.
    case failed(Int32)
    /// The encryption failed after so many bytes, in words.
    case insecure(Int, String)
    /// So many bytes were read that are no TLS but look like an HTTP request. Nothing came before.
    case unencrypted(Int)
}

/// The way bytes take between a connection and its socket: as they are, or through an encrypted session, whose reads may need a writable socket and whose
/// writes may need a readable one.
struct Transport: ~Copyable {
    let descriptor: Descriptor
    /// The encrypted session, if there is one.
    private(set) var link: TLSLink?

    /// Bytes go as they are.
    static func plain(_ descriptor: consuming Descriptor) -> Transport {
        Transport(descriptor: descriptor, link: nil)
    }

    /// Bytes go through the encrypted session.
    static func secure(_ descriptor: consuming Descriptor, _ link: TLSLink) -> Transport {
        Transport(descriptor: descriptor, link: link)
    }

    /// The socket's number, for epoll.
    var number: Int32 { descriptor.number }

    /// Bytes that the owner has handed over and the socket has not taken yet.
    var unsentCount: Int { link?.unsentCount ?? 0 }

    /// Goes on without encryption.
    mutating func becomePlain() {
        link = nil
    }

    /// Begins the handshake of a client.
    func start(_ shared: borrowing TLSBuffers) -> TransportResult {
        link?.start(to: descriptor, shared) ?? .moved(0)
    }

    /// Writes what an encrypted session has left from before.
    func flush(_ shared: borrowing TLSBuffers) -> TransportResult {
        link?.flush(to: descriptor, shared) ?? .moved(0)
    }

    /// Reads once into `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ shared: borrowing TLSBuffers) -> TransportResult {
        guard let link else { return descriptor.receive(into: buffer) }
        return link.read(into: buffer, from: descriptor, shared)
    }

    /// Writes the pieces once, as one message to the kernel where they are not encrypted.
    func write(_ pieces: UnsafeMutableBufferPointer<iovec>, _ shared: borrowing TLSBuffers) -> TransportResult {
        guard let link else { return descriptor.send(pieces) }
        return link.write(pieces, to: descriptor, shared)
    }

    /// Ends our side: the peer reads the end after what was written.
    ///
    /// - Returns: false if the socket has to take what is left before.
    func endWriting(_ shared: borrowing TLSBuffers) -> Bool {
        if let link, !link.endWriting(to: descriptor, shared) { return false }
        shutdown(number, Int32(SHUT_WR))
        return true
    }
}

extension Descriptor {
    /// Reads once from the socket.
    borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
        while true {
            let count = recv(number, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            if errno != EINTR { return errno == EAGAIN ? .needsReadable : .failed(errno) }
        }
    }

    /// Writes the pieces once to the socket.
    borrowing func send(_ pieces: UnsafeMutableBufferPointer<iovec>) -> TransportResult {
        // One piece is the common case, and send has the shorter way through the kernel.
        if pieces.count == 1 { return send(UnsafeRawBufferPointer(start: pieces[0].iov_base, count: pieces[0].iov_len)) }
        while true {
            var message = msghdr()
            message.msg_iov = pieces.baseAddress
            message.msg_iovlen = pieces.count
            let count = sendmsg(number, &message, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno != EINTR { return errno == EAGAIN ? .needsWritable : .failed(errno) }
        }
    }

    /// Writes once to the socket.
    borrowing func send(_ bytes: UnsafeRawBufferPointer) -> TransportResult {
        while true {
            let count = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno != EINTR { return errno == EAGAIN ? .needsWritable : .failed(errno) }
        }
    }
}
