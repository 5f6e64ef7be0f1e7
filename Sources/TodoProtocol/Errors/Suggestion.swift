/// Helps with misspelt names in error messages, those of messages and those of the programs' flags.
package enum Suggestion {
    /// A name is looked at up to this length only: what a client sent must not make an error message, or its making, expensive.
    static let lengthMax = 64

    /// The name among those that was most likely meant, `nil` where none is near.
    package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        guard name.utf8.count <= lengthMax else { return nil }
        let wanted = Array(name.lowercased().utf8)
        var best: (name: String, distance: Int)?
        for candidate in names {
            let letters = Array(candidate.lowercased().utf8)
            let distance = editDistance(wanted, letters)
            guard distance <= max(1, min(wanted.count, letters.count) / 3), distance < best?.distance ?? .max else { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// How many letters must be added, dropped, replaced or swapped with their neighbour (optimal string alignment).
    private static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1] + [Int](repeating: 0, count: b.count)
            for j in b.indices {
                row[j + 1] = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1) }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
