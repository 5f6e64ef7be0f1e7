import Glibc

/// What one network connection has: an IPv4 address, or the 64 bits of an IPv6 address that its provider gave out; within them one
/// machine may take any address.
enum AddressBlock: Hashable {
    case four(UInt32)
    case six(UInt64)

    /// `nil` where the address is not known: over a Unix socket.
    init?(_ address: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            self = .four(four.s_addr)
        } else if inet_pton(AF_INET6, address, &six) == 1 {
            self = withUnsafeBytes(of: six) { bytes in
                // An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) is that address.
                let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
                return isMapped
                    ? .four(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) : .six(bytes.loadUnaligned(as: UInt64.self))
            }
        } else {
            return nil
        }
    }
}
