import Foundation
import Simulation

let environment = ProcessInfo.processInfo.environment
let seed = environment["TODO_SEED"].flatMap { UInt64($0) }
let steps = seed != nil ? ModelTest.stepsOfHistory : environment["TODO_STEPS"].flatMap { Int($0) } ?? 100_000
let first = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
print("model test: \(steps) steps from seed \(first) on")
do {
    try ModelTest.run(seed: first, steps: steps, trace: environment["TODO_TRACE"] == nil ? nil : { print($0) })
} catch {
    print("\(error)")
    exit(1)
}
