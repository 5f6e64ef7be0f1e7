import Simulation
import TestSupport
import Testing

/// A little of what `Tests/run.sh` runs by the hundred thousand.
struct ModelTests {
    @Test func `lists that are built from diffs equal the naive list at every version`() throws {
        let seed = SplitMix.fromEnvironment().seed
        print("model: TODO_SEED=\(seed)")
        try ModelTest.run(seed: seed, steps: 1000)
    }
}
