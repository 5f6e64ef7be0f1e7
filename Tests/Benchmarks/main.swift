import Glibc

// Prints what lists, predicates, writes and the store cost. No socket, one thread; figures are processor time unless they say otherwise.

let suites: [(name: String, run: () throws -> Void)] = [
    ("predicates", PredicateCosts.run),
    ("lists", ListCosts.run),
    ("untouched", UntouchedQueryCosts.run),
    ("sessions", SessionCosts.run),
    ("related", RelatedCosts.run),
    ("bulk", BulkCosts.run),
    ("log", LogCosts.run),
]
let asked = CommandLine.arguments.dropFirst()
let names = suites.map(\.name)

if let unknown = asked.first(where: { !names.contains($0) }) {
    print("There is no suite '\(unknown)'; the suites are \(names.joined(separator: ", ")).")
    exit(2)
}
for suite in suites where asked.isEmpty || asked.contains(suite.name) {
    print("\n\(suite.name)\n\(String(repeating: "─", count: suite.name.count))")
    try suite.run()
    fflush(nil)
}
