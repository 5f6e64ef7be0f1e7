import Foundation

/// A small random generator whose numbers follow from its seed, which a failing test prints (SplitMix64, Steele, Lea and Flood 2014).
public struct SplitMix: RandomNumberGenerator, Sendable {
    /// What it was made from.
    public let seed: UInt64
    /// What the next number follows from.
    public private(set) var state: UInt64

    /// The generator of that seed.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seed that `TODO_SEED` in the environment names, else a new one.
    public static func fromEnvironment() -> SplitMix {
        let given = ProcessInfo.processInfo.environment["TODO_SEED"].flatMap { UInt64($0) }
        return SplitMix(seed: given ?? UInt64.random(in: 0...UInt64.max))
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`.
    public mutating func next(upTo bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
