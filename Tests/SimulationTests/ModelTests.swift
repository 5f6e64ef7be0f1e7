import Simulation
import TestSupport
import Testing

struct ModelTests {
    @Test func `lists that are built from diffs equal the naive list at every version`() throws {
        try ModelTest.run(seed: SplitMix.fromEnvironment().seed, steps: 1000)
    }
}
