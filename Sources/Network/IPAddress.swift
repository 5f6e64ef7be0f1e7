import CLinux
import Glibc

/// The number of an IPv4 or IPv6 host, without a port. One of IPv4 is kept as IPv6 writes it (`::ffff:192.0.2.1`), so that a host has one number whichever
/// kind of socket it comes by.
public struct IPAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(ipv4 number: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix | UInt64(number))
    }

    private static var mappedPrefix: UInt64 { 0xFFFF << 32 }

    /// The address that `text` writes out, such as `192.0.2.1` or `2001:db8::1`; nil where it is none. Names are not looked up.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        // inet_pton reads up to a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(six)
    }

    /// The address of a socket's end; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        if let four = address.ipv4Number {
            self.init(ipv4: four)
        } else if let six = address.ipv6Number {
            self.init(six)
        } else {
            return nil
        }
    }

    private init(_ number: in6_addr) {
        let halves = withUnsafeBytes(of: number) {
            ($0.loadUnaligned(fromByteOffset: 0, as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    /// Whether it is one of IPv4.
    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether it leads back to the same machine: `127.0.0.0/8` or `::1`.
    public var isLoopback: Bool {
        isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
    }

    /// What one customer of a provider has: the address itself for IPv4, its first 64 bits for IPv6.
    ///
    /// The two can't be mixed up: IPv6 gives nobody an address whose first 16 bits are zero.
    public var network: UInt64 {
        isIPv4 ? low : high
    }
}

extension IPAddress: CustomStringConvertible {
    /// `192.0.2.1` or `2001:db8::1`.
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress else { return "?" }
            if isIPv4 {
                var four = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
                return inet_ntop(AF_INET, &four, base, socklen_t(buffer.count)) == nil ? "?" : String(cString: base)
            }
            var halves = (high.bigEndian, low.bigEndian)
            return inet_ntop(AF_INET6, &halves, base, socklen_t(buffer.count)) == nil ? "?" : String(cString: base)
        }
    }
}

/// All addresses that begin with the same bits, as `192.0.2.0/24` writes them.
public struct AddressRange: Hashable, Sendable {
    private let first: IPAddress
    /// How many bits count, of 128.
    private let bits: Int

    /// The range that `text` writes out: an address alone, or with the count of bits behind a slash. Nil where it is none, or where bits
    /// behind those that count are set, which is a slip.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let isShort = address.isIPv4 && !parts[0].contains(":")
        let width = isShort ? 32 : 128
        var count = width
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].allSatisfy(\.isWholeNumber), let number = Int(parts[1]), number <= width else { return nil }
            count = number
        }
        first = address
        bits = count + (isShort ? 96 : 0)
        guard Self.masked(address, bits) == address else { return nil }
    }

    /// Whether the address is one of them.
    public func contains(_ address: IPAddress) -> Bool {
        Self.masked(address, bits) == first
    }

    private static func masked(_ address: IPAddress, _ bits: Int) -> IPAddress {
        func mask(_ count: Int) -> UInt64 { count <= 0 ? 0 : count >= 64 ? .max : ~(.max >> UInt64(count)) }
        return IPAddress(high: address.high & mask(bits), low: address.low & mask(bits - 64))
    }
}
