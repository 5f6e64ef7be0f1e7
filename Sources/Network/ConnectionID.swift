/// Names one connection of one event loop for as long as the loop lives.
///
/// A slot is used again after its connection has closed, under the next generation: an identifier that was kept too long
/// names nothing, never somebody else.
public struct ConnectionID: Hashable, Sendable {
    /// Slot in the low half, generation in the high half.
    public let bits: UInt64

    /// An identifier out of its parts.
    @inlinable
    public init(slot: UInt32, generation: UInt32) {
        bits = UInt64(generation) << 32 | UInt64(slot)
    }

    /// An identifier as `bits` gave it.
    @inlinable
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// The place in the loop's tables.
    @inlinable
    public var slot: Int { Int(UInt32(truncatingIfNeeded: bits)) }

    /// Counts the uses of the slot, from 1.
    @inlinable
    public var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}
