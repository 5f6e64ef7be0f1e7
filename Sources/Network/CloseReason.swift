/// Why a connection is over.
public enum CloseReason: Sendable, Equatable {
    /// Our side asked for it with `finish`, and all that was queued was handed to the socket.
    case finished
    /// Our side asked for it with `abort`.
    case aborted
    /// After `finish` the peer took too long to read the rest or to end its own side.
    case lingeredTooLong
    /// The connection broke: the value of `errno`.
    case broken(Int32)
    /// The encryption failed, in words: no common version or cipher, a certificate that is not trusted, damaged data.
    case insecure(String)
    /// An outgoing connection could not be made.
    case connectFailed(SystemError)
}
