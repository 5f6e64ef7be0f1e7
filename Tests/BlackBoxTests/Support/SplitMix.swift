import Foundation

/// A small random generator with a seed that a failing test prints; `TODO_SEED` in the environment replays it.
struct SplitMix: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seed of the environment, else a new one.
    static func fromEnvironment() -> SplitMix {
        let given = ProcessInfo.processInfo.environment["TODO_SEED"].flatMap { UInt64($0) }
        return SplitMix(seed: given ?? UInt64.random(in: 0...UInt64.max))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
