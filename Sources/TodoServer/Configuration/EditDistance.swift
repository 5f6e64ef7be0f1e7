/// How many letters must be put in, taken out or changed to make one word of another (Levenshtein).
enum EditDistance {
    static func between(_ left: String, _ right: String) -> Int {
        let target = Array(right.utf8)
        var row = Array(0...target.count)
        for (line, letter) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (place, other) in target.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(changed, diagonal + 1, row[place] + 1)
            }
        }
        return row[target.count]
    }
}
