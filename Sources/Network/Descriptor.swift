import Glibc

/// The owner of one open file descriptor: closes it when it goes out of scope.
public struct Descriptor: ~Copyable {
    /// The number that system calls take. It is valid as long as this owner lives.
    public let number: Int32

    /// Takes over `number`, which must be open and have no other owner.
    public init(owning number: Int32) {
        precondition(number >= 0, "A descriptor's number is never negative.")
        self.number = number
    }

    /// Takes over the result of a call that returns a descriptor or -1.
    ///
    /// - Throws: the error in `errno`, where `result` is -1.
    public init(result: Int32, of call: String, to action: String) throws(SystemError) {
        guard result >= 0 else { throw SystemError(call, to: action) }
        number = result
    }

    /// Gives the number away without closing it: the caller owns it from here.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Closes it now.
    public consuming func close() {}

    deinit {
        // Linux frees the number even where close reports EINTR or EIO, so there is nothing to repeat.
        _ = Glibc.close(number)
    }
}
