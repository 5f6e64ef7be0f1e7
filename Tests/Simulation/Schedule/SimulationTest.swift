/// The simulation as a whole: many schedules, each from a seed of its own.
public enum SimulationTest {
    /// Plays the schedules of so many seeds; a fault names the seed that replays it.
    ///
    /// - Returns: how often each kind of thing happened in them.
    public static func run(seed: UInt64, schedules: Int, trace: ((String) -> Void)? = nil) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for number in 0..<schedules {
            let own = seed &+ UInt64(number)
            do {
                counts.merge(try Simulation(seed: own, tell: trace).run().counts) { $0 + $1 }
            } catch let fault as Fault {
                throw fault.within("TODO_SEED=\(own)")
            }
        }
        return counts
    }

    /// What happens in the schedule of that seed, as one number.
    public static func hash(seed: UInt64) throws -> UInt64 {
        try Simulation(seed: seed).run().hash
    }
}
