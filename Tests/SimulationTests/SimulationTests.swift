import Simulation
import TestSupport
import Testing

/// A few of what `Tests/run.sh` runs by the thousand, in the build that checks every overflow and precondition.
struct SimulationTests {
    @Test func `after a few schedules of cuts and crashes every list and every transaction is as it must be`() throws {
        let seed = SplitMix.fromEnvironment().seed
        print("simulation: TODO_SEED=\(seed)")
        let counts = try SimulationTest.run(seed: seed, schedules: 20)
        for kind in ["change", "crash", "cut", "initial", "piece", "start", "urged", "write"] {
            #expect(counts[kind, default: 0] > 0, "no \(kind)")
        }
    }

    @Test func `a seed is played the same way every time`() throws {
        let seed = SplitMix.fromEnvironment().seed
        for seed in seed..<seed &+ 4 {
            #expect(try SimulationTest.hash(seed: seed) == SimulationTest.hash(seed: seed), "seed \(seed)")
        }
        #expect(try SimulationTest.hash(seed: 1) != SimulationTest.hash(seed: 2))
    }
}
