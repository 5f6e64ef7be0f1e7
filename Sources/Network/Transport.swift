import CLinux
import Glibc

/// What one attempt to read or write came to.
enum TransportResult: Equatable {
    /// So many bytes were moved; fewer than asked for means that the rest would block.
    case moved(Int)
    /// Nothing can be moved before the socket is readable.
    case needsReadable
    /// Nothing can be moved before the socket is writable.
    case needsWritable
    /// The peer has ended its side in order.
    case ended
    /// The connection is broken: the value of `errno`.
    case failed(Int32)
}

/// The way bytes take between a connection and its socket: as they are, or (in a further case) through an encrypted session, whose reads may need
/// a writable socket and whose writes may need a readable one.
enum Transport: ~Copyable {
    case plain(Descriptor)

    /// The socket's number, for epoll.
    var number: Int32 {
        switch self {
        case .plain(let descriptor): descriptor.number
        }
    }

    /// Reads once into `buffer`.
    borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
        switch self {
        case .plain(let descriptor):
            while true {
                let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                if count > 0 { return .moved(count) }
                if count == 0 { return .ended }
                if errno != EINTR { return errno == EAGAIN ? .needsReadable : .failed(errno) }
            }
        }
    }

    /// Writes the pieces once, as one message to the kernel.
    borrowing func write(_ pieces: UnsafeMutableBufferPointer<iovec>) -> TransportResult {
        switch self {
        case .plain(let descriptor):
            while true {
                let count: Int
                // One piece is the common case, and send has the shorter way through the kernel.
                if pieces.count == 1 {
                    count = send(descriptor.number, pieces[0].iov_base, pieces[0].iov_len, Int32(MSG_NOSIGNAL))
                } else {
                    var message = msghdr()
                    message.msg_iov = pieces.baseAddress
                    message.msg_iovlen = pieces.count
                    count = sendmsg(descriptor.number, &message, Int32(MSG_NOSIGNAL))
                }
                if count >= 0 { return .moved(count) }
                if errno != EINTR { return errno == EAGAIN ? .needsWritable : .failed(errno) }
            }
        }
    }

    /// Ends our side: the peer reads the end after what was written.
    borrowing func endWriting() {
        switch self {
        case .plain(let descriptor): shutdown(descriptor.number, Int32(SHUT_WR))
        }
    }
}
