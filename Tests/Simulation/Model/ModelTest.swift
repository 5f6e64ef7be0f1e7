/// The model test as a whole: many histories, each replayed by a seed of its own.
public enum ModelTest {
    /// Steps of one history.
    public static let stepsOfHistory = 500

    /// Runs so many steps from that seed on; a fault names the seed that replays it alone.
    public static func run(seed: UInt64, steps: Int, trace: ((String) -> Void)? = nil) throws {
        let histories = max(1, (steps + stepsOfHistory - 1) / stepsOfHistory)
        for number in 0..<histories {
            let own = seed &+ UInt64(number)
            do {
                try ModelRun(seed: own, trace: trace).run(steps: min(steps, stepsOfHistory))
            } catch let fault as Fault {
                throw fault.within("TODO_SEED=\(own)")
            }
        }
    }
}
