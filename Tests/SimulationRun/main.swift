import Foundation
import Simulation

/// `todo-simulate model|schedules [COUNT]`: the model test over so many steps, or the simulation of so many schedules.
///
/// `TODO_SEED` replays the one history or schedule of that seed; `TODO_TRACE=1` prints everything that happens in it.
let arguments = CommandLine.arguments
let environment = ProcessInfo.processInfo.environment
let seed = environment["TODO_SEED"].flatMap { UInt64($0) }
let first = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
let count = arguments.count > 2 ? Int(arguments[2]) : nil
let trace: ((String) -> Void)? = environment["TODO_TRACE"] == nil ? nil : { print($0) }

let kind = arguments.count > 1 ? arguments[1] : ""

do {
    switch kind {
    case "model":
        let steps = seed != nil ? ModelTest.stepsOfHistory : count ?? 100_000
        print("model: TODO_SEED=\(first) and on")
        try ModelTest.run(seed: first, steps: steps, trace: trace)
        print("model: \(steps) steps passed")
    case "schedules":
        let schedules = seed != nil ? 1 : count ?? 2_000
        print("simulation: TODO_SEED=\(first) and on")
        let counts = try SimulationTest.run(seed: first, schedules: schedules, trace: trace)
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        print("simulation: \(schedules) schedules passed")
    default:
        print("usage: todo-simulate model|schedules [COUNT]")
        exit(64)
    }
} catch {
    print("\(kind == "model" ? "model" : "simulation"): failed: \(error)")
    exit(1)
}
