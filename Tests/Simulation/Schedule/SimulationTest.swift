/// The simulation as a whole: many schedules, each from a seed of its own.
public enum SimulationTest {
    /// Plays the schedules of so many seeds; a fault names the seed that replays it.
    public static func run(seed: UInt64, schedules: Int, trace: ((String) -> Void)? = nil) throws {
        for number in 0..<schedules {
            let own = seed &+ UInt64(number)
            do { _ = try hash(seed: own, trace: trace) } catch let fault as Fault { throw fault.within("TODO_SEED=\(own)") }
        }
    }

    /// What happens in the schedule of that seed, as one number.
    public static func hash(seed: UInt64, trace: ((String) -> Void)? = nil) throws -> UInt64 {
        try Simulation(seed: seed, tell: trace).run()
    }
}
